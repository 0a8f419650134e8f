package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class JsonValueFormatTest {

    private static final Message MESSAGE = SampleMessages.tombstone();

    record Payment(String id, BigDecimal amount) {}

    record Count(long count) {}

    @Test
    void readsTreesWithExactNumbers() {
        JsonNode tree = JsonValueFormat.ofTrees().decode(bytes("{\"a\":0.10}"), MESSAGE);
        assertThat(tree.get("a").decimalValue()).isEqualTo(new BigDecimal("0.10"));
    }

    @Test
    void passesOverNamesThatTheTypeDoesNotKnow() {
        Payment payment =
                JsonValueFormat.of(Payment.class)
                        .decode(bytes("{\"id\":\"1\",\"amount\":2.5,\"new\":[1]}"), MESSAGE);
        assertThat(payment).isEqualTo(new Payment("1", new BigDecimal("2.5")));
    }

    @Test
    void refusesAMissingNumberWhereItCouldOnlyBeMadeUp() {
        JsonValueFormat<Count> format = JsonValueFormat.of(Count.class);
        assertThat(format.decode(bytes("{\"count\":3}"), MESSAGE)).isEqualTo(new Count(3));
        assertThatThrownBy(() -> format.decode(bytes("{}"), MESSAGE))
                .isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1e9999999999",
                "-1e9999999999",
                "1e-9999999999",
                "1e2147483648",
                "0.1e-2147483647",
                "0e9999999999"
            })
    void refusesNumbersWithEndlessExponentsWhateverTheyAreReadAs(String number) {
        String inAnObject = "{\"a\":" + number + ",\"count\":" + number + "}";
        String inAnArray = "[" + number + "]";
        for (Class<?> type : List.of(Object.class, JsonNode.class, Map.class, Count.class)) {
            assertRefused(type, inAnObject);
        }
        for (Class<?> type : List.of(Object.class, JsonNode.class, List.class, long[].class)) {
            assertRefused(type, inAnArray);
        }
        for (Class<?> type :
                List.of(Object.class, BigDecimal.class, Long.class, Instant.class, int.class)) {
            assertRefused(type, number);
        }
        assertRefused(Payment.class, "{\"id\":\"1\",\"amount\":" + number + "}");
    }

    @Test
    void refusesNamesThatOccurTwiceAtAnyDepth() {
        assertRefused("{\"a\":1,\"a\":2}");
        assertRefused("{\"z\":[{\"a\":1,\"a\":2}]}");
    }

    @Test
    void refusesTheDocumentNullWhichWouldPassForATombstone() {
        assertThatThrownBy(() -> JsonValueFormat.of(Payment.class).decode(bytes("null"), MESSAGE))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("null");
    }

    @Test
    void readsStringsStrictly() {
        StringValueFormat format = new StringValueFormat();
        assertThat(format.decode(bytes("Zoë 😀\u0000"), MESSAGE)).isEqualTo("Zoë 😀\u0000");
        assertThat(format.decode(new byte[0], MESSAGE)).isEmpty();
        assertThatThrownBy(() -> format.decode(new byte[] {'a', 'b', (byte) 0xC3}, MESSAGE))
                .isInstanceOf(MalformedException.class)
                .hasMessage("not UTF-8 at byte 2");
    }

    @Test
    void handsBytesThroughAsTheyAre() {
        byte[] value = {0, 1, (byte) 0xFF};
        assertThat(new BytesValueFormat().decode(value, MESSAGE)).isSameAs(value);
    }

    private static void assertRefused(String json) {
        assertRefused(JsonNode.class, json);
    }

    private static void assertRefused(Class<?> type, String json) {
        assertThatThrownBy(() -> JsonValueFormat.of(type).decode(bytes(json), MESSAGE))
                .as("%s of %s", type.getSimpleName(), json)
                .isInstanceOf(MalformedException.class)
                .satisfies(JsonStateCodecTest::isBrief);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }
}
