package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.Transactions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What handlers write through a connection that they are given. */
class PostgresWorkStoreTest {

    private static final TopicPartition PARTITION = new TopicPartition("t", 0);
    private static final Uuid TOPIC = new Uuid(7, 7);

    private PostgresFixture fixture;
    private PostgresWorkStore store;
    private Transactions transactions;
    private Incarnation life;
    private int source;

    @BeforeEach
    void open() {
        fixture = new PostgresFixture();
        source =
                fixture.checkpoints()
                        .introduce(List.of(new NewSource(PARTITION, TOPIC, new NextOffset(5, 0))))
                        .sources()
                        .get(0)
                        .number();
        life = fixture.checkpoints().incarnation();
        store = PostgresWorkStore.open(fixture.settings(), Duration.ofSeconds(1));
        transactions = store.transactions();
        String table = fixture.settings().schema() + ".effect";
        fixture.server()
                .execute(
                        "CREATE TABLE %1$s (record_offset bigint, UNIQUE (record_offset) DEFERRABLE INITIALLY DEFERRED); GRANT ALL ON %1$s TO PUBLIC"
                                .formatted(table));
    }

    @AfterEach
    void close() {
        store.close();
        fixture.close();
    }

    private Message message(long offset, int leaderEpoch) {
        return Records.message(epoch(Set.of()), offset, leaderEpoch, "k", "v");
    }

    private Message message(long offset) {
        return message(offset, 0);
    }

    private PartitionEpoch epoch(Set<Integer> formerSources) {
        return new PartitionEpoch(
                1, PARTITION, source, formerSources, life, new NextOffset(0, NextOffset.NO_EPOCH));
    }

    private static Statement statement(@Nullable Connection connection) throws SQLException {
        return Objects.requireNonNull(connection).createStatement();
    }

    private void write(@Nullable Connection connection, long offset) throws SQLException {
        try (Statement statement = statement(connection)) {
            statement.execute(
                    "INSERT INTO %s.effect VALUES (%d)"
                            .formatted(fixture.settings().schema(), offset));
        }
    }

    /** Writes a row for each that is not done; returns the places of those that are. */
    private BitSet once(Message... messages) throws Exception {
        return transactions.once(
                List.of(messages),
                (before, connection) -> {
                    for (int i = before.nextClearBit(0);
                            i < messages.length;
                            i = before.nextClearBit(i + 1)) {
                        write(connection, messages[i].offset());
                    }
                });
    }

    private String effects() {
        return asked("effect");
    }

    private String marks() {
        return asked("done");
    }

    private String asked(String table) {
        return fixture.server()
                .query(
                        "SELECT coalesce(string_agg(record_offset::text, ' ' ORDER BY record_offset), '') FROM %s.%s"
                                .formatted(fixture.settings().schema(), table));
    }

    private static BitSet places(int... all) {
        BitSet set = new BitSet();
        for (int each : all) {
            set.set(each);
        }
        return set;
    }

    private void checkpoint(long offset) {
        store.checkpoints().save(Map.of(source, new NextOffset(offset, 0)), life);
    }

    @Test
    void whatIsWrittenForAMessageIsThereOnce() throws Exception {
        assertThat(once(message(5), message(7))).isEqualTo(places());
        assertThat(once(message(5))).isEqualTo(places(0));
        assertThat(once(message(6), message(7), message(8))).isEqualTo(places(1));

        assertThat(effects()).isEqualTo("5 6 7 8");
        assertThat(marks()).isEqualTo("5 6 7 8");
    }

    @Test
    void whatIsThrownRollsBackTheMarkToo() throws Exception {
        assertThatThrownBy(
                        () ->
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            write(connection, 5);
                                            throw new IllegalStateException("bad");
                                        }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(effects() + marks()).isEmpty();
        assertThat(once(message(5))).isEqualTo(places());
    }

    @Test
    void marksBelowTheCheckpointAreDeletedAndTheirMessagesStayDone() throws Exception {
        once(message(5), message(6), message(9));
        assertThat(store.forgetSome()).isFalse();
        assertThat(marks()).isEqualTo("5 6 9");
        checkpoint(7);
        assertThat(store.forgetSome()).isFalse();

        assertThat(marks()).isEqualTo("9");
        assertThat(once(message(5), message(6))).isEqualTo(places(0, 1));
        assertThat(effects()).isEqualTo("5 6 9");
    }

