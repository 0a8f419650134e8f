package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.ServerLife;
import dev.envelope.idempotency.store.postgres.sql.SqlErrors;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When plain inserts are tried, and that they are all or nothing. */
class NewRowsTest {

    private static final int MANY = 200;
    private static final int SEVERAL_STATEMENTS = 12_000;

    private PostgresFixture fixture;
    private NewRows newRows;
    private SaveTargets targets;
    private Connector connector;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        fixture = new PostgresFixture();
        newRows = new NewRows();
        targets = SaveTargets.of(new SaveTarget(fixture.settings(), new RelayNumber(), null));
        connector = new Connector(fixture.settings(), Duration.ofSeconds(1));
        connection = connector.getConnection();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        fixture.close();
    }

    @Test
    void onlyManyRowsThatAreAllNewAreWorthATry() throws SQLException {
        assertThat(save(rows("few", 20))).isFalse();
        List<Change> mixed = rows("mixed", MANY);
        mixed.set(17, change("mixed 17", 3));
        assertThat(save(mixed)).isFalse();
        assertThat(count()).isZero();

        assertThat(save(rows("new", MANY))).isTrue();
        assertThat(count()).isEqualTo(MANY);
    }

    @Test
    void oneThatIsThereAlreadyUndoesAllOfThemAndForAWhileNothingIsTried() throws SQLException {
        save(rows("a", MANY));
        List<Change> rows = rows("b", SEVERAL_STATEMENTS);
        rows.set(SEVERAL_STATEMENTS - 1, change("a 3", 0));

        assertThat(save(rows)).isFalse();
        assertThat(count()).isEqualTo(MANY);
        assertThat(connection.getAutoCommit()).isTrue();

        int inVain = 0;
        while (!save(rows("c", MANY))) {
            inVain++;
        }
        assertThat(inVain).isBetween(10, 100);
        assertThat(count()).isEqualTo(2 * MANY);
    }

    @Test
    void onAnotherServerThanTheOneThatIsMeantNothingIsInserted() {
        ServerLife other = ServerLife.of(1, 1);
        for (int rows : List.of(MANY, SEVERAL_STATEMENTS)) {
            assertThatThrownBy(
                            () ->
                                    newRows.save(
                                            connection,
                                            other,
                                            SaveBatch.split(rows("x" + rows, rows), targets)))
                    .isInstanceOf(OtherIncarnationException.class);
        }
        assertThat(count()).isZero();
    }

    @Test
    void whoFailsOnANewKeyOfAnothersTransactionTriesAgainAroundIt() throws SQLException {
        try (Connection other = fixture.server().connect()) {
            other.setAutoCommit(false);
            other.createStatement()
                    .execute(
                            "INSERT INTO %s.state (key, version, marks) VALUES ('a 7', 1, '')"
                                    .formatted(fixture.settings().schema()));

            assertThatThrownBy(() -> save(rows("a", MANY)))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(SqlErrors.fault(e)).isEqualTo(SqlErrors.Fault.LOCK));
        }
        assertThat(fixture.states().save(rows("a", MANY), Patience.WAIT, now()))
                .doesNotContain(false);
    }

    private Incarnation now() {
        return fixture.checkpoints().incarnation();
    }

    private boolean save(List<Change> rows) throws SQLException {
        return newRows.save(
                connection, connector.lifeOf(connection), SaveBatch.split(rows, targets));
    }

    private int count() {
        return Integer.parseInt(
                fixture.server()
                        .query("SELECT count(*) FROM " + fixture.settings().schema() + ".state"));
    }

    private static List<Change> rows(String name, int count) {
        List<Change> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(change(name + " " + i, 0));
        }
        return rows;
    }

    private static Change change(String key, long fromVersion) {
        byte[] state = "{}".getBytes(StandardCharsets.UTF_8);
        return new Change(key, fromVersion, state, Marks.NONE, null, 0, List.of());
    }
}
