package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.WorkStoreContract;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings.Timeouts;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.WorkStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What handlers write through a connection that they are given. */
class PostgresWorkStoreTest extends WorkStoreContract {

    private final PostgresFixture fixture = new PostgresFixture();

    @Override
    protected WorkStore open() {
        String table = fixture.settings().schema() + ".effect";
        fixture.server()
                .execute(
                        "CREATE TABLE %1$s (record_offset bigint, UNIQUE (record_offset) DEFERRABLE INITIALLY DEFERRED); GRANT ALL ON %1$s TO PUBLIC"
                                .formatted(table));
        return PostgresWorkStore.open(fixture.settings(), Duration.ofSeconds(1));
    }

    @AfterEach
    void closeFixture() {
        fixture.close();
    }

    @Override
    protected Checkpoints checkpoints() {
        return fixture.checkpoints();
    }

    private static Statement statement(@Nullable Connection connection) throws SQLException {
        return Objects.requireNonNull(connection).createStatement();
    }

    @Override
    protected void write(@Nullable Connection connection, long offset) throws SQLException {
        try (Statement statement = statement(connection)) {
            statement.execute(
                    "INSERT INTO %s.effect VALUES (%d)"
                            .formatted(fixture.settings().schema(), offset));
        }
    }

    /** As a handler's statement. */
    private void execute(String sql) throws Exception {
        transactions()
                .once(
                        List.of(message(5)),
                        (before, connection) -> {
                            try (Statement statement = statement(connection)) {
                                statement.execute(sql);
                            }
                        });
    }

    @Override
    protected String effects() {
        return asked("effect");
    }

    @Override
    protected String marks() {
        return asked("done");
    }

    private String asked(String table) {
        return fixture.server()
                .query(
                        "SELECT coalesce(string_agg(record_offset::text, ' ' ORDER BY record_offset), '') FROM %s.%s"
                                .formatted(fixture.settings().schema(), table));
    }

    @Test
    void aMarkThatIsDeletedWhileItIsWaitedForIsNotMissed() throws Exception {
        try (Connection rival = fixture.server().connect();
                Statement statement = rival.createStatement()) {
            once(message(5));
            rival.setAutoCommit(false);
            String schema = fixture.settings().schema();
            statement.execute(
                    "UPDATE %s.checkpoint SET next_offset = 6, leader_epoch = 0".formatted(schema));
            statement.execute("DELETE FROM %s.done".formatted(schema));
            CompletableFuture<BitSet> late =
                    CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return once(message(5));
                                } catch (Exception e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            fixture.server()
                    .await(
                            "EXISTS (SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid')");
            rival.commit();

            assertThat(late.get(5, TimeUnit.SECONDS)).isEqualTo(places(0));
            assertThat(effects()).isEqualTo("5");
        }
    }

