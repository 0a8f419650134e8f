package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.util.Collection;
import java.util.Comparator;
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

    /** How many may die of it where nothing else goes wrong: two that have it count one death. */
    private static final int MOST = 2 * ENOUGH;

    /** Where a message is, and in which slot that is known. */
    private record Place(int slot, int source, long offset) implements Comparable<Place> {

        private static final Comparator<Place> ORDER =
                Comparator.comparingInt(Place::slot)
                        .thenComparingInt(Place::source)
                        .thenComparingLong(Place::offset);

        @Override
        public int compareTo(Place other) {
            return ORDER.compare(this, other);
        }
    }

    private Place place(Message message) {
        return new Place(
                world.division().slots().slotOf(message.key()),
                message.epoch().source(),
                message.offset());
    }

    private final World world;
    private final Map<Place, Integer> times = new TreeMap<>();
    private final Map<Integer, String> stopped = new TreeMap<>();
    private final Map<SimInstance, Set<Place>> counted = new HashMap<>(); // in its life
    private final Map<Place, Integer> ends = new HashMap<>();
    private final Map<Place, Integer> lately = new HashMap<>(); // deaths, with nothing else wrong

    SimBooks(World world) {
        this.world = world;
    }

    /** The first of the two as a process sees it. */
    CrashStore crashes(SimInstance process, SimStore network) {
        return new CrashStore() {
            @Override
            public List<Suspect> suspects() {
                return network.call(() -> suspectsOf(network.slot()));
            }

            @Override
            public void count(Collection<Message> messages) {
                network.call(() -> countNow(process, messages));
            }

            @Override
            public void countUpTo(Message message, int most) {
                network.call(() -> countUpToNow(process, place(message), most));
            }

            @Override
            public void forget(Message message) {
                network.call(() -> forgetNow(place(message)));
            }
        };
    }

    /** What a checkpoint has passed is done, whoever did it. */
    private List<CrashStore.Suspect> suspectsOf(int slot) {
        for (Source source : world.database().sources()) {
            times.keySet()
                    .removeIf(
                            it ->
                                    it.source() == source.number()
                                            && it.offset() < source.checkpoint().offset());
        }
        return times.entrySet().stream()
                .filter(it -> it.getKey().slot() == slot)
                .map(
                        it ->
                                new CrashStore.Suspect(
                                        it.getKey().source(), it.getKey().offset(), it.getValue()))
                .toList();
    }

    private boolean countNow(SimInstance process, Collection<Message> messages) {
        for (Message message : messages) {
            times.merge(place(message), 1, Integer::sum);
            counted.computeIfAbsent(process, it -> new HashSet<>()).add(place(message));
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
        Place place = place(message);
        long lives = counted.values().stream().filter(it -> it.contains(place)).count();
        return ends.getOrDefault(place, 0) + lives >= ENOUGH;
    }

    /** A process is about to die of a message, and can say so. */
    void diesOf(Message message) {
        if (world.faults().areOver() && lately.merge(place(message), 1, Integer::sum) > MOST) {
            world.checks().fail("stall", "process after process dies of " + message);
        }
    }

    /** How long it may take until nobody dies of any message any more. */
    long nanosOfDeaths() {
        return world.log().all().stream()
                        .flatMap(log -> log.records().stream())
                        .filter(it -> SimRecord.isDeadly(it.record().value()))
                        .count()
                * ENOUGH
                * Processes.LONGEST_START_NANOS;
    }

    /** The second of the two as a process sees it. */
    PartitionStops stops(SimStore network) {
        return new PartitionStops() {
            @Override
            public long parked(int source) {
                return network.call(() -> parkedOf(network.slot(), source));
            }

            @Override
            public void stop(int source, String reason) {
                world.faults().landed(Fault.SET_ASIDE_LIMIT);
                network.call(() -> stopped.putIfAbsent(source, reason) == null);
            }
        };
    }

    private long parkedOf(int slot, int source) {
        return world.database().slot(slot).parked().stream()
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

    /** A place has gone back, to when there was nothing of this in it. */
    void forgetAll(int place) {
        Division slots = world.database().division();
        times.keySet().removeIf(it -> slots.placeOf(it.slot()) == place);
        if (slots.placeOf(0) == place) {
            stopped.clear();
        }
    }
}
