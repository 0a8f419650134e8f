package dev.envelope.integration.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;

/**
 * What runs beside the consumer of a process, as {@code Recurring} runs it: at once while there is
 * more to do, or after a pause. A loop ends only between two turns, and does its last task then.
 *
 * <p>Threads: one thread.
 */
final class SimLoops {

    /** One of them. */
    private final class Loop {

        private final long pauseNanos;
        private final BooleanSupplier turn;
        private final Runnable atEnd;
        private boolean isUnderWay;
        private boolean hasEnded;

        Loop(long pauseNanos, BooleanSupplier turn, Runnable atEnd) {
            this.pauseNanos = pauseNanos;
            this.turn = turn;
            this.atEnd = atEnd;
        }

        void run() {
            if (hasEnded) {
                return;
            }
            isUnderWay = true;
            boolean goesOn;
            try {
                goesOn = turn.getAsBoolean();
            } finally {
                isUnderWay = false;
            }
            if (isClosing) {
                end();
            } else {
                later.accept(this::run, goesOn ? 0 : pauseNanos);
            }
        }

        void close() {
            if (!isUnderWay) {
                end();
            }
        }

        private void end() {
            if (!hasEnded) {
                hasEnded = true;
                atEnd.run();
                open.remove(this);
                if (open.isEmpty()) {
                    whenAllHaveEnded.run();
                }
            }
        }
    }

    private final ObjLongConsumer<Runnable> later;
    private final Runnable whenAllHaveEnded;
    private final List<Loop> open = new ArrayList<>();
    private boolean isClosing;

    /**
     * @param later runs a task of the process after so many nanoseconds
     */
    SimLoops(ObjLongConsumer<Runnable> later, Runnable whenAllHaveEnded) {
        this.later = later;
        this.whenAllHaveEnded = whenAllHaveEnded;
    }

    void start(long pauseNanos, BooleanSupplier turn) {
        start(pauseNanos, turn, () -> {});
    }

    /**
     * @param atEnd the last task, behind the last turn
     */
    void start(long pauseNanos, BooleanSupplier turn, Runnable atEnd) {
        Loop loop = new Loop(pauseNanos, turn, atEnd);
        open.add(loop);
        later.accept(loop::run, pauseNanos);
    }

    /** Ends all of them; one that is in the middle of a turn ends behind that. */
    void close() {
        isClosing = true;
        List.copyOf(open).forEach(Loop::close);
    }
}
