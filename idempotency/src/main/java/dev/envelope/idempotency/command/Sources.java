package dev.envelope.idempotency.command;

import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.place.KnownSources.Known;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
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

    private final Function<Set<String>, Known> reads;
    private final TopicsNow topics;
    private final LongSupplier nanoTime;
    private long readAt;
    private boolean wasRead;
    private String lacking = "";
    private Map<String, Topic> asOf = Map.of();

    /** By number; empty for those of topics that are not read any more. */
    private final Map<Integer, Optional<Source>> known = new HashMap<>();

    /**
     * @param reads the sources of topics; may block
     */
    Sources(Function<Set<String>, Known> reads, TopicsNow topics, LongSupplier nanoTime) {
        this.reads = reads;
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
        Known read = reads.apply(topics.names());
        lacking = read.lacking();
        read.sources().forEach(it -> known.put(it.number(), Optional.of(it)));
    }

    /**
     * The place that has not told yet of all sources; empty if all are known that there were when
     * an unknown number came last. May block.
     */
    String lacking() {
        if (!lacking.isEmpty()) {
            read();
        }
        return lacking;
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
