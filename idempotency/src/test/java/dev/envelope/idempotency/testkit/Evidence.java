package dev.envelope.idempotency.testkit;

import java.util.List;
import java.util.Map;

/** What became durable, or what Kafka was told. */
public sealed interface Evidence {

    /**
     * A row was saved.
     *
     * @param version after the save
     * @param marks after the save: source → next offset not applied
     * @param instance which process did it
     * @param epoch in which of its assignment epochs
     * @param applied the messages whose effect it added, in the order in which they were folded
     */
    record Saved(
            String key,
            long version,
            Map<Integer, Long> marks,
            String instance,
            long epoch,
            List<Place> applied)
            implements Evidence {

        public Saved {
            marks = Map.copyOf(marks);
            applied = List.copyOf(applied);
        }
    }

    /** A message was recorded in {@code parked}. */
    record Parked(Place place) implements Evidence {}

    /** Kafka has taken a commit: every offset below {@code next} is said to be done. */
    record Committed(int source, long next, String instance, long epoch) implements Evidence {}
}
