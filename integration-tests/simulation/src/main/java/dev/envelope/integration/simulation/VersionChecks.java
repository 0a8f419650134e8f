package dev.envelope.integration.simulation;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Outcome.Waiting;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must hold while versions of the handler run beside each other, and while whoever decodes is
 * away: no save drops what another version has written, and no key waits for longer than its
 * process has patience.
 *
 * <p>Threads: one thread.
 */
final class VersionChecks {

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private record Of(String process, String key, PartitionEpoch epoch) {}

    /** How long a key has been seen to wait; the engine began to count between the first two. */
    private record Wait(Doing why, long offset, long second, long last, int over) {

        private static final long NONE = -1;

        /** A key that has stopped comes again when it loses messages of another partition. */
        private static final int MOST_BEYOND = 1;

        static Wait first(Doing why, long offset) {
            return new Wait(why, offset, NONE, NONE, 0);
        }

        Wait again(long now, Duration patience) {
            boolean isOver = second != NONE && last - second > patience.toNanos();
            int times = over + (isOver ? 1 : 0);
            return new Wait(why, offset, second == NONE ? now : second, now, times);
        }

        boolean goesOnTooLong() {
            return over > MOST_BEYOND;
        }
    }

    private final World world;
    private final Map<Of, Wait> waits = new HashMap<>();

    VersionChecks(World world) {
        this.world = world;
    }

    /** What goes on with the same messages still knows since when the new version has. */
    void saved(@Nullable Snapshot before, Snapshot after) {
        Trace had = trace(before);
        Trace has = trace(after);
        if (had == null || has == null || !had.isMarked()) {
            return;
        }
        List<String> first = had.places();
        boolean goesOn =
                has.places().size() >= first.size()
                        && has.places().subList(0, first.size()).equals(first);
        if (goesOn && has.since() != had.since()) {
            world.checks().fail("field-dropped", before + " has become " + after);
        }
    }

    private static @Nullable Trace trace(@Nullable Snapshot row) {
        byte[] state = row == null ? null : row.state();
        return state == null ? null : Trace.CODEC.decode(state);
    }

    /** Sees what a process says of the envelopes of a turn. */
    Turn watched(SimInstance process, Turn turn, Patience patience) {
        return new ForwardingTurn(turn) {
            @Override
            public void settle(int envelope, Outcome outcome) {
                super.settle(envelope, outcome);
                if (outcome instanceof Waiting waiting) {
                    waitsForOthers(process, envelopes().get(envelope), waiting, patience);
                } else if (outcome instanceof Outcome.Failed failed) {
                    if (failed.retryable() && !process.isDead()) {
                        Message message =
                                envelopes().get(envelope).messages().get(failed.done().size());
                        world.checks().folds().charged(process, message, failed.cause());
                    }
                    waits.remove(of(process, envelopes().get(envelope)));
                }
            }
        };
    }

    private void waitsForOthers(
            SimInstance by, Envelope envelope, Waiting waiting, Patience patience) {
        if (!Doing.WAITS_FOR_OTHERS.contains(waiting.why())) {
            return;
        }
        Message message = envelope.messages().get(waiting.done().size());
        Of of = of(by, envelope);
        Wait before = waits.get(of);
        boolean isOfBefore =
                before != null
                        && before.offset() == message.offset()
                        && before.why() == waiting.why();
        if (before == null || !isOfBefore) {
            waits.put(of, Wait.first(waiting.why(), message.offset()));
            if (waiting.why() == Doing.OTHER_VERSION) {
                world.faults().landed(Fault.OTHER_VERSION);
            }
            return;
        }
        Duration atMost =
                switch (waiting.why()) {
                    case OTHER_VERSION -> patience.otherVersion();
                    case UNCLEAR -> patience.unclearDecoder();
                    default -> FOR_EVER;
                };
        Wait again = before.again(world.scheduler().now(), atMost);
        waits.put(of, again);
        if (again.goesOnTooLong()) {
            world.checks().fail("patience", by.name() + " waits for too long at " + message);
        }
    }

    private static Of of(SimInstance process, Envelope envelope) {
        return new Of(process.name(), envelope.key(), envelope.first().epoch());
    }
}
