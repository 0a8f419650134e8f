package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Saves beside a session that holds locks of its own. */
class PostgresLocksTest {

    private PostgresFixture fixture;
    private StateStore store;
    private Incarnation now;
    private Connection other;

    @BeforeEach
    void open() throws SQLException {
        fixture = new PostgresFixture();
        store = fixture.states();
        now = fixture.checkpoints().incarnation();
        save(rows(0, 200));
        other = fixture.server().connect();
        other.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        other.close();
        fixture.close();
    }

    @Test
    void aLockedRowFailsTheWholeSaveWithinTheLockTimeout() throws SQLException {
        hold("SELECT * FROM %s.state WHERE key = 'key 17' FOR UPDATE");

        assertThatThrownBy(() -> store.save(rows(1, 200), Patience.WAIT, now))
                .isInstanceOf(StoreException.RowLocked.class);
        other.rollback();
        assertThat(store.save(rows(1, 200), Patience.WAIT, now)).doesNotContain(false);
    }

    @Test
    void aLockedRowIsSkippedAndTheOthersAreSaved() throws SQLException {
        hold("SELECT * FROM %s.state WHERE key IN ('key 17', 'key 171') FOR UPDATE");

        assertLeftOut(store.save(rows(1, 200), Patience.SKIP, now), 17, 171);
    }

    @Test
    void aKeyThatIsJustBeingInsertedIsSkippedAndTheOthersAreSaved() throws SQLException {
        hold("INSERT INTO %s.state (key, version, marks) VALUES ('key 333', 1, '')");
        List<Change> changes = new ArrayList<>(rows(1, 200));
        changes.addAll(rows(0, 400).subList(200, 400));

        assertLeftOut(saveAllBut(1, changes), 333);
    }

    @Test
    void someKeysThatAreJustBeingInsertedLeaveOutNobodyElse() throws SQLException {
        hold(
                "INSERT INTO %s.state (key, version, marks) SELECT 'key ' || n, 1, ''"
                        + " FROM unnest(ARRAY[200, 250, 300, 301, 450, 699]) AS n");
        List<Change> changes = new ArrayList<>(rows(1, 200));
        changes.addAll(rows(0, 700).subList(200, 700));

        assertLeftOut(saveAllBut(6, changes), 200, 250, 300, 301, 450, 699);
    }

    @Test
    void aTableThatIsLockedIsAnOutageAndNoLaneIsHeldForLong() throws SQLException {
        hold("LOCK TABLE %s.state IN SHARE MODE");

        assertThatThrownBy(() -> store.save(rows(1, 200), Patience.SKIP, now))
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("the whole table");
    }

    @Test
    void aRowThatTravelsAloneWaitsForItsLockAndTakesNoLane() throws SQLException {
        hold("SELECT * FROM %s.state WHERE key = 'key 17' FOR UPDATE");
        CompletableFuture<boolean[]> alone =
                CompletableFuture.supplyAsync(
                        () -> store.save(rows(1, 18).subList(17, 18), Patience.ALONE, now));
        awaitBlocked();
        assertThat(store.save(rows(1, 17), Patience.WAIT, now)).doesNotContain(false);
        assertThat(alone).isNotDone();

        other.rollback();

        assertThat(alone.join()).containsExactly(true);
    }

    @Test
    void aRowThatChangedWhileItsLockWasWaitedForIsLeftOut() throws SQLException {
        hold("UPDATE %s.state SET version = version + 1 WHERE key = 'key 17'");
        CompletableFuture<boolean[]> save =
                CompletableFuture.supplyAsync(() -> store.save(rows(1, 20), Patience.ALONE, now));
        awaitBlocked();

        other.commit();

        assertLeftOut(save.join(), 17);
    }

    @Test
    void aSaveWhoseServerProcessDiesHasAnUnknownOutcome() throws SQLException {
        hold("SELECT * FROM %s.state WHERE key = 'key 17' FOR UPDATE");
        CompletableFuture<boolean[]> save =
                CompletableFuture.supplyAsync(() -> store.save(rows(1, 20), Patience.ALONE, now));
        awaitBlocked();

        fixture.server()
                .execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                + " WHERE application_name = 'envelope shop test-1'"
                                + " AND wait_event_type = 'Lock'");

        assertThatThrownBy(save::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isExactlyInstanceOf(UnavailableException.class);
        other.rollback();
        assertThat(store.save(rows(1, 20), Patience.ALONE, now)).doesNotContain(false);
    }

    @Test
    void aLoadThatCannotGetTheTableComesAgain() throws SQLException {
        hold("LOCK TABLE %s.state IN ACCESS EXCLUSIVE MODE");

        assertThatThrownBy(() -> store.load(List.of("key 1"), now))
                .isExactlyInstanceOf(UnavailableException.class);
    }

    private void hold(String sql) throws SQLException {
        try (Statement statement = other.createStatement()) {
            statement.execute(sql.formatted(fixture.settings().schema()));
        }
    }

    private void awaitBlocked() {
        fixture.server()
                .await(
                        TestServer.isCitus()
                                ? "EXISTS (SELECT FROM run_command_on_workers($$SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'$$) WHERE result <> '0')"
                                : "EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                        + " AND application_name = 'envelope shop test-1')");
    }

    private void assertLeftOut(boolean[] saved, int... leftOut) {
        for (int i = 0; i < saved.length; i++) {
            int row = i;
            assertThat(saved[i])
                    .as("row %d", i)
                    .isEqualTo(Arrays.stream(leftOut).noneMatch(out -> out == row));
        }
    }

    /** A save takes a fifth of a second at most; on a busy machine that is not enough for all. */
    private boolean[] saveAllBut(int leftOut, List<Change> changes) {
        boolean[] saved = new boolean[changes.size()];
        int[] left = IntStream.range(0, saved.length).toArray();
        for (int save = 0; save < 50 && left.length > leftOut; save++) {
            List<Change> some = Arrays.stream(left).mapToObj(changes::get).toList();
            boolean[] won = store.save(some, Patience.SKIP, now);
            for (int i = 0; i < left.length; i++) {
                saved[left[i]] = won[i];
            }
            left = IntStream.range(0, saved.length).filter(i -> !saved[i]).toArray();
        }
        return saved;
    }

    private void save(List<Change> changes) {
        assertThat(store.save(changes, Patience.WAIT, now)).doesNotContain(false);
    }

    private static List<Change> rows(long fromVersion, int count) {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] state = ("{\"n\":" + i + "}").getBytes(StandardCharsets.UTF_8);
            changes.add(new Change("key " + i, fromVersion, state, Marks.NONE, null, 0, List.of()));
        }
        return changes;
    }
}
