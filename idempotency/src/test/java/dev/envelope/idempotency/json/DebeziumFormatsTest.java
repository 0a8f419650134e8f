package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import dev.envelope.idempotency.json.debezium.DebeziumKeyFormat;
import dev.envelope.idempotency.json.debezium.DebeziumValueFormat;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DebeziumFormatsTest {

    private static final Message MESSAGE = SampleMessages.tombstone();

    private final DebeziumValueFormat<Customer> values =
            new DebeziumValueFormat<>(JsonValueFormat.of(Customer.class));
    private final DebeziumKeyFormat keys = new DebeziumKeyFormat();

    record Customer(long id, String name, @Nullable BigDecimal limit) {}

    @ParameterizedTest
    @ValueSource(strings = {"c", "r", "u"})
    void ofAChangeTheRowAfterItIsTheMessage(String op) {
        String event =
                "{\"before\":{\"id\":1,\"name\":\"Zoe\"},"
                        + "\"after\" : {\"id\":1,\"name\":\"Zoë }\",\"limit\":0.10 } ,"
                        + "\"source\":{\"op\":\"x\",\"after\":[1,{}]},\"op\":\""
                        + op
                        + "\",\"ts_ms\":1}";
        Customer after = new Customer(1, "Zoë }", new BigDecimal("0.10"));
        assertThat(value(event)).isEqualTo(after);
        assertThat(value("{\"schema\":{\"type\":\"struct\"},\"payload\": " + event + "}"))
                .isEqualTo(after);
    }

    @Test
    void aDeletionIsLikeATombstone() {
        String event = "{\"op\":\"d\",\"before\":{\"id\":1,\"name\":\"Zoe\"},\"after\":null}";
        assertThat(value(event)).isNull();
        assertThat(value("{\"schema\":null,\"payload\":" + event + "}")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"id\":1,\"name\":\"Zoe\"} | it has no op; set value.format=json",
                "{\"schema\":{},\"payload\":{\"id\":1}} | it has no op",
                "{\"schema\":{},\"payload\":null} | the JSON is no object",
                "[1] | the JSON is no object",
                "{\"op\":\"t\"} | a change event of no single row: its op is \"t\"",
                "{\"op\":\"u\",\"after\":null} | needs an object after",
                "{\"op\":\"u\"} | needs an object after",
                "{\"op\":\"u\",\"after\":{},\"after\":{}} | occurs twice",
                "{\"op\":\"u\",\"after\":{\"id\":\"x\"}} | not the JSON that is expected",
                "{\"op\":\"u\",\"after\":{} | not the JSON that is expected",
                "{\"op\":\"d\"} x | not the JSON that is expected",
            })
    void whatIsNoChangeOfARowIsTheMessagesFault(String event, String why) {
        assertThatThrownBy(() -> value(event))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(why)
                .satisfies(JsonStateCodecTest::isBrief);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"id\":1001} | 1001",
                "{\"id\":\"a b\"} | a b",
                "{\"schema\":{\"type\":\"struct\"},\"payload\":{\"id\":1001}} | 1001",
                "{\"order\":7,\"line\":\"x\"} | {\"line\":\"x\",\"order\":7}",
                "{ \"line\":\"x\", \"order\":7 } | {\"line\":\"x\",\"order\":7}",
                "{\"price\":1.50} | 1.50",
                "{\"schema\":\"public\",\"payload\":3} | {\"payload\":3,\"schema\":\"public\"}",
            })
    void theColumnsOfAKeyAreTheRowsKey(String key, String row) throws KeyRefused {
        assertThat(key(key)).isEqualTo(row);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "1001",
                "account-7",
                "null",
                "[]",
                "[1]",
                "{}",
                "{\"id\":null}",
                "{\"id\":1,\"id\":2}",
                "{\"id\":1}{}",
                "{\"schema\":{},\"payload\":{}}"
            })
    void whatIsNoKeyOfATableIsRefused(String key) {
        assertThatThrownBy(() -> key(key))
                .isInstanceOf(KeyRefused.class)
                .hasMessageStartingWith("key-format: ");
    }

    private @Nullable Customer value(String event) {
        return values.decode(event.getBytes(StandardCharsets.UTF_8), MESSAGE);
    }

    private String key(String key) throws KeyRefused {
        return keys.decode("t", new RecordHeaders(), key.getBytes(StandardCharsets.UTF_8));
    }
}
