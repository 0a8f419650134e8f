package dev.envelope.idempotency.store.operator;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an operator sees the outputs that wait for Kafka, and decides on those that it has refused.
 *
 * <p>Threads: one thread.
 */
public interface OutputCatalog extends Catalog {

    /** What waits for a topic; since is when the first of it was saved. */
    record Topic(String topic, long outputs, long refused, Instant since) {}

    /**
     * What waits.
     *
     * @param isTended whether a process that sends outputs was seen within some seconds
     */
    record Waiting(List<Topic> topics, boolean isTended) {}

    /**
     * An output that Kafka has refused, or that waits with one: later outputs of the same save, key
     * and topic have the same position.
     *
     * @param key of the output, as text
     * @param message that it comes from: topic-partition@offset
     */
    record Refused(
            long position,
            String topic,
            @Nullable String key,
            @Nullable String message,
            String why,
            Instant since,
            int tries) {}

    /**
     * What became of a decision.
     *
     * @param outputs how many it was carried out for
     * @param underWay how many are in a batch that is being sent, and were left alone
     */
    record Done(long outputs, long underWay) {}

    /** What waits, by topic; at most so many saves are counted. */
    Waiting waiting(int mostSaves);

    /** The first refused outputs behind a position. */
    List<Refused> refused(long after, int most);

    /**
     * Has refused outputs sent with the next batch, as if they had never been refused.
     *
     * @param position null for all
     */
    Done retry(@Nullable Long position, String who);

    /** Deletes the refused outputs at a position: they are never sent. */
    Done drop(long position, String who);
}
