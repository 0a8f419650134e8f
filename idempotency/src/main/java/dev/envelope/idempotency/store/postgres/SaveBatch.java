package dev.envelope.idempotency.store.postgres;

import static java.util.Objects.requireNonNull;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.OutputSql;
import dev.envelope.idempotency.store.postgres.sql.ReplySql;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SetAsideSql;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.postgres.sql.TimerSql;
import dev.envelope.idempotency.store.postgres.sql.WorkerSql;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.KeyOrder;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.timer.Timer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes that one statement saves, in the order of their keys.
 *
 * <p>Threads: immutable.
 */
final class SaveBatch {

    private static final int MAX_ROWS = 5_000;
    private static final long MAX_BYTES = 8L << 20;

    private final SaveTarget target;
    private final List<Change> all;
    private final int[] places; // indexes into all, in the order of the keys
    private final List<Change> updates = new ArrayList<>();
    private final List<Change> inserts = new ArrayList<>();
    private final List<SetAsideSql.Parked> parked = new ArrayList<>();
    private final List<SetAsideSql.DeadLetter> deadLetters = new ArrayList<>();
    private final List<OutputSql.Owned> outputs = new ArrayList<>();
    private final List<TimerSql.Owned> timers = new ArrayList<>(0);
    private final List<ReplySql.Owned> replies = new ArrayList<>(0);
    private final List<TableSql.Owned> rowsDone = new ArrayList<>(0);

    private SaveBatch(SaveTarget target, List<Change> all, int[] places) {
        this.target = target;
        this.all = all;
        this.places = places;
        for (int place : places) {
            Change change = all.get(place);
            if (!change.isWithoutRow()) {
                (isOfNewRow(place) ? inserts : updates).add(change);
            }
            String owner = change.isWithoutRow() ? null : change.key();
            for (ParkedMessage message : change.parked()) {
                parked.add(new SetAsideSql.Parked(owner, message));
            }
            for (OutboxRecord record : change.deadLetters()) {
                deadLetters.add(new SetAsideSql.DeadLetter(owner, record));
            }
            for (Output output : change.outputs()) {
                outputs.add(new OutputSql.Owned(change.key(), output));
            }
            for (String row : change.beside().rowsDone()) {
                rowsDone.add(new TableSql.Owned(owner, row));
            }
            for (Timer timer : change.effects().timers()) {
                timers.add(new TimerSql.Owned(change.key(), timer));
            }
            for (Reply reply : change.effects().replies()) {
                long version = change.fromVersion() + 1;
                byte @Nullable [] state = change.effects().stateAsAnswer(change.state());
                replies.add(new ReplySql.Owned(change.key(), state, version, reply));
            }
        }
    }

    /** Divides changes into batches: each of one target, limited in rows and bytes. */
    static List<SaveBatch> split(List<Change> changes, SaveTargets targets) {
        int[] sorted = KeyOrder.places(changes, Change::key);
        List<SaveBatch> batches = new ArrayList<>();
        if (targets.isUndivided()) {
            split(changes, sorted, targets.first(), batches);
            return batches;
        }
        List<Integer> places = Arrays.stream(sorted).boxed().toList();
        for (SaveTargets.Part<Integer> part :
                targets.divide(places, place -> changes.get(place).key())) {
            int[] its = part.of().stream().mapToInt(Integer::intValue).toArray();
            split(changes, its, part.target(), batches);
        }
        return batches;
    }

    private static void split(
            List<Change> changes, int[] places, SaveTarget target, List<SaveBatch> into) {
        int from = 0;
        long bytes = 0;
        for (int i = 0; i < places.length; i++) {
            long more = changes.get(places[i]).bytes();
            if (i > from && (i - from == MAX_ROWS || bytes + more > MAX_BYTES)) {
                into.add(new SaveBatch(target, changes, Arrays.copyOfRange(places, from, i)));
                from = i;
                bytes = 0;
            }
            bytes += more;
        }
        into.add(new SaveBatch(target, changes, Arrays.copyOfRange(places, from, places.length)));
    }

    SaveTarget target() {
        return target;
    }

    int rows() {
        return updates.size() + inserts.size();
    }

    /** Whether it only inserts rows, and perhaps what was emitted with them. */
    boolean isOfNewRowsAlone() {
        return inserts.size() == places.length
                && parked.isEmpty()
                && deadLetters.isEmpty()
                && timers.isEmpty()
                && replies.isEmpty()
                && rowsDone.isEmpty();
    }

