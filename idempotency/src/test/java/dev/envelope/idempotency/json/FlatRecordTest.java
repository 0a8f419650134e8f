package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.SampleMessages;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;

/** It answers as Jackson does, or not at all. */
class FlatRecordTest {

    record Booking(
            long amount,
            @Nullable Long limit,
            int count,
            boolean open,
            @Nullable Boolean checked,
            @Nullable String owner,
            @Nullable BigDecimal rate) {}

    record Positive(long amount) {
        Positive {
            if (amount < 0) {
                throw new IllegalArgumentException("negative");
            }
        }
    }

    record Renamed(@JsonProperty("n") long number) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record Sparse(@Nullable String text) {}

    /** Makes a size of 5 out of one of 4, and refuses 5. */
    record Grown(int size) {
        Grown {
            if (size == 5) {
                throw new IllegalArgumentException("too large");
            }
            size = size == 4 ? 5 : size;
        }
    }

    record WithGetter(long number) {
        @SuppressWarnings("unused") // Jackson finds it
        public long getTwice() {
            return 2 * number;
        }
    }

    interface Named {
        @JsonProperty("called")
        String name();
    }

    record Inherits(String name) implements Named {}

    record Wrapper(@JsonValue String text) {}

    record Floating(double value) {}

    record Nested(Positive inner) {}

    record Empty() {}

    private static Optional<FlatRecord> flat(Class<?> type) {
        JavaType known = Json.standard().type(type);
        return FlatRecord.of(Json.standard(), known, Json.standard().messageReader(known));
    }

