package dev.envelope.core.offset;

import dev.envelope.core.api.Environment.Parker;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where workers tell the poll thread what became of messages. It holds what was posted until the
 * poll thread books it.
 *
 * <p>Threads: thread-safe (a concurrent queue); only the poll thread takes.
 */
public final class AckInbox {

    /** What a worker has to tell. */
    public sealed interface Notice {

        PartitionEpoch epoch();
    }

    /** These records are durable. */
    public static final class Acked implements Notice {

        private final PartitionEpoch epoch;
        private final long[] sequences;
        private final int count;

        /**
         * @param sequences the first {@code count} of them count; given away
         */
        public Acked(PartitionEpoch epoch, long[] sequences, int count) {
            this.epoch = epoch;
            this.sequences = sequences;
            this.count = count;
        }

        @Override
        public PartitionEpoch epoch() {
            return epoch;
        }

        /** Enters the acks into the ledger of the epoch. */
        public void bookInto(OffsetLedger ledger) {
            for (int i = 0; i < count; i++) {
                ledger.ack(sequences[i]);
            }
        }

        public int count() {
            return count;
        }
    }

    /** A message has failed for the last time, and its partition is to stop. */
    public record Failed(Message message, int attempts, Throwable cause, FailurePolicy.Last policy)
            implements Notice {

        @Override
        public PartitionEpoch epoch() {
            return message.epoch();
        }
    }

    /** A message has waited for so long for what nobody can mend here: its partition is to stop. */
    public record Impatient(Message message, Duration after, Throwable cause) implements Notice {
        @Override
        public PartitionEpoch epoch() {
            return message.epoch();
        }
    }

    /** The database was found in another life than the one that this epoch was positioned in. */
    public record OtherLife(PartitionEpoch epoch) implements Notice {}

    private final Queue<Notice> notices = new ConcurrentLinkedQueue<>();
    private final Parker parker;

    public AckInbox(Parker parker) {
        this.parker = parker;
    }

    /** Any thread. */
    public void post(Notice notice) {
        notices.add(notice);
        parker.unpark();
    }

    /** Poll thread: hands over everything that is there. */
    public void drain(Consumer<Notice> to) {
        for (@Nullable Notice notice = notices.poll(); notice != null; notice = notices.poll()) {
            to.accept(notice);
        }
    }
}
