package dev.envelope.core.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;

class WindowTest {

    private static final long MIB = 1L << 20;
    private static final long MOST = 384 * MIB;
    private static final long MESSAGE = 350;
    private static final long MILLIS = 1_000_000;

    private long messages;
    private double rows;
    private long now;
    private final Window window = new Window(MOST, () -> messages, () -> (long) rows, () -> now);

    /**
     * Has the work go through full windows for some seconds.
     *
     * @param merged how many messages a row has, by the messages that wait
     */
    private void work(int seconds, long messagesPerMilli, LongToDoubleFunction merged) {
        for (int milli = 0; milli < 1_000 * seconds; milli++) {
            long waiting = window.bytes() / MESSAGE;
            messages += messagesPerMilli;
            rows += messagesPerMilli / merged.applyAsDouble(waiting);
            now += MILLIS;
            window.turn(waiting, true);
        }
    }

    @Test
    void uniqueKeysNeedNoWindowThatMergesThem() {
        work(20, 120, waiting -> 1);

        assertThat(window.bytes()).isEqualTo(Window.LEAST_BYTES);
    }

    @Test
    void fewKeysMergeInASmallOneAsWell() {
        work(20, 500, waiting -> waiting / 1_000.0);

        assertThat(window.bytes()).isEqualTo(Window.LEAST_BYTES);
    }

    @Test
    void itGrowsForAsLongAsMoreIsMerged() {
        work(20, 200, waiting -> 1 + waiting / 100_000.0);

        assertThat(window.bytes()).isEqualTo(MOST);
    }

    @Test
    void itShrinksWhenLessWouldDo() {
        work(20, 200, waiting -> 1 + waiting / 100_000.0);

        work(20, 500, waiting -> waiting / 1_000.0);

        assertThat(window.bytes()).isEqualTo(Window.LEAST_BYTES);
    }

    @Test
    void slowWorkGetsAllOfIt() {
        work(20, 1, waiting -> 1);

        assertThat(window.bytes()).isEqualTo(MOST);
    }

    @Test
    void whatIsNeverFullStaysAsItIs() {
        for (int milli = 0; milli < 20_000; milli++) {
            messages += 1;
            rows += 1;
            now += MILLIS;
            window.turn(5_000, false);
        }

        assertThat(window.bytes()).isEqualTo(Window.LEAST_BYTES);
    }

    @Test
    void aSmallBudgetIsAllUsed() {
        Window small = new Window(MIB, () -> messages, () -> (long) rows, () -> now);

        small.turn(10, true);

        assertThat(small.bytes()).isEqualTo(MIB);
    }
}
