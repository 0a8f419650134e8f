package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;

/**
 * What the database knows of messages that processes have died of, and of partitions that stay
 * stopped; and, for the checks, how often processes have really ended beside a message.
 *
 * <p>Threads: one thread.
 */
final class SimBooks {

    /** How many ends are enough for a message to be set aside. */
    private static final int ENOUGH = 3;

    private record Place(int source, long offset) implements Comparable<Place> {

        static Place of(Message message) {
            return new Place(message.epoch().source(), message.offset());
        }

        @Override
        public int compareTo(Place other) {
            return source == other.source
                    ? Long.compare(offset, other.offset)
                    : Integer.compare(source, other.source);
        }
    }

    private final World world;
    private final Map<Place, Integer> times = new TreeMap<>();
    private final Map<Integer, String> stopped = new TreeMap<>();
    private final Map<SimInstance, Set<Place>> counted = new HashMap<>(); // in its life
    private final Map<Place, Integer> ends = new HashMap<>();

    SimBooks(World world) {
        this.world = world;
    }

    /** The first of the two as a process sees it. */
    CrashStore crashes(SimInstance process, SimStore network) {
        return new CrashStore() {
            @Override
            public List<Suspect> suspects() {
                return network.call(SimBooks.this::suspects);
            }

            @Override
            public void count(Collection<Message> messages) {
                network.call(() -> countNow(process, messages));
            }

            @Override
            public void countUpTo(Message message, int most) {
                network.call(() -> countUpToNow(process, Place.of(message), most));
            }

            @Override
            public void forget(Message message) {
                network.call(() -> forgetNow(Place.of(message)));
            }
        };
    }

    /** What a checkpoint has passed is done, whoever did it. */
    private List<CrashStore.Suspect> suspects() {
        for (Source source : world.database().sources()) {
            times.keySet()
                    .removeIf(
                            it ->
                                    it.source() == source.number()
                                            && it.offset() < source.checkpoint().offset());
        }
        return times.entrySet().stream()
                .map(
                        it ->
                                new CrashStore.Suspect(
                                        it.getKey().source(), it.getKey().offset(), it.getValue()))
                .toList();
    }

    private boolean countNow(SimInstance process, Collection<Message> messages) {
        for (Message message : messages) {
            times.merge(Place.of(message), 1, Integer::sum);
            counted.computeIfAbsent(process, it -> new HashSet<>()).add(Place.of(message));
        }
        world.faults().landed(Fault.CRASH_COUNTED);
        return true;
    }

    private boolean countUpToNow(SimInstance process, Place place, int most) {
        times.merge(place, most, Math::max);
        counted.computeIfAbsent(process, it -> new HashSet<>()).add(place);
        world.faults().landed(Fault.CRASH_COUNTED);
        return true;
    }

    private boolean forgetNow(Place place) {
        ends.remove(place);
        counted.values().forEach(it -> it.remove(place));
        return times.remove(place) != null;
    }

    /** A process has ended, however. */
    void ended(SimInstance process) {
        Set<Place> its = counted.remove(process);
        if (its != null) {
            its.forEach(it -> ends.merge(it, 1, Integer::sum));
        }
    }

    /**
     * Whether so many processes have ended while they were at it, or still are: who has counted it
     * and lives on, frozen or without the partition, can't be told from who ended without a word.
     */
    boolean hasKilledEnough(Message message) {
        Place place = Place.of(message);
        long lives = counted.values().stream().filter(it -> it.contains(place)).count();
        return ends.getOrDefault(place, 0) + lives >= ENOUGH;
    }

    /** The second of the two as a process sees it. */
    PartitionStops stops(SimStore network) {
        return new PartitionStops() {
            @Override
            public long parked(int source) {
                return network.call(() -> parkedOf(source));
            }

            @Override
            public void stop(int source, String reason) {
                world.faults().landed(Fault.SET_ASIDE_LIMIT);
                network.call(() -> stopped.putIfAbsent(source, reason) == null);
            }
        };
    }

    private long parkedOf(int source) {
        return world.database().parked().stream()
                .map(ParkedMessage::message)
                .filter(it -> it.epoch().source() == source)
                .count();
    }

    Map<Integer, String> stopped() {
        return Map.copyOf(stopped);
    }

    /** An operator resumes a partition. */
    void resume(TopicPartition partition) {
        world.database().sources().stream()
                .filter(it -> it.partition().equals(partition))
                .forEach(it -> stopped.remove(it.number()));
    }

    /** The database has gone back, to when there was nothing of this in it. */
    void forgetAll() {
        times.clear();
        stopped.clear();
    }
}
