package dev.envelope.idempotency.command;

import dev.envelope.idempotency.command.Outcome.Reason;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The log that commands are put into.
 *
 * <p>Threads: {@link #put} and {@link #close} by one thread at a time, which they hold up for some
 * milliseconds at most; the others by any.
 */
public interface CommandLog extends AutoCloseable {

    /** What became of a record. */
    sealed interface Put {

        /** It is in the log. */
        record Written(long offset) implements Put {}

        /** It is not known to be there. */
        sealed interface Failed extends Put {

            /** What its callers are told. */
            Outcome outcome();
        }

        /** It is not, and another try may succeed. */
        record NotWritten(String why) implements Failed {
            @Override
            public Outcome outcome() {
                return new Outcome.Busy(Reason.BROKERS, why);
            }
        }

        /** It is not and can't be. */
        record Refused(String why) implements Failed {
            @Override
            public Outcome outcome() {
                return new Outcome.Refused(why);
            }
        }

        /** It may be or not. */
        record Unknown(String why) implements Failed {
            @Override
            public Outcome outcome() {
                return new Outcome.Unknown(Reason.BROKERS, why);
            }
        }
    }

    /** The name of the topic. */
    String topic();

    /** Why nothing can be put now, as far as is known. */
    Optional<String> trouble();

    /**
     * Puts a command into a partition.
     *
     * @param then is told once, on any thread, also before the return
     * @return false if there was no room for it, after a while; there may be none for others either
     */
    boolean put(int partition, Command command, Consumer<Put> then);

    /** Waits a short while for what is under way, and tells of all that is left. */
    @Override
    void close();
}
