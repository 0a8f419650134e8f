package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.idempotency.store.output.OutputStore.Gone;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.postgres.output.OutputRows.Places;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What ends an open batch whose outcome was resolved, of a silent relay or of one's own: in one
 * transaction that has locked the relays' rows. Whoever opens a batch needs that lock, too.
 */
final class Takeover {

    /**
     * The relays that have rows, one after the other: one step in the index for each, however many
     * rows it has.
     */
    static final String WITH_BUSY =
            "WITH RECURSIVE busy(relay) AS ((SELECT o.relay FROM %1$s.output AS o"
                    + " ORDER BY o.relay LIMIT 1) UNION ALL SELECT (SELECT o.relay"
                    + " FROM %1$s.output AS o WHERE o.relay > b.relay ORDER BY o.relay LIMIT 1)"
                    + " FROM busy AS b WHERE b.relay IS NOT NULL) ";

    static final String GONE =
            WITH_BUSY
                    + "SELECT "
                    + ServerLife.START_MICROS
                    + ", r.number, r.transactional_ids, r.batch, r.positions <> '{}'"
                    + " FROM (SELECT coalesce(x.served_by, x.number) AS number FROM busy AS b"
                    + " JOIN %1$s.relay AS x ON x.number = b.relay"
                    + " UNION SELECT number FROM %1$s.relay WHERE positions <> '{}') AS n"
                    + " JOIN %1$s.relay AS r ON r.number = n.number"
                    + " WHERE r.served_by IS NULL AND r.number <> ?"
                    + " AND r.seen_at < now() - ? * interval '1 ms' ORDER BY r.number";

    private static final String LOCKED =
            "SELECT "
                    + ServerLife.START_MICROS
                    + ", number, batch, positions, parts, served_by IS NULL FROM %1$s.relay WHERE ";

    private static final String LOCK_ME =
            LOCKED + "number = ? AND start_id = ? AND served_by IS NULL FOR UPDATE";

    /**
     * Those of the two relays that are as they were seen, and all that the silent one serves. In
     * the order of the numbers, so that two that take each other over don't deadlock.
     */
    static final String LOCK_BOTH =
            LOCKED
                    + "(number = ? AND start_id = ? AND served_by IS NULL)"
                    + " OR (number = ? AND served_by IS NULL AND transactional_ids = ?::text[]"
                    + " AND batch = ? AND (positions <> '{}') = ?"
                    + " AND seen_at < now() - ? * interval '1 ms') OR served_by = ?"
                    + " ORDER BY number FOR UPDATE";

    private static final String TAKE_OVER =
            "WITH seen AS (UPDATE %1$s.relay SET seen_at = now() WHERE number = ?)"
                    + " UPDATE %1$s.relay SET served_by = ?, positions = '{}', parts = '{}'"
                    + " WHERE number = ? OR served_by = ?";

    private static final String END_BATCH =
            "UPDATE %1$s.relay SET positions = '{}', parts = '{}', seen_at = now()"
                    + " WHERE number = ?";

    private final Statements statements;
    private final ServerLife life;
    private final String startId;

    Takeover(Statements statements, ServerLife life, String startId) {
        this.statements = statements;
        this.life = life;
        this.startId = startId;
    }

    static List<Gone> gone(Statements statements, ServerLife life, Own own, Duration silence)
            throws SQLException {
        return statements.list(
                GONE,
                row -> {
                    Database.requireLife(life, row.getLong(1));
                    return new Gone(
                            row.getInt(2),
                            List.of((String[]) row.getArray(3).getArray()),
                            row.getLong(4),
                            row.getBoolean(5));
                },
                own.number(),
                silence.toMillis());
    }

    /** Takes the relay over, if both are as they were seen. */
    boolean of(Gone gone, Own own, long committed, Duration silence) throws SQLException {
        List<Locked> locked =
                statements.list(
                        LOCK_BOTH,
                        row -> Locked.of(row, life),
                        own.number(),
                        startId,
                        gone.number(),
                        BinaryArray.ofTexts(gone.ids(), id -> id),
                        gone.batch(),
                        gone.isOpen(),
                        silence.toMillis(),
                        gone.number());
        Optional<Locked> me = Locked.find(own.number(), locked);
        Optional<Locked> other = Locked.find(gone.number(), locked);
        if (me.isEmpty() || other.isEmpty()) {
            return false;
        }
        BinaryArray relays = BinaryArray.ofInts(locked, Locked::number);
        deleteIfCommitted(relays, other.get(), committed);
        statements.update(TAKE_OVER, own.number(), own.number(), gone.number(), gone.number());
        return true;
    }

    /** Ends the relay's own batch, unless it was taken over. */
    void resolve(Own own, long committed) throws SQLException {
        Optional<Locked> me = lock(own);
        if (me.isPresent()) {
            deleteIfCommitted(OutputRows.relays(own), me.get(), committed);
            statements.update(END_BATCH, own.number());
        }
    }

    /** Whether the relay has no open batch, and was not taken over. */
    boolean isFree(Own own) throws SQLException {
        return lock(own).filter(me -> me.places.isEmpty()).isPresent();
    }

    private Optional<Locked> lock(Own own) throws SQLException {
        return statements.first(LOCK_ME, row -> Locked.of(row, life), own.number(), startId);
    }

    /**
     * Deletes the rows of a relay's last batch if Kafka has committed it.
     *
     * @param relays whose rows may be in it
     */
    private void deleteIfCommitted(BinaryArray relays, Locked relay, long committed)
            throws SQLException {
        if (committed >= relay.batch) {
            Places places = Places.of(relay.places);
            statements.update(
                    PostgresOutputStore.DELETE,
                    places.positions(),
                    places.parts(),
                    relays,
                    life.startMicros());
        }
    }

    /**
     * A relay's row that this transaction has locked.
     *
     * @param places the rows of its open batch
     * @param isUnserved whether nobody has taken it over
     */
    private record Locked(int number, long batch, List<Place> places, boolean isUnserved) {

        static Locked of(ResultSet row, ServerLife life) throws SQLException {
            Database.requireLife(life, row.getLong(1));
            Long[] positions = (Long[]) row.getArray(4).getArray();
            Integer[] parts = (Integer[]) row.getArray(5).getArray();
            List<Place> places = new ArrayList<>();
            for (int i = 0; i < positions.length; i++) {
                places.add(new Place(positions[i], parts[i]));
            }
            return new Locked(row.getInt(2), row.getLong(3), places, row.getBoolean(6));
        }

        static Optional<Locked> find(int number, List<Locked> among) {
            return among.stream().filter(it -> it.number == number && it.isUnserved).findFirst();
        }
    }
}
