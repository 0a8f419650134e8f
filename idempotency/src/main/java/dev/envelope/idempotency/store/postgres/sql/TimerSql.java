package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.Timer.Setting;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** SQL for what a save does to the table {@code timer}: a part of its statement, and its values. */
public final class TimerSql {

    /** The comparison with NULL, which a key never is, is for the planner: see OutputSql. */
    private static final String OF_SAVED =
            " WHERE (m.key IS NULL OR m.key IN (SELECT key FROM %2$s))";

    private static final String PART =
            "timed AS (INSERT INTO %1$s.timer (key, name, due_at, payload, record_key, source,"
                    + " record_offset, leader_epoch, ordinal) SELECT m.key, m.name,"
                    + " 'epoch'::timestamptz + m.due * interval '1 microsecond', m.payload,"
                    + " m.record_key, m.source, m.record_offset, m.leader_epoch, m.ordinal"
                    + " FROM unnest(?::text[], ?::text[], ?::bigint[], ?::bytea[], ?::bytea[],"
                    + " ?::int[], ?::bigint[], ?::int[], ?::int[]) AS m(key, name, due, payload,"
                    + " record_key, source, record_offset, leader_epoch, ordinal)"
                    + OF_SAVED
                    + " ON CONFLICT (key, name) DO UPDATE SET due_at = EXCLUDED.due_at,"
                    + " payload = EXCLUDED.payload, record_key = EXCLUDED.record_key,"
                    + " source = EXCLUDED.source, record_offset = EXCLUDED.record_offset,"
                    + " leader_epoch = EXCLUDED.leader_epoch, ordinal = EXCLUDED.ordinal,"
                    + " fired_at = NULL), ended AS (DELETE FROM %1$s.timer AS t USING (SELECT m.*"
                    + " FROM unnest(?::text[], ?::text[]) AS m(key, name)"
                    + OF_SAVED
                    + ") AS m WHERE t.key = m.key AND t.name = m.name)";

    /**
     * A timer, and the key of the change that it belongs to.
     *
     * @param owner the key
     */
    public record Owned(String owner, Timer timer) {}

    /** A timer that is set. */
    private record Set(String owner, String name, Setting to) {}

    private TimerSql() {}

    /**
     * The part of the statement.
     *
     * @param saved the name of a CTE with the keys that were saved
     */
    public static String part(String schema, String saved) {
        return PART.formatted(schema, saved);
    }

    /** Its values. */
    public static List<@Nullable Object> values(List<Owned> timers) throws SQLException {
        List<Set> set = new ArrayList<>();
        List<Owned> ended = new ArrayList<>();
        for (Owned each : timers) {
            Setting to = each.timer.set();
            if (to == null) {
                ended.add(each);
            } else {
                set.add(new Set(each.owner, each.timer.name(), to));
            }
        }
        return new ArrayList<>(
                Arrays.asList(
                        BinaryArray.ofTexts(set, Set::owner),
                        BinaryArray.ofTexts(set, Set::name),
                        BinaryArray.ofLongs(set, it -> micros(it.to.dueAt())),
                        BinaryArray.ofBytes(set, it -> it.to.payload()),
                        BinaryArray.ofBytes(set, it -> it.to.origin().keyBytes()),
                        BinaryArray.ofInts(set, it -> it.to.origin().epoch().source()),
                        BinaryArray.ofLongs(set, it -> it.to.origin().offset()),
                        BinaryArray.ofInts(set, it -> it.to.origin().leaderEpoch()),
                        BinaryArray.ofInts(set, it -> it.to.ordinal()),
                        BinaryArray.ofTexts(ended, Owned::owner),
                        BinaryArray.ofTexts(ended, it -> it.timer.name())));
    }

    /** Rounded up, so that no timer fires early. */
    private static long micros(Instant at) {
        long nanos = at.getNano();
        return TimeUnit.SECONDS.toMicros(at.getEpochSecond()) + (nanos + 999) / 1_000;
    }
}
