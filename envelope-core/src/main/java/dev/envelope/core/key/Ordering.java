package dev.envelope.core.key;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Which records are handled one after the other: those of one row key. */
public enum Ordering {
    /** Those with the same key. */
    KEY,
    /** All of a partition. */
    PARTITION,
    /** None: each record is by itself. */
    NONE;

    /** The row key, where it is not the record's own key that decides. */
    @Nullable String placeOf(ConsumerRecord<?, ?> record) {
        return switch (this) {
            case KEY -> null;
            case PARTITION -> record.topic() + '-' + record.partition();
            case NONE -> record.topic() + '-' + record.partition() + '@' + record.offset();
        };
    }
}