    private static FlatRecord bookings() {
        return flat(Booking.class).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Renamed.class,
                Sparse.class,
                Inherits.class,
                Wrapper.class,
                Floating.class,
                Nested.class,
                Empty.class,
                String.class,
                List.class
            })
    void leavesOtherTypesToJackson(Class<?> type) {
        assertThat(flat(type)).isEmpty();
    }

    @Test
    void readsAndWritesWhatIsPlain() {
        String json =
                "{\"amount\":-5,\"limit\":null,\"count\":3,\"open\":true,\"checked\":false,"
                        + "\"owner\":\"Ada\",\"rate\":1.50}";
        Booking booking = new Booking(-5, null, 3, true, false, "Ada", new BigDecimal("1.50"));
        assertThat(bookings().read(bytes(json))).isEqualTo(booking);
        assertThat(bookings().readAll(bytes(json))).isEqualTo(booking);
        assertThat(bookings().write(booking)).isEqualTo(bytes(json));
    }

    @Test
    void writesEveryNumber() {
        List<Long> numbers = new ArrayList<>(List.of(0L, Long.MIN_VALUE, Long.MAX_VALUE));
        for (long power = 1; power < Long.MAX_VALUE / 10; power *= 10) {
            numbers.addAll(List.of(power - 1, power, -power, 1 - power));
        }
        for (long number : numbers) {
            assertThat(flat(WithGetter.class).orElseThrow().write(new WithGetter(number)))
                    .isEqualTo(bytes("{\"number\":" + number + "}"));
        }
    }

    @Test
    void aStateWithAMemberThatItDoesNotKnowIsLeftToJackson() {
        byte[] one = bytes("{\"amount\":1,\"count\":1,\"open\":true,\"new\":[1,2]}");
        byte[] two = bytes("{\"new\":null,\"amount\":1,\"count\":1,\"open\":true}");
        for (byte[] document : List.of(one, two)) {
            assertThat(bookings().read(document)).isNotNull();
            assertThat(bookings().readAll(document)).isNull();
        }
    }

    @Test
    void writesTheComponentsAndNoGetter() {
        assertThat(flat(WithGetter.class).orElseThrow().write(new WithGetter(4)))
                .isEqualTo(bytes("{\"number\":4}"));
    }

    @Test
    void doesNotWriteWhatTheConstructorWouldRefuseWhenItIsRead() {
        FlatRecord grown = flat(Grown.class).orElseThrow();
        assertThat(grown.write(new Grown(3))).isEqualTo(bytes("{\"size\":3}"));
        assertThat(grown.write(new Grown(4))).isNull();
    }

    @Test
    void writesNothingThatSmallerLimitsWouldRefuseToRead() {
        JsonLimits all = JsonLimits.DEFAULT;
        JsonLimits fewBytes = new JsonLimits(100, 64, 1 << 17, 1 << 17, 1_024, 1_000);
        JsonLimits fewDigits = new JsonLimits(all.bytes(), 64, 1 << 17, 1 << 17, 1_024, 50);
        Booking large = booking("y".repeat(200), null);
        Booking exact = booking(null, new BigDecimal("0." + "7".repeat(60)));
        assertThatThrownBy(() -> JsonStateCodec.of(new Json(fewBytes), Booking.class).encode(large))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(
                        () -> JsonStateCodec.of(new Json(fewDigits), Booking.class).encode(exact))
                .isInstanceOf(MalformedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"amount\":1}",
                "{\"amount\":1,\"count\":null,\"open\":true}",
                "{\"amount\":1,\"count\":2147483648,\"open\":true}",
                "{\"amount\":1.5,\"count\":1,\"open\":true}",
                "{\"amount\":\"1\",\"count\":1,\"open\":true}",
                "{\"amount\":1,\"count\":1,\"open\":1}",
                "{\"amount\":1,\"count\":1,\"open\":true,\"owner\":7}",
                "{\"amount\":1,\"count\":1,\"open\":true,\"owner\":{}}",
                "{\"amount\":1,\"count\":1,\"open\":true,\"rate\":\"1\"}"
            })
    void saysNothingWhereARuleOfJacksonsDecides(String json) {
        assertThat(bookings().read(bytes(json))).isNull();
    }

    @Test
    void saysNothingWhereTheRecordRefuses() {
        FlatRecord positive = flat(Positive.class).orElseThrow();
        assertThat(positive.read(bytes("{\"amount\":-1}"))).isNull();
        assertThatThrownBy(
                        () ->
                                JsonValueFormat.of(Positive.class)
                                        .decode(
                                                bytes("{\"amount\":-1}"),
                                                SampleMessages.tombstone()))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("negative");
    }

    @Test
    void doesNotWriteWhatNeedsALookAtItsCharacters() {
        for (String owner : List.of("\"", "\\", "\n", "\u007f", "\u00e9", "\ud800", "\u0000")) {
            assertThat(bookings().write(booking(owner, null))).isNull();
        }
        assertThat(bookings().write(booking("y".repeat(70_000), null))).isNull();
        assertThat(bookings().write(booking(null, new BigDecimal("1e200000")))).isNull();
        assertThat(bookings().write(booking(null, new BigDecimal("1e-30")))).isNull();
    }

    private static Booking booking(@Nullable String owner, @Nullable BigDecimal rate) {
        return new Booking(1, 1L, 1, true, true, owner, rate);
    }

    @Test
    void writesAndReadsAsJacksonDoes() {
        Random random = new Random(11);
        JavaType type = Json.standard().type(Booking.class);
        ObjectReader reader = Json.standard().messageReader(type);
        ObjectReader states = Json.standard().stateReader(type);
        for (int i = 0; i < 5_000; i++) {
            Booking booking =
                    new Booking(
                            random.nextLong() >> random.nextInt(64),
                            random.nextBoolean() ? null : random.nextLong() >> random.nextInt(64),
                            random.nextInt(),
                            random.nextBoolean(),
                            random.nextBoolean() ? null : random.nextBoolean(),
                            random.nextBoolean() ? null : "owner " + random.nextInt(),
                            random.nextBoolean()
                                    ? null
                                    : BigDecimal.valueOf(random.nextLong(), random.nextInt(9)));
            byte[] document = Json.standard().writer(type).writeValueAsBytes(booking);
            byte[] written = bookings().write(booking);
            if (written != null) {
                assertThat(written).isEqualTo(document);
            }
            Object read = bookings().read(document);
            assertThat(read == null ? reader.readValue(document) : read).isEqualTo(booking);
            assertThat(bookings().readAll(document)).isEqualTo(read);
            assertThat(states.<Object>readValue(document)).isEqualTo(booking);
        }
    }

    @Test
    void neverTakesADamagedDocumentForAnotherOne() {
        JavaType type = Json.standard().type(Booking.class);
        ObjectReader reader = Json.standard().messageReader(type);
        ObjectReader states = Json.standard().stateReader(type);
        byte[] whole =
                bytes(
                        "{\"amount\":15,\"limit\":20,\"count\":3,\"open\":true,\"checked\":false,"
                                + "\"owner\":\"Ada\",\"rate\":1.50,\"new\":[1,2]}");
        byte[] state = Arrays.copyOf(whole, whole.length - ",\"new\":[1,2]}".length() + 1);
        state[state.length - 1] = '}';
        byte[] replacements = bytes("{}[]\",:0123456789-.eE tfn\\x");
        assertThat(taken(whole, replacements, bookings()::read, reader)).isGreaterThan(1_000);
        assertThat(taken(state, replacements, bookings()::readAll, states)).isGreaterThan(500);
    }

    /** How many damaged documents are still taken: each as Jackson takes it. */
    private static int taken(
            byte[] whole,
            byte[] replacements,
            Function<byte[], @Nullable Object> read,
            ObjectReader jackson) {
        Random random = new Random(13);
        int taken = 0;
        for (int i = 0; i < 8_000; i++) {
            byte[] document = whole.clone();
            document[random.nextInt(document.length)] =
                    replacements[random.nextInt(replacements.length)];
            Object found = read.apply(document);
            if (found != null) {
                taken++;
                assertThat(found).isEqualTo(jackson(jackson, document));
            }
        }
        return taken;
    }

    private static Object jackson(ObjectReader reader, byte[] document) {
        try {
            return reader.readValue(document);
        } catch (JacksonException e) {
            return e;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
