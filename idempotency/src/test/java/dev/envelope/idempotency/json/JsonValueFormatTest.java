package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
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
        assertThatThrownBy(() -> JsonValueFormat.ofTrees().decode(bytes(json), MESSAGE))
                .isInstanceOf(MalformedException.class)
                .satisfies(JsonStateCodecTest::isBrief);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }
}
