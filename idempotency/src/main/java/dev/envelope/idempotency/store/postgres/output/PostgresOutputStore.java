package dev.envelope.idempotency.store.postgres.output;

import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.postgres.output.OutputRows.Places;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.HeadersJson;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Outputs and relays in Postgres. A relay is named by its number and by the id of its start: after
 * a fail-over another process may have been given the number.
 *
 * <p>Threads: thread-safe (immutable; each call has a connection of its own).
 */
public final class PostgresOutputStore implements OutputStore {

    private static final String IS_ME =
            " WHERE number = ? AND start_id = ? AND " + ServerLife.START_MICROS + " = ?";

    private static final String DONE =
            " RETURNING 1) SELECT " + ServerLife.START_MICROS + ", count(*) FROM done";

    private static final String REGISTER =
            "WITH done AS (INSERT INTO %1$s.relay (instance, start_id) VALUES (?, ?)"
                    + " RETURNING number) SELECT "
                    + ServerLife.START_MICROS
                    + ", number FROM done";

    private static final String UNDER =
            "WITH done AS (UPDATE %1$s.relay SET transactional_ids = ?::text[], seen_at = now()"
                    + IS_ME
                    + " AND served_by IS NULL AND positions = '{}'"
                    + DONE;

    /** Who has left is as silent as one that was seen a day ago. */
    private static final String SEEN =
            "WITH done AS (UPDATE %1$s.relay SET seen_at ="
                    + " CASE WHEN ? THEN now() ELSE now() - interval '1 day' END"
                    + IS_ME
                    + DONE;

    static final String DELETE =
            "DELETE FROM %1$s.output AS o USING unnest(?::bigint[], ?::int[]) AS x(position, part)"
                    + " WHERE o.relay = ANY (?::int[]) AND o.position = x.position"
                    + " AND o.part = x.part AND "
                    + ServerLife.START_MICROS
                    + " = ?";

    /**
     * Only while nobody has taken the relay over: the taker may have taken rows apart, so that
     * another part has the place of one that was sent.
     */
    private static final String DELETE_SENT =
            DELETE
                    + " AND EXISTS (SELECT FROM %1$s.relay WHERE number = ? AND start_id = ?"
                    + " AND served_by IS NULL)";

    /** Also without the batch, what was sent is deleted: Kafka has it. */
    static final String MOVE_ON =
            "WITH gone AS ("
                    + DELETE_SENT
                    + "), done AS (UPDATE %1$s.relay SET batch = ?, positions = ?::bigint[],"
                    + " parts = ?::int[], seen_at = now()"
                    + IS_ME
                    + " AND batch = ? AND served_by IS NULL"
                    + DONE;

    static final String SENT = "WITH done AS (" + DELETE_SENT + DONE;

    private static final String SERVED =
            "ARRAY(SELECT s.number::int FROM busy AS b JOIN %1$s.relay AS s ON s.number = b.relay"
                    + " WHERE s.served_by = r.number ORDER BY s.number)";

    static final String LOOK =
            Takeover.WITH_BUSY
                    + "SELECT g.start, r.batch, "
                    + SERVED
                    + " FROM (SELECT "
                    + ServerLife.START_MICROS
                    + " AS start) AS g LEFT JOIN %1$s.relay AS r ON r.number = ? AND r.start_id = ?"
                    + " AND r.served_by IS NULL";

    static final String DEPTH =
            "SELECT coalesce(sum(outputs), 0), coalesce(sum(bytes), 0),"
                    + " coalesce(extract(epoch FROM now() - min(created_at)) * 1000, 0)::bigint"
                    + " FROM (SELECT cardinality(lanes) AS outputs, bytes, created_at"
                    + " FROM %1$s.output ORDER BY relay, position, part LIMIT ?) AS o";

    private final Tables tables;
    private final String instance;
    private final String startId;
    private final RelayNumber number;
    private final OutputRows rows = new OutputRows();

    /**
     * @param number is told of each registration
     */
    public PostgresOutputStore(Tables tables, String instance, String startId, RelayNumber number) {
        this.tables = tables;
        this.instance = instance;
        this.startId = startId;
        this.number = number;
    }

    @Override
    public Own register() {
        return tables.call(
                null,
                (statements, life) -> {
                    int given =
                            statements.one(
                                    REGISTER,
                                    row -> {
                                        Database.requireLife(life, row.getLong(1));
                                        return row.getInt(2);
                                    },
                                    instance,
                                    startId);
                    number.isNow(given, life.incarnation());
                    return new Own(given, 0, List.of(), life.incarnation());
                });
    }

    @Override
    public boolean under(Own own, List<String> ids) {
        return isDone(
                own, UNDER, life -> values(BinaryArray.ofTexts(ids, id -> id), me(own, life)));
    }

    @Override
    public void alive(Own own) {
        isDone(own, SEEN, life -> values(true, me(own, life)));
    }

    @Override
    public void leave(Own own) {
        isDone(own, SEEN, life -> values(false, me(own, life)));
    }

