package dev.envelope.integration.simulation;

import java.io.IOException;
import java.net.ConnectException;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * The registry of schemas that decoders ask. At times it is away, does not answer for a while, or
 * answers in a way of which nobody can tell what it means.
 *
 * <p>Threads: one thread.
 */
final class Registry {

    private static final long MILLIS = 1_000_000;

    private enum Trouble {
        AWAY,
        HANGING,
        UNCLEAR
    }

    private final World world;
    private final RandomGenerator random;
    private Trouble trouble = Trouble.AWAY;
    private long troubledUntil;

    Registry(World world) {
        this.world = world;
        this.random = world.random();
    }

    void plan() {
        world.plan(world.faults().occurrences(1, 3), this::begin);
    }

    private void begin() {
        trouble = Trouble.values()[random.nextInt(Trouble.values().length)];
        troubledUntil = world.scheduler().now() + (50 + random.nextInt(4_000)) * MILLIS;
    }

    /** It serves from now on. */
    void mend() {
        troubledUntil = 0;
    }

    /** A request of a process for one schema: comes back, late perhaps, or throws. */
    void ask(SimInstance process, int schema) {
        world.scheduler().block(100_000L + random.nextInt(3_000_000));
        process.gate();
        if (world.scheduler().now() >= troubledUntil) {
            return;
        }
        switch (trouble) {
            case AWAY -> {
                world.faults().landed(Fault.DECODER_OUT);
                throw away(schema);
            }
            case HANGING -> {
                world.faults().landed(Fault.DECODER_HANGS);
                long until = troubledUntil;
                world.scheduler().runUntil(until, () -> troubledUntil != until);
                process.gate();
                if (random.nextBoolean()) {
                    throw new SerializationException(new java.net.SocketTimeoutException("read"));
                }
            }
            case UNCLEAR -> {
                world.faults().landed(Fault.DECODER_UNCLEAR);
                throw new SerializationException("schema " + schema, new IOException("no answer"));
            }
        }
    }

    private RuntimeException away(int schema) {
        return switch (random.nextInt(3)) {
            case 0 -> new TimeoutException("schema " + schema);
            case 1 -> new SerializationException("schema " + schema, new ConnectException());
            default -> new SerializationException("schema " + schema, new Status(503));
        };
    }

    /** What a client throws for an HTTP status, as several of them do. */
    static final class Status extends IOException {

        private static final long serialVersionUID = 1L;

        private final int status;

        Status(int status) {
            super("HTTP " + status);
            this.status = status;
        }

        /** Found by its name, as in the exceptions of clients that nobody has on the class path. */
        public int getStatus() {
            return status;
        }
    }
}
