package dev.envelope.idempotency.output;

import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends batches of outputs to Kafka, each with a number.
 *
 * <p>Threads: one thread, the relay's; may block, within its own timeouts.
 */
public interface OutputSender extends AutoCloseable {

    /**
     * The transactional ids under which batches are sent since the last {@link #open}; empty for
     * delivery at least once.
     */
    List<String> ids();

    /**
     * Makes ready for batches, under ids that were never used before, and commits {@code number}
     * under each of them: so an id for which Kafka has no number has lost it. Call it while no
     * batch is open, at first and after each {@link Unknown}, and record {@link #ids} before the
     * first batch.
     *
     * @throws UnavailableException if Kafka does not answer, or refuses it; then call it again
     */
    void open(long number);

    /**
     * Begins a batch. One batch at a time.
     *
     * @throws Unknown if no batch can be begun under these ids any more, for example because
     *     another relay has fenced them
     */
    Batch begin();

    /**
     * The highest number that was committed under any of these ids. They are fenced first: whoever
     * used them commits nothing more.
     *
     * @return empty if Kafka has lost that of one of them
     * @throws UnavailableException if Kafka does not answer, or refuses it; then ask again
     */
    OptionalLong committed(List<String> ids);

    /**
     * Whether it may send the outputs of relays that are gone. One that drops them may not: they
     * were to be sent.
     */
    default boolean maySendForOthers() {
        return true;
    }

    /** Aborts what is in flight, without waiting. */
    @Override
    void close();

    /** A batch that was begun. It ends with {@link #commit} or {@link #abort}. */
    interface Batch {

        /**
         * Begins to send all records of the batch, in order; says in {@link #commit} if it fails.
         */
        void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records);

        /**
         * Commits the records and the number, all or nothing. With delivery at least once, records
         * may have arrived even if nothing counts as sent.
         *
         * @return empty if all is committed. Otherwise why Kafka refuses some records, by index,
         *     and nothing counts as sent: the batch without them can be sent again at once.
         * @throws UnavailableException if nothing is committed and it is no record's fault; the
         *     same batch can be sent again later
         * @throws Unknown if it may be committed or not
         */
        Map<Integer, String> commit(long number);

        /**
         * Ends the batch; nothing of it is committed.
         *
         * @throws Unknown if no further batch can be begun under these ids
         */
        void abort();
    }

    /**
     * Whether a batch is committed is not known, or it is certain that no other batch can be sent
     * under these ids. Ask {@link #committed}, then {@link #open} again.
     */
    final class Unknown extends RuntimeException {

        private static final long serialVersionUID = 1L;

        public Unknown(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
