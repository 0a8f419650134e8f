package dev.envelope.idempotency.command;

import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.dedupe.Marks;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Which logs the numbers in marks mean. They are read again when an unknown number comes, or when
 * the brokers' topics have changed.
 *
 * <p>Threads: one thread.
 */
final class Sources {

    /** How old what was read may be where it is asked for again and again. */
    static final long OLD = Duration.ofSeconds(1).toNanos();

    private final Checkpoints checkpoints;
    private final TopicsNow topics;
    private final LongSupplier nanoTime;
    private long readAt;
    private boolean wasRead;
    private Map<String, Topic> asOf = Map.of();

    /** By number; empty for those of topics that are not read any more. */
    private final Map<Integer, Optional<Source>> known = new HashMap<>();

    Sources(Checkpoints checkpoints, TopicsNow topics, LongSupplier nanoTime) {
        this.checkpoints = checkpoints;
        this.topics = topics;
        this.nanoTime = nanoTime;
    }

    /** Learns the sources of all these marks. May block. */
    void learn(Collection<Marks> marks) {
        Map<String, Topic> now = topics.all();
        if (!now.equals(asOf)) {
            known.clear();
            asOf = now;
        }
        if (marks.stream().anyMatch(this::hasUnknown)) {
            read();
            marks.forEach(
                    it ->
                            it.forEach(
                                    (source, next) -> known.putIfAbsent(source, Optional.empty())));
        }
    }

    private boolean hasUnknown(Marks marks) {
        return marks.size() > 0 && marks.of(source -> !known.containsKey(source)).size() > 0;
    }

    private void read() {
        readAt = nanoTime.getAsLong();
        wasRead = true;
        checkpoints
                .read(topics.names())
                .sources()
                .forEach(it -> known.put(it.number(), Optional.of(it)));
    }

    /** A source that was learnt. */
    Optional<Source> find(int number) {
        return known.getOrDefault(number, Optional.empty());
    }

    /** Whether it is of a topic that the brokers have now. */
    boolean isPresent(Source source) {
        Topic now = asOf.get(source.partition().topic());
        return now != null && now.id().equals(source.topicId());
    }

    /** All sources of the present topic of that name. */
    Collection<Source> of(String name, Topic topic) {
        return known.values().stream()
                .flatMap(Optional::stream)
                .filter(it -> it.partition().topic().equals(name))
                .filter(it -> it.topicId().equals(topic.id()))
                .toList();
    }

    /**
     * Whether the database knew a topic of that name only under other ids, a second ago at most.
     * May block.
     */
    boolean isRecreated(String name, Topic topic) {
        if (!wasRead || nanoTime.getAsLong() - readAt >= OLD) {
            read();
        }
        return of(name, topic).isEmpty()
                && known.values().stream()
                        .flatMap(Optional::stream)
                        .anyMatch(it -> it.partition().topic().equals(name));
    }
}