    @Override
    public List<Row> next(Own own, Collection<Place> without, int mostOutputs, long maxBytes) {
        return tables.call(
                own.life(),
                (statements, life) ->
                        rows.next(statements, life, own, without, mostOutputs, maxBytes));
    }

    @Override
    public Before before(
            Own own, long position, Collection<Place> known, Collection<Integer> lanes) {
        return tables.call(
                own.life(),
                (statements, life) -> rows.before(statements, life, own, position, known, lanes));
    }

    @Override
    public boolean open(Own own, Collection<Place> sent, SortedSet<Place> next) {
        return movesOn(own, sent, own.batch() + 1, next);
    }

    @Override
    public boolean close(Own own, Collection<Place> sent) {
        return movesOn(own, sent, own.batch(), List.of());
    }

    private boolean movesOn(Own own, Collection<Place> sent, long batch, Collection<Place> next) {
        Places places = Places.of(next);
        return isDone(
                own,
                MOVE_ON,
                life ->
                        values(
                                deleted(own, sent, life),
                                batch,
                                places.positions(),
                                places.parts(),
                                me(own, life),
                                own.batch()));
    }

    @Override
    public void sent(Own own, Collection<Place> rows) {
        isDone(own, SENT, life -> values(deleted(own, rows, life)));
    }

    private List<Object> deleted(Own own, Collection<Place> sent, ServerLife life) {
        Places places = Places.of(sent);
        return List.of(
                places.positions(),
                places.parts(),
                OutputRows.relays(own),
                life.startMicros(),
                own.number(),
                startId);
    }

    @Override
    public void split(Own own, Row row, Collection<Integer> held, @Nullable String refused) {
        tables.transaction(
                own.life(),
                (statements, life) -> {
                    boolean isFree = new Takeover(statements, life, startId).isFree(own);
                    if (isFree) {
                        Splitting.split(statements, own, row, Set.copyOf(held), refused);
                    }
                    return isFree;
                });
    }

    @Override
    public List<Refused> refused(Own own, Place after, int most) {
        return tables.call(
                own.life(), (statements, life) -> rows.refused(statements, life, own, after, most));
    }

    @Override
    public void refusedAgain(Own own, Place place, String why) {
        tables.call(
                own.life(),
                (statements, life) ->
                        statements.update(
                                Splitting.REFUSE_AGAIN,
                                HeadersJson.legible(why),
                                WorkerSql.now(),
                                OutputRows.relays(own),
                                place.position(),
                                place.part()));
    }

    @Override
    public Optional<Own> look(Own own) {
        return tables.call(own.life(), (statements, life) -> look(statements, life, own));
    }

    private Optional<Own> look(Statements statements, ServerLife life, Own own)
            throws SQLException {
        return statements.one(
                LOOK,
                row -> {
                    Database.requireLife(life, row.getLong(1));
                    return row.getObject(2) == null
                            ? Optional.empty()
                            : Optional.of(
                                    new Own(
                                            own.number(),
                                            row.getLong(2),
                                            List.of((Integer[]) row.getArray(3).getArray()),
                                            own.life()));
                },
                own.number(),
                startId);
    }

    @Override
    public List<Gone> gone(Own own, Duration silence) {
        return tables.call(
                own.life(), (statements, life) -> Takeover.gone(statements, life, own, silence));
    }

    @Override
    public boolean takeOver(Own own, Gone gone, long committed, Duration silence) {
        return tables.transaction(
                own.life(),
                (statements, life) -> {
                    Takeover takeover = new Takeover(statements, life, startId);
                    return takeover.of(gone, own, committed, silence);
                });
    }

    @Override
    public Optional<Own> resolved(Own own, long committed) {
        return tables.transaction(
                own.life(),
                (statements, life) -> {
                    new Takeover(statements, life, startId).resolve(own, committed);
                    return look(statements, life, own);
                });
    }

    @Override
    public Waiting depth(int most) {
        return tables.one(
                DEPTH,
                row ->
                        new Waiting(
                                row.getLong(1),
                                row.getLong(2),
                                Duration.ofMillis(Math.max(0, row.getLong(3)))),
                most);
    }

    /** The values of a statement, in that life of the server. */
    @FunctionalInterface
    private interface Values {
        List<Object> in(ServerLife life) throws SQLException;
    }

    /** Runs a statement that changes the relay's own row, or does not; says whether it did. */
    private boolean isDone(Own own, String sql, Values values) {
        return tables.call(
                own.life(),
                (statements, life) ->
                        statements.one(
                                sql,
                                row -> {
                                    Database.requireLife(life, row.getLong(1));
                                    return row.getLong(2) > 0;
                                },
                                values.in(life).toArray()));
    }

    /** The values of {@link #IS_ME}. */
    private List<Object> me(Own own, ServerLife life) {
        return List.of(own.number(), startId, life.startMicros());
    }

    private static List<Object> values(Object... each) {
        List<Object> values = new ArrayList<>();
        for (Object value : each) {
            if (value instanceof List<?> several) {
                values.addAll(several);
            } else {
                values.add(value);
            }
        }
        return values;
    }
}
