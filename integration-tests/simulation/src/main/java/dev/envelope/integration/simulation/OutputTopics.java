package dev.envelope.integration.simulation;

import dev.envelope.idempotency.output.FakeTransactions;
import dev.envelope.idempotency.output.OutputRoom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The brokers that outputs go to, what befalls them, and how many outputs may wait for them.
 *
 * <p>Threads: one thread.
 */
final class OutputTopics {

    /** A seed is short: what takes four seconds out there takes one second here. */
    static final int SHORTER = 4;

    private static final long MILLIS = 1_000_000;

    /** After this the coordinator ends a transaction. */
    private static final long OLD = 30_000 * MILLIS / SHORTER;

    private static final int STEPS = 5;

    private final Scene world;
    private final OutputWatch watch;
    private final FakeTransactions kafka = new FakeTransactions();
    private final OutputRoom.Limits limits;
    private final boolean isOn;
    private final Map<String, Long> tooLargeUntil = new HashMap<>(); // by id
    private final Deque<Integer> written = new ArrayDeque<>(); // at each of the last steps
    private long awayUntil;

    /**
     * In three seeds of four the handler emits; in half of them a few that wait are enough to keep
     * it waiting.
     *
     * @param mayEmit whether it may in this seed
     */
    OutputTopics(Scene world, OutputWatch watch, boolean mayEmit) {
        this.watch = watch;
        this.world = world;
        RandomGenerator random = world.random();
        isOn = random.nextInt(4) > 0 && mayEmit;
        limits =
                new OutputRoom.Limits(
                        random.nextBoolean() ? 1 + random.nextInt(30) : 100_000, 1 << 30);
        kafka.refuse(this::isTooLarge);
    }

    /** Whether the handler emits. */
    boolean isOn() {
        return isOn;
    }

    void plan() {
        if (isOn) {
            FaultPlan faults = world.faults();
            world.every(OLD / STEPS, this::endOld);
            world.plan(faults.occurrences(2, 2), this::leaveForAWhile);
            world.plan(faults.occurrences(3, 1), this::deleteForAWhile);
            world.plan(faults.occurrences(6, 1), this::loseNumbers);
        }
    }

    /** Of a process that is gone, and that nobody takes over since it has left no rows. */
    private void endOld() {
        written.addLast(kafka.written());
        if (written.size() > STEPS) {
            kafka.timeOut(written.removeFirst());
            watch.look();
        }
    }

    private void leaveForAWhile() {
        world.faults().landed(Fault.OUTPUTS_BROKER_AWAY);
        awayUntil = world.scheduler().now() + (50 + world.random().nextInt(3_000)) * MILLIS;
    }

    private void deleteForAWhile() {
        List<String> topics = EmittingFold.TOPICS;
        String topic = topics.get(world.random().nextInt(topics.size()));
        kafka.delete(topic);
        world.scheduler()
                .after((50 + world.random().nextInt(3_000)) * MILLIS, () -> kafka.create(topic));
    }

    /** The numbers of all batches have expired, or an operator has deleted them. */
    private void loseNumbers() {
        world.faults().landed(Fault.OUTPUTS_NUMBERS_LOST);
        watch.mayRepeat();
        kafka.loseNumbers();
    }

    /** Whether a topic does not take this one, until somebody raises what it takes. */
    private boolean isTooLarge(ProducerRecord<?, byte @Nullable []> record) {
        if (world.faults().areOver()) {
            return false;
        }
        long now = world.scheduler().now();
        String id = EmittingFold.id(record);
        Long until = tooLargeUntil.get(id);
        if (until == null) {
            boolean isLarge = world.faults().happens(Fault.OUTPUT_REFUSED);
            until = isLarge ? now + (200 + world.random().nextInt(5_000)) * MILLIS : now;
            tooLargeUntil.put(id, until);
        }
        return now < until;
    }

    /** Nothing is wrong with them any more. */
    void mend() {
        awayUntil = 0;
        EmittingFold.TOPICS.forEach(kafka::create);
    }

    /** Whether no broker answers now. */
    boolean isAway() {
        return world.scheduler().now() < awayUntil;
    }

    /** Who sees what becomes of outputs. */
    OutputWatch watch() {
        return watch;
    }

    FakeTransactions kafka() {
        return kafka;
    }

    /** How many may wait. */
    OutputRoom.Limits limits() {
        return limits;
    }
}
