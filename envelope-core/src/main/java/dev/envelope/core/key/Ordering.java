package dev.envelope.core.key;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Which records are handled one after the other: those of one row key.
 *
 * @param by what decides
 * @param neighbours with {@link By#NONE}, how many records of a partition, one behind the other,
 *     are handled by one worker, and may be in one envelope
 */
public record Ordering(By by, int neighbours) {

    /** Those with the same key. */
    public static final Ordering KEY = new Ordering(By.KEY, 1);

    /** All of a partition. */
    public static final Ordering PARTITION = new Ordering(By.PARTITION, 1);

    /** None: each record is by itself. */
    public static final Ordering NONE = new Ordering(By.NONE, 1);

    /** What decides. */
    public enum By {
        KEY,
        PARTITION,
        NONE
    }

    public Ordering {
        if (neighbours < 1) {
            throw new IllegalArgumentException("a record is always with itself");
        }
    }

    /** The same for handlers that take up to so many messages at a time. */
    public Ordering inBatchesOf(int most) {
        return by == By.NONE ? new Ordering(by, most) : this;
    }

    /** Whether the record's own key decides. */
    boolean isByKey() {
        return by == By.KEY;
    }

    /** The row key, where it is not the record's own key that decides. */
    @Nullable String placeOf(ConsumerRecord<?, ?> record) {
        return switch (by) {
            case KEY -> null;
            case PARTITION -> record.topic() + '-' + record.partition();
            case NONE ->
                    record.topic()
                            + '-'
                            + record.partition()
                            + '@'
                            + (record.offset() - record.offset() % neighbours);
        };
    }
}
