package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.ForwardingTurn;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.Outcome.Waiting;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Turn;
import dev.envelope.idempotency.store.Snapshot;
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

    private record Of(String process, String key, PartitionEpoch epoch, Waiting.Why why) {}

    /** How long a key has been seen to wait; the engine began to count between the first two. */
    private record Wait(long offset, long second, long last) {

        private static final long NONE = -1;

        static Wait first(long offset) {
            return new Wait(offset, NONE, NONE);
        }

        Wait again(long now) {
            return new Wait(offset, second == NONE ? now : second, now);
        }

        boolean isOver(Duration patience) {
            return second != NONE && last - second > patience.toNanos();
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
                    waits(process, envelopes().get(envelope), waiting, patience);
                }
            }
        };
    }

    private void waits(SimInstance by, Envelope envelope, Waiting waiting, Patience patience) {
        Message message = envelope.messages().get(waiting.saved());
        Of of = new Of(by.name(), envelope.key(), message.epoch(), waiting.why());
        Wait before = waits.get(of);
        if (before == null || before.offset() != message.offset()) {
            waits.put(of, Wait.first(message.offset()));
            if (waiting.why() == Waiting.Why.OTHER_VERSION) {
                world.faults().landed(Fault.OTHER_VERSION);
            }
            return;
        }
        if (waiting.why() == Waiting.Why.OTHER_VERSION && before.isOver(patience.otherVersion())) {
            world.checks().fail("patience", by.name() + " waits for too long at " + message);
        }
        waits.put(of, before.again(world.scheduler().now()));
    }
}
