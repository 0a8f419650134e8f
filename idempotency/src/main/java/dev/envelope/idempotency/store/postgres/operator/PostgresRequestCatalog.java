package dev.envelope.idempotency.store.postgres.operator;

import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.postgres.sql.BinaryArray;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Operators' requests, made and read on one connection. Threads: one thread. */
public final class PostgresRequestCatalog implements RequestCatalog {

    /** A drop of a key that has nothing parked, but is quarantined, deletes nothing. */
    private static final String ASK =
            "INSERT INTO %1$s.request (row_key, action, position, requested_by)"
                    + " SELECT k.key, k.action, CASE WHEN k.action = 'drop'"
                    + " THEN (SELECT coalesce(max(position), 0) FROM %1$s.parked WHERE row_key = k.key)"
                    + " ELSE (SELECT min(position) FROM %1$s.parked WHERE row_key = k.key) END,"
                    + " ? FROM (SELECT ?::text AS key, ?::text AS action) AS k"
                    + " WHERE (EXISTS (SELECT FROM %1$s.parked WHERE row_key = k.key)"
                    + " OR EXISTS (SELECT FROM %1$s.state WHERE key = k.key AND parked > 0))"
                    + " AND coalesce((SELECT min(position) FROM %1$s.parked WHERE row_key = k.key)"
                    + " = ?, ?)"
                    + " RETURNING number";

    /** A row; or version 0 for a key with parked messages whose row was deleted by hand. */
    private static final String ROW =
            " FROM (SELECT k.key, coalesce(s.version, 0) AS version,"
                    + " (SELECT max(position) FROM %1$s.parked WHERE row_key = k.key) AS last,"
                    + " s.key IS NOT NULL AS is_there FROM (SELECT ?::text AS key) AS k"
                    + " LEFT JOIN %1$s.state AS s ON s.key = k.key) AS r"
                    + " WHERE (is_there OR last IS NOT NULL)";

    /**
     * For a row at this version. If the row changes before the request is carried out, nothing is
     * done.
     */
    private static final String ASK_FOR_REPAIR =
            "INSERT INTO %1$s.request (row_key, action, position, version, state, requested_by)"
                    + " SELECT key, ?, last, CASE WHEN ? THEN -1 ELSE version END, ?, ?"
                    + ROW
                    + " AND version = coalesce(?, version) RETURNING number";

    private static final String ASK_FOR_ROW =
            "INSERT INTO %1$s.request (row_key, action, requested_by) SELECT key, ?, ?"
                    + ROW
                    + " RETURNING number";

    /** For the key's first message, which all others wait for. */
    private static final String ASK_TO_EDIT =
            "INSERT INTO %1$s.request (row_key, action, position, version, state, requested_by)"
                    + " SELECT row_key, ?, min(position), -1, ?, ? FROM %1$s.parked"
                    + " WHERE row_key = ? AND (SELECT count(*) FROM %1$s.replacement) < "
                    + Replacement.MOST
                    + " GROUP BY row_key RETURNING number";

    private static final String NUMBER = "SELECT nextval('%1$s.request_number_seq')";

    private static final String ANSWER = "SELECT answer FROM %1$s.request WHERE number = ?";

    private static final String ANSWERS =
            "SELECT number, answer FROM %1$s.request WHERE number = ANY (?::bigint[])"
                    + " AND done_at IS NOT NULL";

    private static final String AUDIT =
            "SELECT number, at, who, what, name, done_at, answer FROM %1$s.audit"
                    + " WHERE name = coalesce(?, name) ORDER BY number DESC LIMIT ?";

    private static final String SEEN =
            "SELECT count(*) FROM %1$s.instance WHERE seen_at > now() - ? * interval '1 ms'";

    private final OperatorConnection connection;

    PostgresRequestCatalog(OperatorConnection connection) {
        this.connection = connection;
    }

    @Override
    public Optional<Long> ask(String key, Action action, @Nullable Long first, String by) {
        return number(ASK, by, key, name(action), first, first == null);
    }

    @Override
    public Optional<Long> askToSet(String key, String state, @Nullable Long version, String by) {
        return number(ASK_FOR_REPAIR, name(Action.SET), false, state, by, key, version);
    }

    @Override
    public Optional<Long> askToDelete(String key, @Nullable Long version, String by) {
        return number(ASK_FOR_REPAIR, name(Action.DELETE), version == null, null, by, key, version);
    }

    @Override
    public Optional<Long> askToEdit(String key, byte @Nullable [] value, String by) {
        String text = value == null ? null : Base64.getEncoder().encodeToString(value);
        return number(ASK_TO_EDIT, name(Action.EDIT), text, by, key);
    }

    @Override
    public Optional<Long> askToQuarantine(String key, String by) {
        return number(ASK_FOR_ROW, name(Action.QUARANTINE), by, key);
    }

    private static String name(Action action) {
        return action.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private Optional<Long> number(String sql, @Nullable Object... parameters) {
        return connection.isOnWorker() ? numbered(sql, parameters) : inserted(sql, parameters);
    }

    private Optional<Long> inserted(String sql, @Nullable Object... parameters) {
        List<Long> numbers = new ArrayList<>();
        connection.query(sql, row -> numbers.add(row.getLong(1)), parameters);
        return numbers.stream().findFirst();
    }

    /**
     * The same with a number of the coordinator, since a worker of Citus has numbers of its own.
     */
    private Optional<Long> numbered(String sql, @Nullable Object... parameters) {
        List<@Nullable Object> all = new ArrayList<>(Arrays.asList(parameters));
        all.add(0, inserted(NUMBER).orElseThrow());
        return inserted(
                sql.replace("(row_key, action", "(number, row_key, action")
                        .replaceFirst(" SELECT ", " OVERRIDING SYSTEM VALUE SELECT ?::bigint, "),
                all.toArray());
    }

    @Override
    public Optional<String> answerTo(long number) {
        List<String> answers = new ArrayList<>();
        connection.query(
                ANSWER,
                row -> Optional.ofNullable(row.getString(1)).ifPresent(answers::add),
                number);
        return answers.stream().findFirst();
    }

    @Override
    public Map<Long, String> answersTo(Collection<Long> numbers) {
        Map<Long, String> answers = new LinkedHashMap<>();
        connection.query(
                ANSWERS,
                row -> answers.put(row.getLong(1), String.valueOf(row.getString(2))),
                BinaryArray.ofLongs(List.copyOf(numbers), number -> number));
        return answers;
    }

    @Override
    public List<Entry> audit(@Nullable String name, int most) {
        List<Entry> entries = new ArrayList<>();
        connection.query(
                AUDIT,
                row -> {
                    Timestamp done = row.getTimestamp(6);
                    entries.add(
                            new Entry(
                                    row.getLong(1),
                                    row.getTimestamp(2).toInstant(),
                                    row.getString(3),
                                    row.getString(4),
                                    row.getString(5),
                                    done == null ? null : done.toInstant(),
                                    row.getString(7)));
                },
                name,
                most);
        return entries;
    }

    @Override
    public boolean isAnybodyThere(Duration within) {
        List<Long> counts = new ArrayList<>();
        connection.query(SEEN, row -> counts.add(row.getLong(1)), within.toMillis());
        return counts.get(0) > 0;
    }

    @Override
    public void close() {
        connection.close();
    }
}
