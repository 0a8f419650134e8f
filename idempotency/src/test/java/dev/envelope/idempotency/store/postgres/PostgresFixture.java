package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A store in a schema of its own, used by a role that may change no tables. */
public final class PostgresFixture implements StoreFixture {

    private final TestServer server;
    private final PostgresSettings settings;
    private final PostgresStore store;
    private final List<PostgresStore> others = new ArrayList<>();

    public PostgresFixture() {
        this(TestServer.shared());
    }

    public PostgresFixture(TestServer server) {
        this.server = server;
        this.settings = server.newMigratedSettings();
        this.store = PostgresStore.open(settings);
    }

    public TestServer server() {
        return server;
    }

    public PostgresSettings settings() {
        return settings;
    }

    /** The same schema, for another process. */
    public PostgresSettings settings(String instance) {
        return new PostgresSettings(
                settings.url(),
                settings.login(),
                settings.schema(),
                settings.applicationId(),
                instance,
                settings.lanes(),
                settings.timeouts());
    }

    @Override
    public StateStore states() {
        return store.states();
    }

    @Override
    public Checkpoints checkpoints() {
        return store.checkpoints();
    }

    @Override
    public SourceCopies sources() {
        return store.sources();
    }

    @Override
    public RowReads reads() {
        return store.reads();
    }

    @Override
    public OutboxStore outbox(String process) {
        PostgresStore other = PostgresStore.open(settings(process));
        others.add(other);
        return other.outbox();
    }

    @Override
    public Started start(String process) {
        PostgresStore other = PostgresStore.open(settings(process));
        others.add(other);
        return new Started(
                other.states(), other.parked(), other.requests(), other.outputs(), other.timers());
    }

    public PartitionStops stops() {
        return store.stops();
    }

    public ReplyStore replies() {
        return store.replies();
    }

    public CrashStore crashes() {
        return store.crashes();
    }

    public FrozenStore frozen() {
        return store.frozen();
    }

    public RequestStore requests() {
        return store.requests();
    }

    @Override
    public RequestStore requests(String process) {
        PostgresStore other = PostgresStore.open(settings(process));
        others.add(other);
        return other.requests();
    }

    @Override
    public void ask(
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state) {
        String sql =
                "INSERT INTO "
                        + settings.schema()
                        + ".request (row_key, action, position, version, state, requested_by)"
                        + " VALUES (?, ?, ?, ?, ?, 'me')";
        try (Connection connection = server.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, key);
            statement.setString(2, action.name().toLowerCase(Locale.ROOT).replace('_', ' '));
            statement.setObject(3, position);
            statement.setObject(4, version);
            statement.setString(5, state);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void deleteRow(String key) {
        server.execute("DELETE FROM " + settings.schema() + ".state WHERE key = '" + key + "'");
    }

    public ParkedStore parkedStore() {
        return store.parked();
    }

    @Override
    public List<ParkedRecord> parked() {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery(
                                "SELECT coalesce(row_key, ''), source, record_offset, value, reason"
                                        + " FROM "
                                        + settings.schema()
                                        + ".parked ORDER BY position")) {
            List<ParkedRecord> parked = new ArrayList<>();
            while (row.next()) {
                parked.add(
                        new ParkedRecord(
                                row.getString(1),
                                row.getInt(2),
                                row.getLong(3),
                                new String(row.getBytes(4), StandardCharsets.UTF_8),
                                row.getString(5)));
            }
            return parked;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public List<String> skipped() {
        String all =
                server.query(
                        "SELECT coalesce(string_agg(concat_ws(' ', source, first_offset,"
                                + " last_offset, cause), ',' ORDER BY first_offset), '') FROM "
                                + settings.schema()
                                + ".skipped");
        return all.isEmpty() ? List.of() : List.of(all.split(","));
    }

    @Override
    public void purgedTo(int source, NextOffset next) {
        server.execute(
                "UPDATE %s.source SET purged_below = %d, purged_epoch = %d WHERE number = %d"
                        .formatted(settings.schema(), next.offset(), next.leaderEpoch(), source));
    }

    @Override
    public void dropWithoutRow(int source, long offset) {
        String positions =
                server.query(
                        "SELECT coalesce(string_agg(position::text, ','), '') FROM %s.parked WHERE source = %d AND record_offset = %d"
                                .formatted(settings.schema(), source, offset));
        try (ParkedCatalog catalog = new OperatorConnections(settings, System::nanoTime).parked()) {
            catalog.deleteWithoutRow(
                    Stream.of(positions.split(",")).map(Long::parseLong).toList(), "me");
        }
    }

    @Override
    public boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        try (PauseCatalog catalog = new OperatorConnections(settings, System::nanoTime).pauses()) {
            return catalog.pause(kind, name, time, "me") == PauseCatalog.Answer.PAUSED;
        }
    }

    @Override
    public boolean resume(Pauses.Kind kind, String name) {
        try (PauseCatalog catalog = new OperatorConnections(settings, System::nanoTime).pauses()) {
            return catalog.resume(kind, name, "me");
        }
    }

    @Override
    public boolean castsToJsonb(String key) {
        try (Connection connection = server.connect();
                PreparedStatement statement =
                        connection.prepareStatement(
                                "SELECT state::jsonb IS NOT NULL FROM "
                                        + settings.schema()
                                        + ".state WHERE key = ?")) {
            statement.setString(1, key);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && row.getBoolean(1);
            }
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    public void close() {
        others.forEach(PostgresStore::close);
        store.close();
        server.giveBack(settings);
    }
}
