package dev.envelope.integration.simulation;

import dev.envelope.idempotency.output.FakeTransactions;
import dev.envelope.idempotency.output.FakeTransactions.Fate;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.integration.simulation.SimPartition.Pending;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Whether the handler sets timers in a seed, how firings come into the log, and the clocks of
 * processes that jump.
 *
 * <p>Threads: one thread.
 */
final class SimTimers {

    private static final long MILLIS = 1_000_000;

    /** A firing that a relay has written, and where; there is no log without its topic. */
    private record Written(int index, @Nullable SimPartition log, @Nullable Pending at) {}

    private final World world;
    private final boolean isOn;
    private final int perSecond;
    private final List<Written> undecided = new ArrayList<>();
    private int seen; // of all that relays have written

    /**
     * In some of the seeds with outputs; in half of them a few fire in a second.
     *
     * @param mayEmit whether the handler emits in this seed
     */
    SimTimers(World world, boolean mayEmit) {
        this.world = world;
        RandomGenerator random = world.random();
        isOn = random.nextInt(3) == 0 && mayEmit;
        perSecond = random.nextBoolean() ? 1_000 : 5 + random.nextInt(30);
    }

    /** Whether the handler sets timers. */
    boolean isOn() {
        return isOn;
    }

    /** How many may fire in a second at one process. */
    int perSecond() {
        return perSecond;
    }

    void plan() {
        if (isOn) {
            world.plan(world.faults().occurrences(2, 2), this::jumpClock);
        }
    }

    private void jumpClock() {
        SimInstance process = world.processes().one();
        if (process != null) {
            world.faults().landed(Fault.PROCESS_CLOCK_JUMPED);
            RandomGenerator random = world.random();
            long by = random.nextBoolean() ? random.nextInt(5_000) : TimerRule.JUMP_MILLIS;
            process.jumpClock((random.nextBoolean() ? by : -by) * MILLIS);
        }
    }

    /** Brings what relays have written to the application's topics into the log. */
    void look() {
        if (!isOn) {
            return;
        }
        FakeTransactions kafka = world.outputs().kafka();
        for (; seen < kafka.written(); seen++) {
            ProducerRecord<?, ?> record = kafka.record(seen);
            if (isFiring(record)) {
                undecided.add(written(seen, record));
            }
        }
        undecided.removeIf(it -> isDecided(it, kafka));
    }

    private Written written(int index, ProducerRecord<?, ?> record) {
        Integer number = record.partition();
        SimPartition log =
                world.log()
                        .find(new TopicPartition(record.topic(), Objects.requireNonNull(number)));
        return new Written(index, log, log == null ? null : log.begin());
    }

    private boolean isDecided(Written written, FakeTransactions kafka) {
        Fate fate = kafka.fate(written.index());
        SimPartition log = written.log();
        Pending at = written.at();
        if (fate != Fate.UNDECIDED && log != null && at != null) {
            if (fate == Fate.ABORTED) {
                log.abort(at);
            } else {
                arrive(log, at, kafka.record(written.index()));
            }
        }
        return fate != Fate.UNDECIDED;
    }

    private void arrive(
            SimPartition log,
            Pending at,
            ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        String id = EmittingFold.id(record);
        SimRecord origin = world.log().find(EmittingFold.placeOfSetter(id));
        long time = Producers.BEGINNING_MILLIS + world.scheduler().now() / MILLIS;
        SimRecord made = log.commit(at, origin == null ? null : origin.key(), record, time);
        world.checks().timers().arrived(id, made, log);
    }

    static boolean isFiring(ProducerRecord<?, ?> record) {
        return record.headers().lastHeader(Firing.NAME) != null;
    }

    /** The name of the timer whose firing has these headers. */
    static String nameOf(Headers headers) {
        Header name = Objects.requireNonNull(headers.lastHeader(Firing.NAME));
        return new String(name.value(), StandardCharsets.UTF_8);
    }
}
