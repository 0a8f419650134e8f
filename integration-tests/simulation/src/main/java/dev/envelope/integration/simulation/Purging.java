package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.TopicPartition;

/**
 * Whether rows of deleted keys are purged in a seed, and after how long: a second or two, so that
 * messages are read again behind it. No process stands still for that long with a key's messages in
 * its hands, or before it comes to them: that is what an operator has to see to, and so it is seen
 * to here.
 *
 * <p>Threads: one thread.
 */
final class Purging {

    private static final int ONE_TOMBSTONE_IN = 25;

    private record Hand(SimInstance process, String key) {}

    private final World world;
    private final boolean isOn;
    private final Duration retention;
    private final Set<Hand> hands = new HashSet<>();
    private final Map<SimInstance, String> requests = new HashMap<>(); // the keys of the last

    Purging(World world) {
        this.world = world;
        RandomGenerator random = world.random();
        isOn = random.nextInt(3) == 0;
        retention = isOn ? Duration.ofMillis(300 + random.nextInt(2_000)) : Duration.ofDays(30);
    }

    boolean isOn() {
        return isOn;
    }

    /** After which the row of a deleted key may go. */
    Duration retention() {
        return retention;
    }

    /** One message in so many deletes its key. */
    int oneTombstoneIn() {
        return isOn ? ONE_TOMBSTONE_IN / 5 : ONE_TOMBSTONE_IN;
    }

    /** Has a process handle a turn: while it does, it has the keys of it in its hands. */
    void handle(SimInstance process, Turn turn, EnvelopeHandler handler) {
        if (!isOn) {
            handler.handle(turn);
            return;
        }
        for (Envelope envelope : turn.envelopes()) {
            hands.add(new Hand(process, envelope.key()));
        }
        world.checks().purges().turnBegins(turn);
        handler.handle(new Held(process, turn));
    }

    /** A process carries out a request about a key: it has its row in its hands. */
    void carriesOut(SimInstance process, String key) {
        requests.put(process, key);
    }

    /** Whether the row of this key may not go now, be it as old as it likes. */
    boolean isInUse(String key) {
        return world.locks().isHeld(key)
                || world.inFlight().has(key)
                || isStillToCome(key)
                || hands.stream().anyMatch(it -> it.key().equals(key) && it.process().isAtWork())
                || requests.entrySet().stream()
                        .anyMatch(it -> it.getValue().equals(key) && it.getKey().isAtWork());
    }

    /**
     * Whether a process has not come to all messages yet that the row has passed. It may have been
     * positioned before another one passed them, and would not know that they are read again.
     */
    private boolean isStillToCome(String key) {
        Map<TopicPartition, NextOffset> passed = new HashMap<>();
        Map<Integer, NextOffset> marks = RowChecks.marks(world.database().row(key));
        for (Source source : world.database().sources()) { // of a partition the present one is last
            passed.put(
                    source.partition(),
                    marks.getOrDefault(source.number(), new NextOffset(0, NextOffset.NO_EPOCH)));
        }
        return world.processes().alive().stream()
                .flatMap(it -> it.partitions().stream())
                .anyMatch(
                        it ->
                                passed.containsKey(it.partition())
                                        && it.firstUnacked() < passed.get(it.partition()).offset());
    }

    /** What is not settled, a fold that was left behind or a row that is waited for, stays held. */
    private final class Held extends ForwardingTurn {

        private final SimInstance process;

        Held(SimInstance process, Turn turn) {
            super(turn);
            this.process = process;
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            hands.remove(new Hand(process, envelopes().get(envelope).key()));
            super.settle(envelope, outcome);
        }
    }
}
