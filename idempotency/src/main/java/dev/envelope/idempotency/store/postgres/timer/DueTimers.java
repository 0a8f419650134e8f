package dev.envelope.idempotency.store.postgres.timer;

import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Firing;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Set;

/** Reads timers that have fired or are due, by keys and names. */
public final class DueTimers {

    /** The server's start, key and name of each, and what {@link #timer} makes of the rest. */
    public static final String SQL =
            "SELECT g.start, t.key, t.name, t.source, t.record_offset, t.leader_epoch, t.ordinal,"
                    + " ARRAY(SELECT f.number FROM %1$s.source AS s JOIN %1$s.source AS f"
                    + " ON f.topic = s.topic AND f.partition = s.partition"
                    + " AND coalesce(f.first_topic_id, f.topic_id)"
                    + " <> coalesce(s.first_topic_id, s.topic_id)"
                    + " WHERE s.number = t.source) AS others FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN (unnest(?::text[], ?::text[]) AS m(key, name)"
                    + " JOIN %1$s.timer AS t ON t.key = m.key AND t.name = m.name"
                    + " AND (t.fired_at IS NOT NULL OR t.due_at <= now())) ON true";

    private DueTimers() {}

    public static DueTimer timer(ResultSet row) throws SQLException {
        String generation =
                Firing.generation(row.getInt(4), row.getLong(5), row.getInt(6), row.getInt(7));
        return new DueTimer(generation, Set.of((Integer[]) row.getArray(8).getArray()));
    }
}
