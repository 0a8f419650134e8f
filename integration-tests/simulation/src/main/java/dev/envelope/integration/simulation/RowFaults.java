package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Statements that the database does not carry out: a constraint refuses a row, or they take longer
 * than a statement may. Nothing of such a save is there afterwards.
 *
 * <p>Threads: one thread.
 */
final class RowFaults {

    private static final long MILLIS = 1_000_000;
    private static final long STATEMENT_TIMEOUT = 30 * MILLIS;

    private final World world;
    private final Set<String> refused = new HashSet<>(); // places of what may be in no row
    private long slowUntil;

    RowFaults(World world) {
        this.world = world;
    }

    void plan() {
        world.plan(world.faults().occurrences(3, 2), () -> beSlow(1_500));
    }

    /** For up to so long no statement ends in its time. */
    void beSlow(int millis) {
        slowUntil = world.scheduler().now() + (50 + world.random().nextInt(millis)) * MILLIS;
    }

    /** The handler makes a state of it that a constraint does not allow, until that is lifted. */
    void folded(String place) {
        refused.add(place);
    }

    boolean isRefused(String place) {
        return refused.contains(place) && !world.isHandlerMended();
    }

    /** Whether a constraint may ever have refused it. */
    boolean wasRefused(String place) {
        return refused.contains(place);
    }

    /** A statement that reads. */
    void read() {
        if (isTimeUp()) {
            throw new UnavailableException("canceling statement due to statement timeout");
        }
    }

    /** 57014, of a save: who waits for locks can't tell it from one. */
    void save(Patience patience) {
        if (isTimeUp()) {
            if (patience == Patience.SKIP) {
                throw new UnavailableException("canceling statement due to statement timeout");
            }
            throw new StoreException.RowLocked("statement timeout", new SQLException("57014"));
        }
    }

    private boolean isTimeUp() {
        if (world.scheduler().now() >= slowUntil || world.faults().areOver()) {
            return false;
        }
        world.faults().landed(Fault.STATEMENT_TIMED_OUT);
        world.scheduler().block(STATEMENT_TIMEOUT);
        return true;
    }

    void check(List<Change> changes) {
        changes.forEach(it -> check(it.state()));
    }

    void check(byte @Nullable [] state) {
        if (state == null || refused.isEmpty() || world.isHandlerMended()) {
            return;
        }
        String text = new String(state, StandardCharsets.UTF_8);
        for (String place : refused) {
            if (text.contains('"' + place + '"')) {
                world.faults().landed(Fault.ROW_REFUSED);
                throw new StoreException.RowFault("check constraint", new SQLException("23514"));
            }
        }
    }
}
