package dev.envelope.idempotency.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdWindowTest {

    private static final long MINUTE = 60_000;
    private static final long NOW = 1_700_000_000_000L;

    private static IdWindow empty(IdLimits limits) {
        return IdWindow.read(null, limits);
    }

    private static IdLimits aged(int count, Duration age) {
        return new IdLimits(count, age);
    }

    private static IdHash id(long number) {
        return new IdHash(~number, number * 0x9E3779B97F4A7C15L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 31, 32, 33, 64, 10_000})
    void remembersExactlyTheLastIdsThatTheCountGrants(int count) {
        IdWindow window = empty(IdLimits.ofCount(count));
        for (int i = 0; i < 3 * count + 7; i++) {
            assertThat(window.contains(id(i))).isFalse();
            window.add(id(i), NOW + i);
            assertThat(window.contains(id(i))).isTrue();
            int oldest = Math.max(0, i - count + 1);
            assertThat(window.contains(id(oldest))).isTrue();
            assertThat(window.contains(id(oldest - 1))).isFalse();
        }
        assertThat(window.size()).isEqualTo(count);
    }

    @Test
    void keepsAnIdThatComesAgainAtItsOldPlace() {
        IdWindow window = empty(IdLimits.ofCount(2));
        window.add(id(1), NOW);
        window.add(id(2), NOW);
        window.add(id(1), NOW);
        window.add(id(3), NOW);
        assertThat(window.contains(id(1))).isFalse();
        assertThat(window.contains(id(2))).isTrue();
    }

    @Test
    void isNothingInTheRowWhileItIsEmpty() {
        assertThat(empty(IdLimits.ofCount(5)).write()).isNull();
    }

    @Test
    void forgetsByAgeMeasuredInTheTimestampsOfTheRow() {
        IdWindow window = empty(aged(100, Duration.ofMinutes(10)));
        window.add(id(1), NOW);
        for (int i = 2; i <= 20; i++) {
            window.add(id(i), NOW + 11 * MINUTE);
            // One old and one young: the lower median is the old one, which is not too old for
            // itself.
            assertThat(window.contains(id(1))).isEqualTo(i < 3);
        }
        assertThat(window.size()).isEqualTo(19);
    }

    @Test
    void losesNothingToASingleTimestampFromTheFuture() {
        IdWindow window = empty(aged(100, Duration.ofMinutes(10)));
        window.add(id(0), Long.MAX_VALUE);
        for (int i = 1; i <= 50; i++) {
            window.add(id(i), NOW + i);
        }
        window.add(id(51), Long.MAX_VALUE - 1);
        for (int i = 0; i <= 51; i++) {
            assertThat(window.contains(id(i))).as("id %s", i).isTrue();
        }
    }

    @Test
    void countsARecordWithoutATimestampAsOfTheRowsTime() {
        IdWindow window = empty(aged(100, Duration.ofMinutes(10)));
        window.add(id(1), NOW);
        window.add(id(2), NOW);
        window.add(id(3), -1);
        assertThat(window.contains(id(3))).isTrue();
        window.add(id(4), NOW + 9 * MINUTE);
        assertThat(window.contains(id(3))).isTrue();
    }

    @Test
    void forgetsOldOnesAmidYoungOnesToo() {
        IdWindow window = empty(aged(1_000, Duration.ofMinutes(10)));
        for (int i = 0; i < 100; i++) {
            window.add(id(i), i % 2 == 0 ? NOW : NOW + 5 * MINUTE);
        }
        for (int i = 100; i < 300; i++) {
            window.add(id(i), NOW + 14 * MINUTE);
        }
        assertThat(window.contains(id(50))).isFalse();
        assertThat(window.contains(id(51))).isTrue();
        assertThat(window.size()).isEqualTo(250);
    }

    @Test
    void decidesTheSameHoweverTheMessagesAreDividedIntoEnvelopes() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L); // near seeds begin alike
            IdLimits limits =
                    aged(1 + random.nextInt(80), Duration.ofMillis(1 + random.nextInt(2_000)));
            IdWindow whole = empty(limits);
            IdWindow divided = empty(limits);
            Naive naive = new Naive(limits);
            for (int i = 0; i < 400; i++) {
                IdHash id = id(random.nextInt(150));
                long time = random.nextInt(50) == 0 ? -1 : NOW + i * 10L + random.nextInt(1_500);
                assertThat(whole.contains(id)).as("seed %s", seed).isEqualTo(naive.contains(id));
                assertThat(divided.contains(id)).isEqualTo(naive.contains(id));
                whole.add(id, time);
                divided.add(id, time);
                naive.add(id, time);
                if (random.nextInt(10) == 0) {
                    divided = IdWindow.read(divided.write(), limits);
                }
            }
            assertThat(divided.write()).as("seed %s", seed).isEqualTo(whole.write());
            assertThat(whole.size()).isEqualTo(naive.entries.size());
        }
    }

    @Test
    void shrinksWhenTheLimitDoes() {
        IdWindow window = empty(IdLimits.ofCount(100));
        for (int i = 0; i < 100; i++) {
            window.add(id(i), NOW);
        }
        IdWindow narrower = IdWindow.read(window.write(), IdLimits.ofCount(10));
        assertThat(narrower.contains(id(0))).isTrue();
        narrower.add(id(100), NOW);
        assertThat(narrower.size()).isEqualTo(10);
        assertThat(narrower.contains(id(90))).isFalse();
        assertThat(narrower.contains(id(91))).isTrue();
    }

    @Test
    void costsAboutEighteenBytesAnId() {
        IdWindow window = empty(IdLimits.ofCount(IdLimits.MAX_COUNT));
        for (int i = 0; i < IdLimits.MAX_COUNT; i++) {
            window.add(id(i), NOW + i * 100L);
        }
        byte[] row = window.write();
        assertThat(row).isNotNull().hasSizeLessThan(190_000);
    }

    @Test
    void refusesBytesThatItDidNotWrite() {
        IdWindow window = empty(IdLimits.ofCount(3));
        window.add(id(1), NOW);
        byte[] row = window.write();
        assertThat(row).isNotNull();
        byte[] cut = new byte[row.length - 1];
        System.arraycopy(row, 0, cut, 0, cut.length);
        assertRefused(cut);
        assertRefused(new byte[0]);
        byte[] later = row.clone();
        later[0] = 2;
        assertRefused(later);
        byte[] endless = new byte[1 + 16 + 12];
        Arrays.fill(endless, (byte) 0x80);
        endless[0] = 1;
        assertRefused(endless);
    }

    @Test
    void checksItsLimits() {
        assertThatThrownBy(() -> IdLimits.ofCount(0)).hasMessageContaining("1 to 10000");
        assertThatThrownBy(() -> IdLimits.ofCount(10_001)).hasMessageContaining("1 to 10000");
        assertThatThrownBy(() -> new IdLimits(1, Duration.ZERO)).hasMessageContaining("positive");
    }

    private static void assertRefused(byte @Nullable [] row) {
        assertThatThrownBy(() -> IdWindow.read(row, IdLimits.ofCount(3)))
                .isInstanceOf(InvariantViolation.class);
    }

    /** The window as one would write it without a care for time. */
    private static final class Naive {

        record Entry(IdHash id, long time) {}

        final List<Entry> entries = new ArrayList<>();
        private final IdLimits limits;

        Naive(IdLimits limits) {
            this.limits = limits;
        }

        boolean contains(IdHash id) {
            return entries.stream().anyMatch(entry -> entry.id().equals(id));
        }

        void add(IdHash id, long time) {
            if (contains(id)) {
                return;
            }
            long known = time >= 0 ? time : entries.isEmpty() ? 0 : median();
            entries.add(new Entry(id, known));
            Duration age = limits.age();
            if (age != null) {
                long oldest = median() - age.toMillis();
                entries.removeIf(entry -> entry.time() < oldest);
            }
            while (entries.size() > limits.count()) {
                entries.remove(0);
            }
        }

        private long median() {
            long[] times = entries.stream().mapToLong(Entry::time).sorted().toArray();
            return times[(times.length - 1) / 2];
        }
    }
}
