package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;

/**
 * The sources and checkpoints of a database in memory.
 *
 * <p>Threads: thread-safe (the database is).
 */
public class InMemoryCheckpoints implements Checkpoints {

    private final InMemoryDatabase database;

    public InMemoryCheckpoints(InMemoryDatabase database) {
        this.database = database;
    }

    @Override
    public Bearings read(Set<String> topics) {
        synchronized (database) {
            List<Source> found =
                    database.sources().stream()
                            .filter(source -> topics.contains(source.partition().topic()))
                            .toList();
            return new Bearings(database.incarnation(), found);
        }
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        synchronized (database) {
            database.introduce(sources);
            return read(
                    sources.stream()
                            .map(source -> source.partition().topic())
                            .collect(Collectors.toSet()));
        }
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        synchronized (database) {
            database.adopt(topic, former, present);
            return read(Set.of(topic));
        }
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        long next = skips.stream().mapToLong(Skip::next).max().orElse(0);
        synchronized (database) {
            save(Map.of(source, new NextOffset(next, NextOffset.NO_EPOCH)), incarnation);
            database.skip(source, skips);
        }
    }

    @Override
    public void settle(int source) {
        database.settle(source);
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        database.raise(nextBySource, incarnation);
        return nextBySource.keySet();
    }

    @Override
    public Pauses pauses() {
        return database.pauses();
    }

    @Override
    public Incarnation incarnation() {
        return database.incarnation();
    }
}
