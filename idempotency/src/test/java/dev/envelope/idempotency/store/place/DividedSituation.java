package dev.envelope.idempotency.store.place;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.BeforeEach;

/** Two sources of rows that are divided, and a process that may be any of several. */
abstract class DividedSituation {

    static final Uuid TOPIC = new Uuid(1, 1);
    static final NextOffset START = at(10);

    final PlacesInMemory memory = new PlacesInMemory();
    final List<InMemoryDatabase> databases = memory.databases();
    final Set<Integer> away = memory.away();
    final Places places = new Places(PlacesInMemory.DIVISION, memory.all());
    FedSlots fed = new FedSlots(places, new Lives(places.names()));
    Checkpoints checkpoints = process();
    long now;
    int first; // the number of a source
    int second;

    static NextOffset at(long offset) {
        return new NextOffset(offset, 1);
    }

    /** Another process, which knows nothing yet. */
    Checkpoints process() {
        Lives lives = new Lives(places.names());
        fed = new FedSlots(places, lives);
        Reachable reachable = new Reachable(places.names(), () -> now);
        LateSlots late = new LateSlots(fed, lives, () -> now);
        return new DividedCheckpoints(places, fed, lives, reachable, late);
    }

    void pass() {
        now += Duration.ofSeconds(10).toNanos();
    }

    @BeforeEach
    void twoSources() {
        Bearings bearings = checkpoints.introduce(List.of(source(0), source(1)));
        first = find(bearings, 0).number();
        second = find(bearings, 1).number();
    }

    static NewSource source(int partition) {
        return new NewSource(new TopicPartition("orders", partition), TOPIC, START);
    }

    static Source find(Bearings bearings, int partition) {
        return bearings.sources().stream()
                .filter(it -> it.partition().partition() == partition)
                .findAny()
                .orElseThrow();
    }

    long checkpoint(int partition) {
        return find(checkpoints.read(Set.of("orders")), partition).checkpoint().offset();
    }

    void introduce(int source, int slot, NextOffset checkpoint) {
        TopicPartition partition = new TopicPartition("orders", source == first ? 0 : 1);
        fed.introduce(source, partition, slot, checkpoint);
    }

    void raise(int slot, int source, long to) {
        new InMemoryCheckpoints(databases.get(slot))
                .save(Map.of(source, at(to)), databases.get(slot).incarnation());
    }

    long inSlot(int slot, int source) {
        return databases.get(slot).sources().stream()
                .filter(it -> it.number() == source)
                .mapToLong(it -> it.checkpoint().offset())
                .findAny()
                .orElse(-1);
    }

    Incarnation life() {
        return checkpoints.read(Set.of("orders")).incarnation();
    }

    /** Told by a process that has lost the partition, and took it over at its start. */
    void byAnother(int source, int slot) {
        FedSlots ofOther = new FedSlots(places, new Lives(places.names()));
        ofOther.introduce(source, source(source == first ? 0 : 1).partition(), slot, START);
    }
}