    /** A process that was frozen before its transaction, while the next owner came far. */
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
    void aRivalWaitsForTheFirstAndLeavesTheMessageOut() throws Exception {
        CountDownLatch isInside = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CompletableFuture<Void> first =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            write(connection, 5);
                                            isInside.countDown();
                                            mayGoOn.await();
                                        });
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        isInside.await();

        assertThatThrownBy(() -> once(message(5))).isInstanceOf(StoreException.RowLocked.class);
        mayGoOn.countDown();
        first.join();
        assertThat(once(message(5))).isEqualTo(places(0));
        assertThat(effects()).isEqualTo("5");
    }

    @Test
    void aTransactionThatIsSilentForTooLongIsEndedAndItsRivalGoesOn() throws Exception {
        assertThatThrownBy(
                        () ->
                                transactions.once(
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
                                transactions.once(
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
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            endSessions();
                                            write(connection, 5);
                                        }))
                .isInstanceOf(UnavailableException.class);
        assertThatThrownBy(
                        () ->
                                transactions.once(
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
    void aServerWithoutMemoryIsNoFaultOfTheHandler() {
        assertThatThrownBy(
                        () ->
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            try (Statement any = statement(connection)) {
                                                any.execute(
                                                        "DO $$ BEGIN RAISE SQLSTATE '53200'; END $$");
                                            }
                                        }))
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
        assertThatThrownBy(
                        () ->
                                transactions.once(
                                        List.of(message(5)),
                                        (before, connection) -> {
                                            try (Statement bad = statement(connection)) {
                                                bad.execute("SELECT 1/0");
                                            }
                                        }))
                .isInstanceOf(SQLException.class);
        assertThat(marks()).isEmpty();
    }

    @Test
    void whatFailsAtTheCommitHasFailed() throws Exception {
        once(message(5));
        assertThatThrownBy( // the constraint is deferred
                        () ->
                                transactions.once(
                                        List.of(message(6)),
                                        (before, connection) -> write(connection, 5)))
                .isInstanceOf(SQLException.class);
        assertThatThrownBy( // the handler has swallowed it
                        () ->
                                transactions.once(
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
    void theConnectionCanNotEndItsTransactionAndIsOfNoUseAfterTheCall() throws Exception {
        AtomicReference<@Nullable Connection> kept = new AtomicReference<>();
        transactions.once(
                List.of(message(5)),
                (before, given) -> {
                    Connection connection = Objects.requireNonNull(given);
                    assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
                    assertThatThrownBy(connection::rollback).isInstanceOf(SQLException.class);
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
                                transactions.once(
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
        transactions.once(
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

    @Test
    void aRecordOfALaterLeaderEpochIsNotTakenForTheOneThatIsDone() throws Exception {
        once(message(5, 3), message(6, 3));
        assertThatThrownBy(() -> once(message(5, 4))).isInstanceOf(RewrittenLogException.class);
        store.checkpoints().save(Map.of(source, new NextOffset(6, 3)), life);
        store.forgetSome();
        assertThatThrownBy(() -> once(message(5, 4))).isInstanceOf(RewrittenLogException.class);
        assertThat(once(message(5, 3))).isEqualTo(places(0));
    }

    @Test
    void whatWasDoneBeforeAnAcceptedTruncationStaysDone() throws Exception {
        once(message(5, 3), message(6, 3));
        int former = source;
        source =
                fixture
                        .checkpoints()
                        .introduce(
                                List.of(
                                        new NewSource(
                                                PARTITION,
                                                TOPIC,
                                                1,
                                                new NextOffset(5, 0),
                                                0,
                                                Set.of())))
                        .sources()
                        .stream()
                        .mapToInt(it -> it.number())
                        .max()
                        .orElseThrow();
        Message same = Records.message(epoch(Set.of(former)), 5, 3, "k", "v");
        Message anew = Records.message(epoch(Set.of(former)), 6, 4, "k", "v");
        assertThat(transactions.once(List.of(same, anew), (before, connection) -> {}))
                .isEqualTo(places(0));
    }

    @Test
    void nothingIsDoneInAnotherLifeOfTheDatabase() {
        life = new Incarnation("another");
        assertThatThrownBy(() -> once(message(5))).isInstanceOf(OtherIncarnationException.class);
        assertThat(effects()).isEmpty();
    }

    @Test
    void nothingIsDoneForASourceThatIsNotKnown() {
        source = 4711;
        assertThatThrownBy(() -> once(message(5)))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("no longer knows");
    }
}