    @Test
    void aTransactionThatIsSilentForTooLongIsEndedAndItsRivalGoesOn() throws Exception {
        assertThatThrownBy(
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(5)),
                                                (before, connection) -> {
                                                    write(connection, 5);
                                                    fixture.server()
                                                            .await(
                                                                    "NOT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name LIKE '%%%s%%')"
                                                                            .formatted(
                                                                                    fixture.settings()
                                                                                            .applicationId()));
                                                    write(connection, 6);
                                                }))
                .isInstanceOf(UnavailableException.class);
        assertThat(once(message(5))).isEqualTo(places());
        assertThat(effects()).isEqualTo("5");
    }

    @Test
    void aHandlerThatFailsByItselfHasFailedThoughItsSessionIsGone() {
        assertThatThrownBy(
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(5)),
                                                (before, connection) -> {
                                                    endSessions();
                                                    throw new IllegalStateException("bad");
                                                }))
                .isInstanceOf(IllegalStateException.class);
    }

    private void endSessions() {
        fixture.server()
                .query(
                        "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE state = 'idle in transaction'");
    }

    @Test
    void aSessionThatEndsIsNoFaultOfTheHandler() throws Exception {
        assertThatThrownBy(
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(5)),
                                                (before, connection) -> {
                                                    endSessions();
                                                    write(connection, 5);
                                                }))
                .isInstanceOf(UnavailableException.class);
        assertThatThrownBy(
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(5)),
                                                (before, connection) -> {
                                                    write(connection, 5);
                                                    endSessions();
                                                }))
                .isInstanceOf(UnavailableException.class);
        assertThat(once(message(5))).isEqualTo(places());
        assertThat(effects()).isEqualTo("5");
    }

    @Test
    void whoGetsNoConnectionSinceAllAreInUseWaitsAndTakesTheDatabaseForWell() throws Exception {
        PostgresSettings all = fixture.settings();
        PostgresSettings one =
                new PostgresSettings(
                        all.url(),
                        all.login(),
                        all.schema(),
                        all.applicationId(),
                        all.instance(),
                        1,
                        new Timeouts(
                                Duration.ofSeconds(5),
                                Duration.ofMillis(500),
                                all.timeouts().lock(),
                                all.timeouts().statement(),
                                all.timeouts().socket(),
                                all.timeouts().idleInTransaction()));
        try (PostgresWorkStore small = PostgresWorkStore.open(one, Duration.ofSeconds(10))) {
            small.transactions()
                    .once(
                            List.of(message(5)),
                            (before, connection) ->
                                    assertThatThrownBy(
                                                    () ->
                                                            small.transactions()
                                                                    .once(
                                                                            List.of(message(6)),
                                                                            (none, other) -> {}))
                                            .isInstanceOf(StoreException.RowLocked.class)
                                            .hasMessageContaining("store.connections"));
        }
        assertThat(marks()).isEqualTo("5");
    }

    @Test
    void aServerWithoutMemoryIsNoFaultOfTheHandler() {
        assertThatThrownBy(() -> execute("DO $$ BEGIN RAISE SQLSTATE '53200'; END $$"))
                .isInstanceOf(UnavailableException.class);
        assertThat(marks()).isEmpty();
    }

    @Test
    void aLockThatIsNotFreeIsNoFailureAndAStatementThatFailsIsOne() throws Exception {
        try (Connection other = fixture.server().connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "LOCK TABLE %s.effect IN EXCLUSIVE MODE"
                            .formatted(fixture.settings().schema()));
            assertThatThrownBy(() -> once(message(5))).isInstanceOf(StoreException.RowLocked.class);
        }
        assertThatThrownBy(() -> execute("SELECT 1/0")).isInstanceOf(SQLException.class);
        assertThat(marks()).isEmpty();
    }

    @Test
    void whatFailsAtTheCommitHasFailed() throws Exception {
        once(message(5));
        assertThatThrownBy( // the constraint is deferred
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(6)),
                                                (before, connection) -> write(connection, 5)))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy( // the handler has swallowed it
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(6)),
                                                (before, connection) -> {
                                                    try (Statement bad = statement(connection)) {
                                                        bad.execute("SELECT 1/0");
                                                    } catch (SQLException e) {
                                                        assertThat(e.getMessage()).contains("zero");
                                                    }
                                                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(marks()).isEqualTo("5");
    }

    @Test
    void whateverADeferredTriggerRaisesIsAFailureOfTheHandler() throws Exception {
        String table = fixture.settings().schema() + ".effect";
        fixture.server()
                .execute(
                        "CREATE FUNCTION %1$s_odd() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'odd' USING ERRCODE = '42703'; END $$; CREATE CONSTRAINT TRIGGER odd AFTER INSERT ON %1$s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION %1$s_odd()"
                                .formatted(table));

        assertThatThrownBy(() -> once(message(5))).isInstanceOf(SQLException.class);
        assertThat(marks()).isEmpty();
    }

    /** As functions do that name no code. */
    @Test
    void anInternalErrorIsAFailureOfTheHandler() {
        assertThatThrownBy(() -> execute("DO $$ BEGIN RAISE 'bad' USING ERRCODE = 'XX000'; END $$"))
                .isInstanceOf(SQLException.class);
        assertThat(marks()).isEmpty();
    }

    @Test
    void aCallThatTookTooLongHasFailedWhateverItMeetsThen() {
        SQLException gone = new SQLException("the connection is closed", "08003");
        for (RuntimeException thrown :
                List.of(
                        new HandlerTimeoutException(getClass(), gone),
                        new UnavailableException("billing is away", gone))) {
            assertThatThrownBy(
                            () ->
                                    transactions()
                                            .once(
                                                    List.of(message(5)),
                                                    (before, connection) -> {
                                                        endSessions();
                                                        throw thrown;
                                                    }))
                    .isSameAs(thrown);
        }
    }

    @Test
    void theConnectionCanNotEndItsTransactionAndIsOfNoUseAfterTheCall() throws Exception {
        AtomicReference<@Nullable Connection> kept = new AtomicReference<>();
        transactions()
                .once(
                        List.of(message(5)),
                        (before, given) -> {
                            Connection connection = Objects.requireNonNull(given);
                            assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
                            assertThatThrownBy(connection::rollback)
                                    .isInstanceOf(SQLException.class);
                            assertThatThrownBy(() -> connection.setAutoCommit(true))
                                    .isInstanceOf(SQLException.class);
                            assertThatThrownBy(() -> connection.unwrap(Connection.class))
                                    .isInstanceOf(SQLException.class);
                            write(connection, 1);
                            connection.rollback(savepointAfter(connection));
                            connection.close();
                            write(connection, 5);
                            kept.set(connection);
                        });
        assertThat(effects()).isEqualTo("1 5");
        assertThatThrownBy(() -> write(kept.get(), 6))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("over");
        assertThatThrownBy(
                        () ->
                                transactions()
                                        .once(
                                                List.of(message(6)),
                                                (before, connection) -> {
                                                    try (Statement own = statement(connection)) {
                                                        own.execute("ROLLBACK");
                                                    }
                                                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(marks()).isEqualTo("5");
    }

    private Savepoint savepointAfter(Connection connection) throws SQLException {
        Savepoint point = connection.setSavepoint();
        write(connection, 2);
        return point;
    }

    @Test
    void usersStatementsAreInASessionAsTheRoleHasIt() throws Exception {
        AtomicReference<String> found = new AtomicReference<>("");
        transactions()
                .once(
                        List.of(message(5)),
                        (before, connection) -> {
                            try (Statement query = statement(connection);
                                    ResultSet row =
                                            query.executeQuery(
                                                    "SELECT current_setting('search_path') || current_setting('enable_hashjoin')")) {
                                row.next();
                                found.set(row.getString(1));
                            }
                        });
        assertThat(found.get()).contains("public").endsWith("on");
    }
}
