package dev.envelope.integration.simulation;

import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Produces the messages of a seed: few hot keys and many cold ones, tombstones, null keys, bytes
 * that are no message, events sent twice, gaps in the offsets.
 *
 * <p>Threads: one thread.
 */
final class Workload {

    private final SimLog log;
    private final RandomGenerator random;
    private final FaultPlan faults;
    private final int keys;
    private int events;

    Workload(SimLog log, RandomGenerator random, FaultPlan faults) {
        this.log = log;
        this.random = random;
        this.faults = faults;
        this.keys = 1 + random.nextInt(40);
    }

    void produce(long nowMillis) {
        int number = (int) (keys * random.nextDouble() * random.nextDouble());
        String key = "k" + number;
        int partition = number % log.partitionCount();
        String id = "e" + events++;
        byte[] value = value();
        log.append(partition, key(key), value, id, nowMillis);
        faults.counts().produced(1);
        if (faults.happens(Fault.SENT_TWICE)) {
            log.append(partition, key(key), value, id, nowMillis);
            faults.counts().produced(1);
        }
        if (random.nextInt(10) == 0) {
            log.skipOffset(partition);
        }
        if (random.nextInt(50) == 0) {
            log.electLeader();
        }
    }

    private byte @Nullable [] key(String key) {
        return random.nextInt(60) == 0 ? null : key.getBytes(StandardCharsets.UTF_8);
    }

    private byte @Nullable [] value() {
        if (faults.happens(Fault.MALFORMED)) {
            return new byte[] {0x7B};
        }
        return random.nextInt(25) == 0 ? null : ("v" + events).getBytes(StandardCharsets.UTF_8);
    }
}
