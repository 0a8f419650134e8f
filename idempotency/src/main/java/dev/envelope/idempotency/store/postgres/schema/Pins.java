package dev.envelope.idempotency.store.postgres.schema;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.pin.Pin;
import dev.envelope.idempotency.store.pin.PinMismatch;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Pins in the database. If a name has no pin, the rows are examined, since they may be older than
 * the pins and made with another setting ({@link RowKeyEvidence}). The value that programs of
 * version 7 recorded instead of pins counts as one ({@link FormerSpread}).
 */
public final class Pins implements PinStore {

    private static final String READ =
            "SELECT name, value, formerly, pinned_by, pinned_at FROM %1$s.pin";

    /**
     * Processes that start together compare one after the other; programs of version 7 wait, too.
     */
    private static final String ONE_AT_A_TIME = "SELECT FROM %1$s.application FOR UPDATE";

    private static final String INSERT =
            "INSERT INTO %1$s.pin (name, value, pinned_by) VALUES (?, ?, ?)";

    private static final String REPLACE =
            "INSERT INTO %1$s.pin AS p (name, value, pinned_by) VALUES (?, ?, ?)"
                    + " ON CONFLICT (name) DO UPDATE SET value = excluded.value,"
                    + " formerly = p.value, pinned_by = excluded.pinned_by, pinned_at = excluded.pinned_at"
                    + " WHERE p.value <> excluded.value";

    private static final String REMOVE_UNSET = "DELETE FROM %1$s.pin WHERE value = ''";

    private final PostgresSettings settings;

    public Pins(PostgresSettings settings) {
        this.settings = settings;
    }

    /** The result of a comparison. */
    private record Comparison(List<PinMismatch> mismatches, SortedMap<String, String> missing) {}

    /** Something to do with a connection. */
    private interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    @Override
    public List<PinMismatch> claim(SortedMap<String, String> values) {
        return call(
                connection -> {
                    Comparison first = compare(connection, values);
                    if (!first.mismatches().isEmpty() || first.missing().isEmpty()) {
                        return first.mismatches();
                    }
                    connection.setAutoCommit(false);
                    execute(connection, ONE_AT_A_TIME);
                    Comparison now = compare(connection, values);
                    if (now.mismatches().isEmpty()) {
                        write(connection, INSERT, now.missing());
                    }
                    connection.commit();
                    return now.mismatches();
                });
    }

    /**
     * Claims these values; throws if one does not fit.
     *
     * @param remedy how to fix a mismatch
     * @throws RefusedException with all that do not fit
     * @throws UnavailableException if the database can't be used
     */
    public void require(SortedMap<String, String> values, Function<PinMismatch, String> remedy) {
        List<PinMismatch> mismatches = claim(values);
        if (!mismatches.isEmpty()) {
            throw new RefusedException(
                    mismatches.stream()
                            .map(mismatch -> mismatch.sentence(remedy.apply(mismatch)))
                            .collect(Collectors.joining("; ")));
        }
    }

    @Override
    public List<PinMismatch> compare(SortedMap<String, String> values) {
        return call(connection -> compare(connection, values).mismatches());
    }

    @Override
    public void confirm(SortedMap<String, String> values) {
        call(
                connection -> {
                    connection.setAutoCommit(false);
                    execute(connection, ONE_AT_A_TIME);
                    write(connection, REPLACE, values);
                    connection.commit();
                    return values.size();
                });
    }

    @Override
    public SortedMap<String, Pin> stored() {
        return call(this::read);
    }

    private Comparison compare(Connection connection, SortedMap<String, String> values)
            throws SQLException {
        SortedMap<String, Pin> pins = read(connection);
        SortedMap<String, String> missing = new TreeMap<>(values);
        missing.keySet().removeAll(pins.keySet());
        missing.values().removeIf(UNSET::equals);
        List<PinMismatch> found = new ArrayList<>();
        values.forEach(
                (name, value) -> {
                    Pin pin = pins.get(name);
                    if (pin != null && !pin.value().equals(value)) {
                        found.add(mismatch(pin, value));
                    }
                });
        if (!missing.isEmpty()) {
            found.addAll(doubts(connection, values, missing.keySet()));
        }
        return new Comparison(found, missing);
    }

    private PinMismatch mismatch(Pin pin, String configured) {
        String reason =
                "the rows of the schema %s were made with %s (pinned %s by %s)"
                        .formatted(settings.schema(), pin.value(), pin.since(), pin.by());
        return new PinMismatch(pin.name(), pin.value(), configured, reason);
    }

    /** The evidence against values that have no pin. */
    private List<PinMismatch> doubts(
            Connection connection, SortedMap<String, String> values, Iterable<String> names)
            throws SQLException {
        Map<String, String> former =
                exists(connection, "application")
                        ? FormerSpread.read(connection, settings)
                        : Map.of();
        RowKeyEvidence evidence =
                exists(connection, "state") && exists(connection, "source")
                        ? RowKeyEvidence.read(connection, settings)
                        : RowKeyEvidence.none(settings);
        List<PinMismatch> found = new ArrayList<>();
        for (String name : names) {
            String value = values.getOrDefault(name, "");
            String stored = former.get(name);
            if (stored == null) {
                evidence.against(name, values).ifPresent(found::add);
            } else if (!stored.equals(value)) {
                String reason =
                        "the rows of the schema %s were made with %s"
                                .formatted(settings.schema(), stored);
                found.add(new PinMismatch(name, stored, value, reason));
            }
        }
        return found;
    }

    private SortedMap<String, Pin> read(Connection connection) throws SQLException {
        SortedMap<String, Pin> pins = new TreeMap<>();
        if (!exists(connection, "pin")) {
            return pins;
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(READ.formatted(settings.quotedSchema()))) {
            while (row.next()) {
                Pin pin =
                        new Pin(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getTimestamp(5).toInstant());
                pins.put(pin.name(), pin);
            }
        }
        return pins;
    }

    private boolean exists(Connection connection, String table) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT to_regclass(?)")) {
            query.setString(1, settings.quotedSchema() + '.' + table);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getString(1) != null;
            }
        }
    }

    private void write(Connection connection, String sql, SortedMap<String, String> values)
            throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(sql.formatted(settings.quotedSchema()))) {
            for (Map.Entry<String, String> each : values.entrySet()) {
                statement.setString(1, each.getKey());
                statement.setString(2, each.getValue());
                statement.setString(3, settings.instance());
                statement.executeUpdate();
            }
            execute(connection, REMOVE_UNSET);
        }
        FormerSpread.write(connection, settings);
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(settings.quotedSchema()));
        }
    }

    private <T> T call(Work<T> work) {
        try (Connection connection =
                new Connector(settings, settings.timeouts().lock()).getConnection()) {
            return work.on(connection);
        } catch (SQLException e) {
            throw new SqlErrors(settings).unavailable(e);
        }
    }
}
