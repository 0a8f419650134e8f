package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.TimerStoreContract;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.timer.Timer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class PostgresTimerStoreTest extends TimerStoreContract {

    private static final int MANY = 100_000;

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Test
    void aTimeIsRoundedUpToMicrosecondsSoThatNoTimerIsEarly() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Timer timer =
                    Timer.set(
                            "it",
                            Messages.parked(1, 0, "a").message(),
                            1,
                            Instant.parse("2026-01-01T00:00:00.000001001Z"),
                            new byte[0]);
            HandlerEffects effects = new HandlerEffects(List.of(), List.of(timer), List.of());

            fixture.states()
                    .save(
                            List.of(Messages.change("a", Snapshot.ABSENT, effects)),
                            Patience.WAIT,
                            fixture.checkpoints().incarnation());

            String dueAt =
                    "SELECT to_char(due_at AT TIME ZONE 'UTC', 'HH24:MI:SS.US') FROM %s.timer"
                            .formatted(fixture.settings().schema());
            assertThat(fixture.server().query(dueAt)).isEqualTo("00:00:00.000002");
        }
    }

    @Test
    void largeOnesThatSomebodyHoldsKeepNoOthersFromFiring() throws SQLException {
        try (PostgresFixture fixture = new PostgresFixture()) {
            int source = introduced(fixture);
            String timers = fixture.settings().schema() + ".timer";
            fixture.server()
                    .execute(
                            ("INSERT INTO %s (key, name, due_at, payload, record_key, source, record_offset, leader_epoch, ordinal)"
                                            + " SELECT 'k' || i, 'it', now() - (10 - i) * interval '1 minute',"
                                            + " decode(repeat('00', CASE WHEN i < 3 THEN 3000000 ELSE 1 END), 'hex'), 'k', %d, i, 0, 1"
                                            + " FROM generate_series(1, 3) i")
                                    .formatted(timers, source));
            try (PostgresStore process = PostgresStore.open(fixture.settings("timers"));
                    Connection other = fixture.server().connect();
                    Statement statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("SELECT FROM " + timers + " WHERE key < 'k3' FOR UPDATE");

                assertThat(process.timers().fire(OWNED, 500).firings())
                        .extracting(it -> it.origin().key())
                        .containsExactly("k3");
            }
        }
    }

    /** Whether they are due or not; before the table was analyzed, and after it. */
    @Test
    void ofManyTimersOnlyThoseAreReadThatFireNow() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            int source = introduced(fixture);
            try (PostgresStore process = PostgresStore.open(fixture.settings("timers"))) {
                insert(fixture, source, "pending", "now() + interval '1 day'");
                assertThat(process.timers().fire(OWNED, 500).firings()).isEmpty();
                insert(fixture, source, "overdue", "now() - interval '1 day'");
                fixture.server().execute("ANALYZE " + fixture.settings().schema() + ".timer");
                assertThat(process.timers().fire(OWNED, 500).firings()).hasSize(500);
            }

            String read =
                    "(SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_all_tables"
                            + " WHERE schemaname = '%s' AND relname = 'timer')"
                                    .formatted(fixture.settings().schema());
            fixture.server().await(read + " >= 500"); // connections tell it when they end
            assertThat(Long.parseLong(fixture.server().query("SELECT " + read + "::text")))
                    .isLessThan(10_000);
        }
    }

    private static final List<TopicPartition> OWNED = List.of(new TopicPartition("t-x", 3));

    private static int introduced(PostgresFixture fixture) {
        NewSource fresh = new NewSource(OWNED.get(0), new Uuid(1, 1), new NextOffset(0, 0));
        return fixture.checkpoints().introduce(List.of(fresh)).sources().get(0).number();
    }

    private static void insert(PostgresFixture fixture, int source, String name, String due) {
        fixture.server()
                .execute(
                        """
                        INSERT INTO %s.timer (key, name, due_at, payload, source, record_offset,
                                              leader_epoch, ordinal)
                        SELECT 'key-' || i, '%s', %s, '', %d, i, 0, 0
                        FROM generate_series(1, %d) AS i
                        """
                                .formatted(fixture.settings().schema(), name, due, source, MANY));
    }
}
