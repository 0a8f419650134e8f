package dev.envelope.integration.stack.proxy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** What a network does to the connections that go through it. */
public sealed interface NetworkFault {

    /** Nothing is wrong. */
    NetworkFault NONE = new None();

    /** What becomes of bytes that have just been read. */
    Treatment treat(Passing passing);

    /**
     * Bytes that have just been read.
     *
     * @param before how many went this way on this connection since the fault began
     * @param requests what the client's bytes complete, as the {@link Wire} describes it
     */
    record Passing(Direction direction, long before, int length, List<String> requests) {}

    /** Everything goes through at once. */
    record None() implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return Treatment.FORWARD;
        }
    }

    /** Every piece that is read waits, {@code least} and up to {@code jitter} more. */
    record Delay(Duration least, Duration jitter) implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            long more = ThreadLocalRandom.current().nextLong(jitter.toNanos() + 1);
            return new Treatment.Forward(least.plusNanos(more));
        }
    }

    /**
     * Nothing is read any more, so that senders fill their buffers and block; healed, it goes on.
     */
    record Stall() implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return Treatment.HOLD;
        }
    }

    /**
     * Connections are accepted and what is sent is read, but nobody ever answers; healed, a
     * connection that has lost something is reset.
     */
    record BlackHole() implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return Treatment.SWALLOW;
        }
    }

    /** Every connection is reset (RST): those that there are at once, a new one when it is made. */
    record Reset() implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return new Treatment.CutAfter(0);
        }
    }

    /** Nobody listens; connections that there are go on. */
    record Refuse() implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return Treatment.FORWARD;
        }
    }

    /** One direction is closed, the other goes on. */
    record HalfClose(Direction direction) implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return passing.direction() == direction ? Treatment.SWALLOW : Treatment.FORWARD;
        }
    }

    /** Both sides are reset when {@code bytes} more have gone in one direction. */
    record CutAfter(Direction direction, long bytes) implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            return passing.direction() == direction && passing.before() + passing.length() >= bytes
                    ? new Treatment.CutAfter((int) Math.max(0, bytes - passing.before()))
                    : Treatment.FORWARD;
        }
    }

    /**
     * A request that {@code wanted} says yes to goes out and is carried out; its reply is lost, and
     * both sides are reset.
     *
     * <p>It is asked once for each request, so it may count.
     */
    record LoseReply(Predicate<String> wanted) implements NetworkFault {
        @Override
        public Treatment treat(Passing passing) {
            boolean lose = false;
            for (String request : passing.requests()) {
                lose |= wanted.test(request);
            }
            return lose ? Treatment.LOSE_REPLY : Treatment.FORWARD;
        }
    }
}
