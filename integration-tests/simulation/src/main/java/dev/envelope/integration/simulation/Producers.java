package dev.envelope.integration.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The producers: keyed events, tombstones, repetitions, and bytes that are no message. A key goes
 * to a partition by its number and the number of partitions, as far as its producers know it.
 *
 * <p>Threads: one thread.
 */
final class Producers {

    /** What a producer's clock shows when the seed begins. */
    static final long BEGINNING_MILLIS = 1_000_000_000;

    private static final int EVENTS_PER_SCHEMA = 60;

    private final SimLog log;
    private final RandomGenerator random;
    private final FaultPlan faults;
    private final Formats formats;
    private final BiConsumer<SimRecord, SimPartition> putters;
    private final SimDivision division;
    private final List<String> topics;
    private final Map<String, Integer> knownPartitions = new HashMap<>();
    private final int oneTombstoneIn;
    private final int keys;
    private final Map<SimPartition, SimRecord> commands = new HashMap<>(); // some of them
    private int events;
    private long clockMillis = BEGINNING_MILLIS;

    /**
     * @param world divides keys between partitions, and its callers are told what was put
     */
    Producers(
            SimLog log,
            RandomGenerator random,
            FaultPlan faults,
            Formats formats,
            int oneTombstoneIn,
            World world) {
        this.log = log;
        this.random = random;
        this.faults = faults;
        this.formats = formats;
        this.oneTombstoneIn = oneTombstoneIn;
        this.putters = world.callers()::put;
        this.division = world.division();
        this.topics = List.copyOf(log.topics());
        this.keys = 1 + random.nextInt(40);
        topics.forEach(this::learn);
    }

    /** The producers of a topic learn how many partitions it has. */
    void learn(String topic) {
        knownPartitions.put(topic, log.of(topic).size());
    }

    void jumpClock() {
        clockMillis += (random.nextBoolean() ? 1 : -1) * 3_600_000L;
    }

    /** False if there was no topic to send it to: a producer tries again. */
    boolean produce(long nowMillis) {
        String topic = topics.get(random.nextInt(topics.size()));
        int number = (int) (keys * random.nextDouble() * random.nextDouble());
        int known = Math.min(knownPartitions.getOrDefault(topic, 1), log.of(topic).size());
        if (known == 0) {
            return false;
        }
        int at = division.partitionOf(number, formats.keys().text(number), known);
        SimPartition partition = log.of(topic).get(at);
        int event = events++;
        int schema = 1 + event / EVENTS_PER_SCHEMA + random.nextInt(2);
        boolean hasKey = random.nextInt(60) > 0;
        boolean hasBadKey = hasKey && faults.happens(Fault.BAD_KEY);
        String key = hasKey && !hasBadKey ? formats.keys().text(number) : null;
        byte[] keyBytes = key == null ? null : formats.keys().bytes(number, schema);
        keyBytes = hasBadKey ? formats.keys().bad() : keyBytes;
        byte[] value = value(schema);
        long time = clockMillis + nowMillis;
        SimRecord made = partition.append(key, keyBytes, value, event, time, null);
        faults.counts().produced(1);
        putters.accept(made, partition);
        if (faults.happens(Fault.SENT_TWICE)) {
            partition.append(key, keyBytes, value, event, time, made);
            faults.counts().produced(1);
        }
        commandAgain(partition, made, time);
        if (faults.happens(Fault.OFFSETS_SKIPPED)) {
            partition.skipOffsets(1 + random.nextInt(random.nextInt(8) == 0 ? 30 : 2));
        }
        if (random.nextInt(50) == 0) {
            partition.electLeader();
        }
        return true;
    }

    /** A caller tries again much later; only its answer tells then that it was applied. */
    private void commandAgain(SimPartition partition, SimRecord made, long time) {
        if (SimRecord.command(made) == null) {
            return;
        }
        SimRecord before = commands.get(partition);
        if (before != null && faults.happens(Fault.COMMAND_LATE)) {
            partition.append(
                    before.key(),
                    before.record().key(),
                    before.record().value(),
                    before.number(),
                    time,
                    before);
            faults.counts().produced(1);
        }
        if (!commands.containsKey(partition) || random.nextInt(8) == 0) {
            commands.put(partition, made);
        }
    }

    private byte @Nullable [] value(int schema) {
        if (faults.happens(Fault.MALFORMED)) {
            return random.nextBoolean() ? new byte[] {0x7B} : formats.value("{", schema);
        }
        if (faults.happens(Fault.POISON)) {
            return formats.value("vp" + events, schema);
        }
        if (faults.happens(Fault.DEADLY)) {
            return formats.value("vk" + events, schema);
        }
        if (faults.isDrawn(Fault.ROW_REFUSED)) {
            return formats.value("vr" + events, schema);
        }
        return random.nextInt(oneTombstoneIn) == 0 ? null : formats.value("v" + events, schema);
    }
}