    /** Inserts a batch of only new rows; fails if one of them exists already. */
    void insert(Connection connection, ServerLife life) throws SQLException {
        String schema = target.schema();
        boolean puts = !outputs.isEmpty();
        try (PreparedStatement statement =
                connection.prepareStatement(
                        puts ? SaveSql.ofNewRowsWithOutputs(schema) : SaveSql.ofNewRows(schema))) {
            statement.setObject(1, BinaryArray.ofTexts(inserts, Change::key));
            int at = bindRows(statement, 2, inserts, life);
            if (puts) {
                int number = target.relay().in(life.incarnation());
                at = bind(statement, at, OutputSql.values(number, outputs));
                statement.setLong(at, inserts.size());
            }
            if ((puts ? inserted(statement, life) : statement.executeUpdate()) != inserts.size()) {
                Database.requireLife(connection, life);
                throw new InvariantViolation("of rows that are all new not all were inserted");
            }
        }
    }

    private static long inserted(PreparedStatement statement, ServerLife life) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            Database.requireLife(life, row.getLong(1));
            return row.getLong(2);
        }
    }

    /**
     * Splits the batch: into new rows and others, if it has both; otherwise into halves; empty for
     * a single row.
     */
    List<SaveBatch> parts() {
        if (places.length == 1) {
            return List.of();
        }
        int[] news = Arrays.stream(places).filter(this::isOfNewRow).toArray();
        if (news.length > 0 && news.length < places.length) {
            int[] others = Arrays.stream(places).filter(it -> !isOfNewRow(it)).toArray();
            return List.of(new SaveBatch(target, all, others), new SaveBatch(target, all, news));
        }
        int middle = places.length / 2;
        return List.of(
                new SaveBatch(target, all, Arrays.copyOf(places, middle)),
                new SaveBatch(target, all, Arrays.copyOfRange(places, middle, places.length)));
    }

    private boolean isOfNewRow(int place) {
        Change change = all.get(place);
        return !change.isWithoutRow() && change.fromVersion() == Snapshot.ABSENT;
    }

    /** Saves the changes, and sets their places in {@code saved} if they were saved. */
    void save(Connection connection, ServerLife life, boolean skipLocked, boolean[] saved)
            throws SQLException {
        if (life.isOnWorker()) {
            saveOnWorker(new Statements(connection, target.schema()), life, skipLocked, saved);
            return;
        }
        SaveSql sql =
                new SaveSql(
                        !updates.isEmpty(),
                        !inserts.isEmpty(),
                        !parked.isEmpty(),
                        !deadLetters.isEmpty(),
                        !outputs.isEmpty(),
                        !timers.isEmpty(),
                        !replies.isEmpty(),
                        rowsDone.isEmpty() ? null : requireNonNull(target.table()),
                        skipLocked);
        try (PreparedStatement statement = connection.prepareStatement(sql.text(target.schema()))) {
            int at = bind(statement, life, target.settings().instance());
            if (sql.outputs()) {
                int number = target.relay().in(life.incarnation());
                at = bind(statement, at, OutputSql.valuesOfWinners(number, outputs, rows()));
            }
            at = sql.timers() ? bind(statement, at, TimerSql.values(timers)) : at;
            at = sql.replies() ? bind(statement, at, ReplySql.values(replies)) : at;
            statement.setLong(at, rows());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                Database.requireLife(life, row.getLong(1));
                boolean wereAllSaved = row.getLong(2) == rows();
                Set<String> winners = wereAllSaved ? Set.of() : winners(row.getArray(3));
                if (!rowsDone.isEmpty()) {
                    List<TableSql.Owned> wanted =
                            rowsDone.stream()
                                    .filter(it -> it.isOf(wereAllSaved ? null : winners))
                                    .toList();
                    requireNonNull(target.table())
                            .requireDone(
                                    new Statements(connection, target.schema()),
                                    wanted,
                                    row.getLong(4));
                }
                for (int place : places) {
                    Change change = all.get(place);
                    saved[place] =
                            wereAllSaved || change.isWithoutRow() || winners.contains(change.key());
                }
            }
        }
    }

    /** The same where the rows are on a worker of Citus: a statement for each table. */
    private void saveOnWorker(
            Statements statements, ServerLife life, boolean skipLocked, boolean[] saved)
            throws SQLException {
        Set<String> winners = new HashSet<>();
        if (!updates.isEmpty()) {
            List<Object> given = given(updates);
            given.add(1, BinaryArray.ofLongs(updates, Change::fromVersion));
            winners.addAll(WorkerSql.update(statements, skipLocked, given));
        }
        if (!inserts.isEmpty()) {
            winners.addAll(WorkerSql.insert(statements, given(inserts)));
        }
        int[] won =
                Arrays.stream(places)
                        .filter(
                                it ->
                                        all.get(it).isWithoutRow()
                                                || winners.contains(all.get(it).key()))
                        .toArray();
        SaveBatch effective = won.length == places.length ? this : new SaveBatch(target, all, won);
        WorkerSql.park(statements, target.settings().instance(), effective.parked);
        WorkerSql.putOut(statements, effective.deadLetters);
        WorkerSql.output(statements, target.relay().in(life.incarnation()), effective.outputs);
        WorkerSql.time(statements, effective.timers);
        WorkerSql.reply(statements, effective.replies);
        for (int place : won) {
            saved[place] = true;
        }
    }

    private static List<Object> given(List<Change> rows) throws SQLException {
        return new ArrayList<>(
                Arrays.asList(
                        BinaryArray.ofTexts(rows, Change::key),
                        BinaryArray.ofJson(rows, Change::state),
                        marks(rows),
                        BinaryArray.ofBytes(rows, Change::ids),
                        BinaryArray.ofInts(rows, change -> change.parked().size())));
    }

    /** Whether it does rows of a table: then its transaction is committed when they are done. */
    boolean doesRows() {
        return !rowsDone.isEmpty();
    }

    /** Clears what {@link #save} has set, after a rollback to the savepoint. */
    void unmark(boolean[] saved) {
        for (int place : places) {
            saved[place] = false;
        }
    }

    private static Set<String> winners(@Nullable Array keys) throws SQLException {
        return keys == null ? Set.of() : new HashSet<>(Arrays.asList((String[]) keys.getArray()));
    }

    private int bind(PreparedStatement to, ServerLife life, String instance) throws SQLException {
        int at = 1;
        if (!updates.isEmpty()) {
            to.setObject(at++, BinaryArray.ofTexts(updates, Change::key));
            to.setObject(at++, BinaryArray.ofLongs(updates, Change::fromVersion));
            at = bindRows(to, at, updates, life);
        }
        if (!inserts.isEmpty()) {
            to.setObject(at++, BinaryArray.ofTexts(inserts, Change::key));
            at = bindRows(to, at, inserts, life);
        }
        if (!rowsDone.isEmpty()) {
            at = bind(to, at, TableSql.values(rowsDone, life));
        }
        if (!parked.isEmpty()) {
            to.setString(at++, instance);
            at = bind(to, at, SetAsideSql.ofParked(parked));
            if (!rowsDone.isEmpty()) {
                to.setObject(
                        at++, BinaryArray.ofTexts(parked, each -> TableRow.idOf(each.message())));
            }
            to.setLong(at++, life.startMicros());
        }
        if (!deadLetters.isEmpty()) {
            at = bind(to, at, SetAsideSql.ofDeadLetters(deadLetters));
            to.setLong(at++, life.startMicros());
        }
        return at;
    }

    private static int bind(PreparedStatement to, int from, List<? extends @Nullable Object> values)
            throws SQLException {
        int at = from;
        for (Object value : values) {
            to.setObject(at++, value);
        }
        return at;
    }

    private int bindRows(PreparedStatement to, int from, List<Change> rows, ServerLife life)
            throws SQLException {
        int at = from;
        to.setObject(at++, BinaryArray.ofJson(rows, Change::state));
        to.setObject(at++, marks(rows));
        to.setObject(at++, BinaryArray.ofBytes(rows, Change::ids));
        if (!parked.isEmpty()) {
            to.setObject(at++, BinaryArray.ofInts(rows, change -> change.parked().size()));
        }
        to.setLong(at++, life.startMicros());
        return at;
    }

    private static BinaryArray marks(List<Change> rows) {
        BinaryArray.Builder marks = BinaryArray.texts(rows.size());
        for (Change row : rows) {
            marks.add(row.marks().utf8Length(), row.marks()::writeTo);
        }
        return marks.built();
    }
}
