package dev.envelope.integration.bench;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.DistantPort;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What makes a run harder, for all contestants alike.
 *
 * <p>Threads: immutable.
 *
 * @param roundTrip how far away Postgres is; null if there is nothing in between
 * @param hasNeighbour whether something else keeps one of the cores busy
 */
record Hardship(@Nullable Duration roundTrip, boolean hasNeighbour) {

    static final Hardship NONE = new Hardship(null, false);
    static final Hardship NEIGHBOUR = new Hardship(null, true);

    static Hardship away(Duration roundTrip) {
        return new Hardship(roundTrip, false);
    }

    /** Begins, until it is closed. */
    Begun begin(Database database) {
        return new Begun(database, this);
    }

    /**
     * For one run.
     *
     * <p>Threads: one at a time; the flag ends the neighbour.
     */
    static final class Begun implements AutoCloseable {

        private final Database database;
        private final @Nullable DistantPort distant;
        private final AtomicBoolean isOver = new AtomicBoolean();

        private Begun(Database there, Hardship hardship) {
            distant =
                    hardship.roundTrip == null
                            ? null
                            : DistantPort.start(there.port(), hardship.roundTrip);
            database = distant == null ? there : there.at(distant.port());
            if (hardship.hasNeighbour) {
                Thread neighbour = new Thread(this::keepBusy, "neighbour");
                neighbour.setDaemon(true);
                neighbour.start();
            }
        }

        private void keepBusy() {
            while (!isOver.get()) {
                Thread.onSpinWait();
            }
        }

        /** Where contestants find it. */
        Database database() {
            return database;
        }

        @Override
        public void close() {
            isOver.set(true);
            if (distant != null) {
                distant.close();
            }
        }
    }
}
