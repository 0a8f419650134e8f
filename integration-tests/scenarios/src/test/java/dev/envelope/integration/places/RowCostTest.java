package dev.envelope.integration.places;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.integration.app.Applications;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a row costs the database: room, log and time, by the store itself and without a consumer. It
 * measures, so it runs when it is told how many: {@code -Drow.cost.rows=10000000}.
 */
@Tag("cluster")
@EnabledIfSystemProperty(named = "row.cost.rows", matches = ".+")
@ExtendWith(OneStack.class)
class RowCostTest {

    private static final int ROWS = Integer.getInteger("row.cost.rows", 20_000);
    private static final int AT_ONCE = 10_000;

    private final LocalStack stack;
    private final Database database;

    RowCostTest(LocalStack stack) {
        this.stack = stack;
        this.database = stack.postgres().createDatabase("row_cost");
    }

    @Test
    void aRowIsMadeChangedAndVacuumed() throws SQLException {
        String password = database.password();
        PostgresSettings settings =
                new PostgresSettings(
                        database.url(),
                        new PostgresSettings.Login(database.user(), password::toCharArray),
                        "cost",
                        "cost",
                        "one",
                        1,
                        PostgresSettings.Timeouts.DEFAULT);
        new Migrator(settings, null).migrate();
        try (PostgresStore store = PostgresStore.open(settings)) {
            StateStore states = store.states();
            Incarnation now = store.checkpoints().incarnation();
            Cost made = new Cost("made, in the order of their keys");
            for (int from = 0; from < ROWS; from += AT_ONCE) {
                List<Change> changes = new ArrayList<>();
                for (int row = from; row < Math.min(ROWS, from + AT_ONCE); row++) {
                    changes.add(change(row, 0));
                }
                assertThat(states.save(changes, Patience.WAIT, now)).doesNotContain(false);
            }
            made.print(ROWS);

            Cost changed = new Cost("changed, one in ten, anywhere");
            SplittableRandom random = new SplittableRandom(1);
            int turns = Math.max(1, ROWS / 10 / AT_ONCE);
            int each = ROWS / 10 / turns;
            for (int turn = 0; turn < turns; turn++) {
                List<Change> changes = new ArrayList<>();
                for (int i = 0; i < each; i++) { // each row once: there are others between them
                    int row = (turn * each + i) * 10 + random.nextInt(10);
                    changes.add(change((int) (row * 7_919L % ROWS), 1));
                }
                states.save(changes, Patience.WAIT, now);
            }
            changed.print(turns * each);
        }
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Cost vacuumed = new Cost("vacuumed, rows of the table");
            statement.execute("VACUUM cost.state");
            vacuumed.print(ROWS);
        }
    }

    private static Change change(int row, long fromVersion) {
        String state =
                "{\"account\":\"account-%09d\",\"balance\":%d,\"count\":%d,\"last\":\"2026-11-27T12:00:00Z\"}"
                        .formatted(row, row * 17L, fromVersion + 1);
        return new Change(
                "account-%09d".formatted(row),
                fromVersion,
                state.getBytes(StandardCharsets.UTF_8),
                Marks.NONE.advance(1 + row % 64, new NextOffset(1_000_000_000L + row, 4)),
                null,
                0,
                List.of());
    }

    /** From its beginning on. */
    private final class Cost {

        private final String what;
        private final long begun = System.nanoTime();
        private final Duration cpu = cpu();
        private final long log = number("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn");

        Cost(String what) {
            this.what = what;
        }

        void print(int rows) {
            System.out.printf(
                    Locale.ROOT,
                    "%,d rows %s: %,.0f/s, %.1f CPU s of the server per million, %.0f bytes of log each; the table has %.0f bytes a row, its indexes %.0f%n",
                    rows,
                    what,
                    rows / ((System.nanoTime() - begun) / 1e9),
                    cpu().minus(cpu).toMillis() * 1_000.0 / rows,
                    (number("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn") - log) / (double) rows,
                    number("SELECT pg_table_size('cost.state')") / (double) ROWS,
                    number("SELECT pg_indexes_size('cost.state')") / (double) ROWS);
        }

        private long number(String sql) {
            return Applications.number(database, sql);
        }

        /** Of the server's processes that there are. */
        private Duration cpu() {
            return ProcessHandle.of(stack.postgres().process().pid()).stream()
                    .flatMap(ProcessHandle::descendants)
                    .flatMap(process -> process.info().totalCpuDuration().stream())
                    .reduce(Duration.ZERO, Duration::plus);
        }
    }
}
