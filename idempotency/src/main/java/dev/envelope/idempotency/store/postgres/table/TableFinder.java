package dev.envelope.idempotency.store.postgres.table;

import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import dev.envelope.idempotency.store.postgres.sql.Statements;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.postgres.sql.TableSql.Shape;
import dev.envelope.idempotency.store.table.TableSettings;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks at the table: whether it is there, may be used, and is such that nothing is left out. */
final class TableFinder {

    private static final Set<String> WHOLE_NUMBERS = Set.of("smallint", "integer", "bigint");
    private static final Set<String> VALUES = Set.of("json", "jsonb", "text", "bytea", "xml");
    private static final int WITH_CHECKSUMS = 180_000;

    private static final String TABLE =
            "SELECT pg_catalog.to_regclass(?)::oid::bigint,"
                    + " pg_catalog.current_setting('server_version_num')::int";

    private static final String COLUMNS =
            "SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,"
                    + " EXISTS (SELECT FROM pg_catalog.pg_index AS i WHERE i.indrelid = a.attrelid"
                    + " AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indnkeyatts = 1"
                    + " AND i.indkey[0] = a.attnum)"
                    + " FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = ?::bigint::oid"
                    + " AND a.attnum > 0 AND NOT a.attisdropped";

    private static final String REFERENCES =
            "SELECT DISTINCT c.conrelid::regclass::text FROM pg_catalog.pg_constraint AS c"
                    + " WHERE c.confrelid = ?::bigint::oid AND c.contype = 'f'"
                    + " AND c.confdeltype IN ('a', 'r')";

    private static final String MAY =
            "SELECT pg_catalog.has_table_privilege(?::bigint::oid, ?), current_user";

    private static final String MAY_SET =
            "SELECT pg_catalog.has_column_privilege(?::bigint::oid, ?, 'UPDATE'), current_user";

    /** What is known of a column. */
    private record Column(String type, boolean isNeverNull, boolean isUnique) {}

    private final TableSql table;
    private final TableSettings settings;
    private final List<String> problems = new ArrayList<>();

    private TableFinder(TableSql table) {
        this.table = table;
        this.settings = table.settings();
    }

    /**
     * Tells the SQL what the table is like.
     *
     * @throws RefusedSqlException if it can't be read, with all that stands in the way
     */
    static void find(TableSql table, Statements statements) throws SQLException {
        List<String> problems = problems(table, statements);
        if (!problems.isEmpty()) {
            throw new RefusedSqlException(String.join("; ", problems));
        }
    }

    /** The same; returns what stands in the way. */
    static List<String> problems(TableSql table, Statements statements) throws SQLException {
        TableFinder finder = new TableFinder(table);
        @Nullable Shape shape = finder.look(statements);
        if (shape != null && finder.problems.isEmpty()) {
            table.found(shape);
        }
        return finder.problems;
    }

    private @Nullable Shape look(Statements statements) throws SQLException {
        int[] version = {0};
        @Nullable Long oid =
                statements
                        .first(
                                TABLE,
                                row -> {
                                    version[0] = row.getInt(2);
                                    return row.getLong(1);
                                },
                                table.table())
                        .filter(it -> it != 0)
                        .orElse(null);
        if (oid == null) {
            problems.add(
                    "there is no table "
                            + table.table()
                            + " in this database, or this role may not see it: correct table.name");
            return null;
        }
        Map<String, Column> columns = new HashMap<>();
        statements.query(
                COLUMNS,
                row ->
                        columns.put(
                                row.getString(1),
                                new Column(row.getString(2), row.getBoolean(3), row.getBoolean(4))),
                oid);
        areThere(columns);
        if (!problems.isEmpty()) {
            return null;
        }
        rights(oid, statements);
        references(oid, statements);
        return shape(columns, version[0]);
    }

    private void areThere(Map<String, Column> columns) {
        Stream.of(
                        settings.key(),
                        settings.id(),
                        settings.value(),
                        settings.time(),
                        settings.done(),
                        settings.slot())
                .filter(it -> it != null && !columns.containsKey(it))
                .distinct()
                .forEach(
                        it ->
                                problems.add(
                                        "the table "
                                                + table.table()
                                                + " has no column "
                                                + it
                                                + "; it has "
                                                + String.join(
                                                        ", ",
                                                        columns.keySet().stream()
                                                                .sorted()
                                                                .toList())));
    }

