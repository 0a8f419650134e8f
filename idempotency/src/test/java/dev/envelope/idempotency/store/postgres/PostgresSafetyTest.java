package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.row.StoreException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

/** What must hold when something outside does what nobody asked for. */
class PostgresSafetyTest {

    @Test
    void aServerThatChangedBehindAnOpenConnectionIsLeftUntouched() throws SQLException {
        try (PostgresFixture fixture = new PostgresFixture();
                Connection connection =
                        new Connector(fixture.settings(), Duration.ofSeconds(1)).getConnection()) {
            Incarnation now = fixture.checkpoints().incarnation();
            fixture.states().save(List.of(change("old", 0, "1")), Patience.WAIT, now);
            ServerLife other = ServerLife.of(1, 1);
            List<Change> changes = List.of(emitting("old", 1), emitting("new", 0));
            for (boolean skipLocked : List.of(true, false)) {
                boolean[] saved = new boolean[changes.size()];

                assertThatThrownBy(
                                () ->
                                        SaveBatch.split(
                                                        changes,
                                                        SaveTargets.of(
                                                                new SaveTarget(
                                                                        fixture.settings(),
                                                                        new RelayNumber(),
                                                                        null)))
                                                .get(0)
                                                .save(connection, other, skipLocked, saved))
                        .isInstanceOf(OtherIncarnationException.class);

                assertThat(saved).containsOnly(false);
            }
            assertThat(fixture.states().load(List.of("old", "new"), now).values())
                    .singleElement()
                    .matches(row -> row.version() == 1);
            assertThat(fixture.start("one").outputs().depth(10).outputs()).isZero();
        }
    }

    private static Change emitting(String key, long fromVersion) {
        Output output =
                new Output(
                        Messages.parked(1, 1, key).message(),
                        1,
                        "out",
                        null,
                        null,
                        new RecordHeaders());
        return new Change(
                key,
                fromVersion,
                "2".getBytes(StandardCharsets.UTF_8),
                Marks.NONE,
                null,
                0,
                new Change.Beside(List.of(), List.of(), HandlerEffects.of(List.of(output))));
    }

    @Test
    void preparedStatementsOfOthersAreASignOfAPooler() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            SQLException poolers =
                    new SQLException("prepared statement \"S_1\" already exists", "42P05");

            assertThat(new SqlErrors(fixture.settings()).unavailable(poolers))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("pooler in transaction mode");
        }
    }

    @Test
    void anErrorDoesNotQuoteTheRow() {
        String canary = "canary-41";
        List<Change> faulty =
                List.of(
                        change("a", 0, canary),
                        change(canary + "\0", 0, "1"),
                        change(canary + "\ud800", 0, "1"));
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation now = fixture.checkpoints().incarnation();
            for (Change change : faulty) {
                Throwable thrown =
                        catchThrowable(
                                () -> fixture.states().save(List.of(change), Patience.WAIT, now));
                StringWriter trace = new StringWriter();
                thrown.printStackTrace(new PrintWriter(trace));

                assertThat(thrown).isInstanceOf(StoreException.RowFault.class);
                assertThat(trace.toString()).doesNotContain(canary).contains("SQLSTATE 22");
            }
        }
    }

    @Test
    void savesInOppositeOrdersNeverWaitInACircle() throws InterruptedException {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Incarnation now = fixture.checkpoints().incarnation();
            List<Throwable> failures = new ArrayList<>();
            List<Thread> workers = new ArrayList<>();
            for (int worker = 0; worker < 3; worker++) {
                boolean forward = worker % 2 == 0;
                Thread thread =
                        new Thread(
                                () -> {
                                    for (int version = 0; version < 20; version++) {
                                        fixture.states()
                                                .save(rows(version, forward), Patience.WAIT, now);
                                    }
                                });
                thread.setUncaughtExceptionHandler(
                        (dead, failure) -> {
                            synchronized (failures) {
                                failures.add(failure);
                            }
                        });
                workers.add(thread);
            }
            workers.forEach(Thread::start);
            for (Thread worker : workers) {
                worker.join();
            }

            assertThat(failures).isEmpty();
        }
    }

    private static List<Change> rows(int version, boolean forward) {
        List<Change> rows = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            rows.add(change("key " + (forward ? i : 499 - i), version, "{}"));
        }
        return rows;
    }

    private static Change change(String key, long fromVersion, String state) {
        return new Change(
                key,
                fromVersion,
                state.getBytes(StandardCharsets.UTF_8),
                Marks.NONE,
                null,
                0,
                List.of());
    }
}
