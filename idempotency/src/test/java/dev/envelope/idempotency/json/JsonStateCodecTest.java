package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonRawValue;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.UnreadableStateException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class JsonStateCodecTest {

    record Account(String owner, BigDecimal balance, long count, @Nullable List<String> tags) {}

    record Floating(double value) {}

    record Raw(@JsonRawValue String value) {}

    record Nested(@Nullable Nested inner) {}

    @SuppressWarnings("unused")
    static final class Counter {
        public int count;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface Open {}

    record Shut(int value) implements Open {}

    record Holder(Open open) {}

    record Plain(int value) implements Open {}

    /** Makes a size of 5 out of one of 4, and refuses 5. */
    record Grown(int size) {
        Grown {
            if (size == 5) {
                throw new IllegalArgumentException("too large");
            }
            size = size == 4 ? 5 : size;
        }
    }

    record Holding(List<Grown> grown) {}

    record Text(@JsonValue @Nullable String text) {}

    record Keyed(Map<Plain, Integer> counts) {}

    @Test
    void writesAndReadsRecords() {
        JsonStateCodec<Account> codec = JsonStateCodec.of(Account.class);
        Account account = new Account("Zoë 😀", new BigDecimal("0.30"), Long.MAX_VALUE, null);
        byte[] json = codec.encode(account);
        assertThat(text(json))
                .isEqualTo(
                        "{\"owner\":\"Zoë 😀\",\"balance\":0.30,\"count\":9223372036854775807,"
                                + "\"tags\":null}");
        assertThat(codec.decode(json)).isEqualTo(account);
    }

    @Test
    void writesAndReadsPlainClasses() {
        JsonStateCodec<Counter> codec = JsonStateCodec.of(Counter.class);
        Counter counter = new Counter();
        counter.count = 5;
        assertThat(codec.decode(codec.encode(counter)).count).isEqualTo(5);
    }

    @Test
    void keepsTreesExactly() {
        JsonStateCodec<JsonNode> codec = JsonStateCodec.of(JsonNode.class);
        String json =
                "{\"a\":1.10,\"b\":[12345678901234567890123,1E+5,0.1],\"c\":{\"d\":null,\"e\":true}}";
        assertThat(text(codec.encode(codec.decode(bytes(json))))).isEqualTo(json);
    }

    @Test
    void refusesToWriteWhatJsonbWouldNotTake() {
        JsonStateCodec<Object> codec = JsonStateCodec.of(Object.class);
        assertUnstorable(codec, Map.of("a", "x\u0000y"));
        assertUnstorable(codec, Map.of("a\u0000", "x"));
        assertUnstorable(codec, Map.of("a", "\ud800"));
        assertUnstorable(codec, Map.of("\udc00", "x"));
        assertUnstorable(codec, List.of(Double.NaN));
        assertUnstorable(codec, List.of(Double.NEGATIVE_INFINITY));
        assertUnstorable(codec, List.of(Float.POSITIVE_INFINITY));
        assertUnstorable(codec, List.of(new BigDecimal("1e200000")));
        assertUnstorable(codec, List.of(new BigDecimal("1e-16384")));
        assertUnstorable(codec, List.of(BigInteger.TEN.pow(200_000)));
        assertUnstorable(JsonStateCodec.of(Floating.class), new Floating(Double.NaN));
    }

    @Test
    void refusesToWriteWhatItCouldNotRead() {
        assertUnstorable(JsonStateCodec.of(Raw.class), new Raw("\"\\u0000\""));
        assertUnstorable(JsonStateCodec.of(Raw.class), new Raw("\"\\ud800\""));
        assertUnstorable(JsonStateCodec.of(Raw.class), new Raw("1} {"));
        assertUnstorable(JsonStateCodec.of(Raw.class), new Raw("{\"a\":1,\"a\":2}"));
        Nested deep = new Nested(null);
        for (int i = 0; i < 70; i++) {
            deep = new Nested(deep);
        }
        assertUnstorable(JsonStateCodec.of(Nested.class), deep);
        assertUnstorable(JsonStateCodec.of(String.class), "x".repeat(2 << 20));
    }

    /** Each of them is valid JSON, and fit for {@code jsonb}: only its type refuses it. */
    @Test
    void refusesToWriteWhatItsTypeWouldNotReadBack() {
        assertNotReadBack(JsonStateCodec.of(Grown.class), new Grown(4));
        assertNotReadBack(JsonStateCodec.of(Holding.class), new Holding(List.of(new Grown(4))));
        assertNotReadBack(JsonStateCodec.of(Text.class), new Text(null));
        assertNotReadBack(JsonStateCodec.of(Raw.class), new Raw("{}"));
        assertNotReadBack(JsonStateCodec.of(Holder.class), new Holder(new Plain(1)));
        assertNotReadBack(JsonStateCodec.of(Keyed.class), new Keyed(Map.of(new Plain(1), 1)));
        assertThat(text(JsonStateCodec.of(Grown.class).encode(new Grown(1))))
                .isEqualTo("{\"size\":1}");
        assertThat(text(JsonStateCodec.of(Holding.class).encode(new Holding(List.of()))))
                .isEqualTo("{\"grown\":[]}");
    }

    @Test
    void refusesANumberWithAnEndlessExponentInARow() {
        String number = "1e9999999999";
        assertMalformed(JsonStateCodec.of(JsonNode.class), "{\"a\":" + number + "}", "range");
        assertMalformed(JsonStateCodec.of(Object.class), number, "range");
        assertMalformed(
                JsonStateCodec.of(Account.class),
                "{\"owner\":\"o\",\"balance\":" + number + "}",
                "Account");
    }

    @Test
    void refusesAStateOfAnotherShape() {
        JsonStateCodec<Account> codec = JsonStateCodec.of(Account.class);
        assertMalformed(codec, "{\"owner\":\"o\",\"balance\":1,\"count\":1,\"later\":2}", "later");
        assertMalformed(codec, "{\"owner\":\"o\",\"balance\":1,\"count\":1.5}", "Account");
        assertMalformed(codec, "{\"owner\":\"o\",\"balance\":1,\"count\":\"1\"}", "Account");
        assertMalformed(codec, "[]", "Account");
        assertMalformed(codec, "null", "null");
        assertMalformed(codec, "{\"owner\":\"o\"} {}", "Account");
        assertMalformed(codec, "{\"owner\":\"o\",\"owner\":\"p\"}", "owner");
    }

    /** Its fast path must not pass over what the next save would lose. */
    @Test
    void aPlainStateWithAMemberOfAnotherVersionIsNotRead() {
        JsonStateCodec<Grown> codec = JsonStateCodec.of(Grown.class);

        assertThat(codec.decode(bytes("{\"size\": 3}"))).isEqualTo(new Grown(3));
        assertThatThrownBy(() -> codec.decode(bytes("{\"size\": 3, \"later\": 1}")))
                .isInstanceOf(UnreadableStateException.class);
    }

    @Test
    void fillsWhatIsMissingWithDefaults() {
        JsonStateCodec<Account> codec = JsonStateCodec.of(Account.class);
        assertThat(codec.decode(bytes("{\"owner\":\"o\",\"balance\":1}")).count()).isZero();
    }

    @Test
    void neverLetsADocumentChooseAClass() {
        JsonStateCodec<Holder> codec = JsonStateCodec.of(Holder.class);
        String json = "{\"open\":{\"@class\":\"" + Shut.class.getName() + "\",\"value\":1}}";
        assertThatThrownBy(() -> codec.decode(bytes(json)))
                .isInstanceOf(UnreadableStateException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"owner\":", "nothing", "{\"owner\":\"o\"} }"})
    void whatIsNoJsonIsDamagedAndOfNoVersion(String json) {
        JsonStateCodec<Account> codec = JsonStateCodec.of(Account.class);
        assertThatThrownBy(() -> codec.decode(bytes(json))).isInstanceOf(MalformedException.class);
    }

    private static <S> void assertUnstorable(JsonStateCodec<S> codec, S state) {
        assertThatThrownBy(() -> codec.encode(state))
                .isInstanceOf(MalformedException.class)
                .satisfies(JsonStateCodecTest::isBrief);
    }

    private static <S> void assertNotReadBack(JsonStateCodec<S> codec, S state) {
        assertThatThrownBy(() -> codec.encode(state))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("can't be read back")
                .satisfies(JsonStateCodecTest::isBrief);
    }

    private static void assertMalformed(JsonStateCodec<?> codec, String json, String named) {
        assertThatThrownBy(() -> codec.decode(bytes(json)))
                .as("of another version, for it is well-formed")
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageContaining(named);
        assertThatThrownBy(() -> codec.decodeStrictly(bytes(json)))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining(named)
                .satisfies(JsonStateCodecTest::isBrief);
    }

    static void isBrief(Throwable thrown) {
        assertThat(thrown.getMessage())
                .isNotNull()
                .hasSizeLessThan(Brief.MAX_CHARS + 80)
                .doesNotContainPattern("\\p{Cntrl}");
        assertThat(thrown.getCause()).isNull();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