    private void rights(long oid, Statements statements) throws SQLException {
        List<String> missing = new ArrayList<>();
        String[] role = {""};
        for (String right :
                settings.done() == null ? List.of("SELECT", "DELETE") : List.of("SELECT")) {
            if (!statements.one(
                    MAY, row -> hasRight(row.getBoolean(1), row.getString(2), role), oid, right)) {
                missing.add(right);
            }
        }
        if (settings.done() != null
                && !statements.one(
                        MAY_SET,
                        row -> hasRight(row.getBoolean(1), row.getString(2), role),
                        oid,
                        settings.done())) {
            missing.add("UPDATE (" + settings.done() + ")");
        }
        if (!missing.isEmpty()) {
            problems.add(
                    "GRANT "
                            + String.join(", ", missing)
                            + " ON "
                            + table.table()
                            + " TO "
                            + role[0]
                            + " is missing");
        }
    }

    /** A row that others refer to could not be deleted, nor parked, and would hold up its slot. */
    private void references(long oid, Statements statements) throws SQLException {
        if (settings.done() != null) {
            return;
        }
        List<String> keeping = statements.list(REFERENCES, row -> row.getString(1), oid);
        if (!keeping.isEmpty()) {
            problems.add(
                    "rows of %s can't be deleted while %s refers to them: name a column that says what is done with table.done"
                            .formatted(table.table(), String.join(", ", keeping)));
        }
    }

    private static boolean hasRight(boolean hasIt, String name, String[] role) {
        role[0] = name;
        return hasIt;
    }

    private Shape shape(Map<String, Column> columns, int version) {
        Column key = of(columns, settings.key());
        Column id = of(columns, settings.id());
        if (!key.isNeverNull()) {
            problems.add(
                    "the column %s can be null, and such rows would never be read: ALTER TABLE %s ALTER %s SET NOT NULL"
                            .formatted(settings.key(), table.table(), settings.key()));
        }
        if (!id.isNeverNull() || !id.isUnique()) {
            problems.add(
                    "the column %s does not name a row: it needs a unique index of its own, and NOT NULL"
                            .formatted(settings.id()));
        }
        if (settings.slot() != null && !isNumber(of(columns, settings.slot()))) {
            problems.add(
                    "the column "
                            + settings.slot()
                            + " does not divide the rows: it has to be a whole number that is never null");
        }
        boolean isFlag =
                settings.done() != null && of(columns, settings.done()).type().equals("boolean");
        if (settings.done() != null
                && !isFlag
                && !of(columns, settings.done()).type().startsWith("timestamp")) {
            problems.add(
                    "the column %s can't say that a row is done: it has to be a boolean, or a timestamp that is null until then"
                            .formatted(settings.done()));
        }
        if (settings.value() != null && !isValue(of(columns, settings.value()).type())) {
            problems.add(
                    "the column %s is no value of a message: it has to be json, jsonb, text or bytea; without table.value it is the whole row"
                            .formatted(settings.value()));
        }
        for (String name : List.of(settings.key(), settings.id())) {
            if (of(columns, name).type().endsWith("citext")) {
                problems.add(
                        "the column " + name + " is citext, by which rows can't be read in order");
            }
        }
        if (settings.time() != null
                && !of(columns, settings.time()).type().startsWith("timestamp")) {
            problems.add("the column " + settings.time() + " is no timestamp");
        }
        return new Shape(key.type(), id.type(), isFlag, number(key, version));
    }

    private String number(Column key, int version) {
        if (settings.slot() != null) {
            return TableSql.column(settings.slot());
        }
        String its = TableSql.column(settings.key());
        if (WHOLE_NUMBERS.contains(key.type())) {
            return its;
        }
        return version < WITH_CHECKSUMS
                ? ""
                : "pg_catalog.crc32(pg_catalog.convert_to(" + its + "::text, 'UTF8'))";
    }

    private static boolean isValue(String type) {
        return VALUES.contains(type) || type.startsWith("character");
    }

    private static boolean isNumber(Column column) {
        return column.isNeverNull() && WHOLE_NUMBERS.contains(column.type());
    }

    private static Column of(Map<String, Column> columns, String name) {
        return Objects.requireNonNull(columns.get(name));
    }
}
