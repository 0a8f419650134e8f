package dev.envelope.idempotency.store.postgres.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of a key's row. */
class KeyCatalogTest {

    private final PostgresFixture fixture = new PostgresFixture();
    private final int source = introduced();
    private final KeyCatalog catalog =
            new PostgresKeyCatalog(OperatorConnection.open(fixture.settings("operator")));

    @AfterEach
    void close() {
        catalog.close();
        fixture.close();
    }

    private int introduced() {
        NewSource fresh =
                new NewSource(new TopicPartition("t-x", 3), new Uuid(1, 1), new NextOffset(0, 0));
        return fixture.checkpoints().introduce(List.of(fresh)).sources().get(0).number();
    }

    private void insert(String key, String state) {
        fixture.server()
                .execute(
                        "INSERT INTO %s.state (key, state, version, marks, parked) VALUES ('%s', %s, 4, '%d:17@2', 3)"
                                .formatted(fixture.settings().schema(), key, state, source));
    }

    @Test
    void aRowIsShownWithItsStateItsMarksByPartitionAndWhatIsParked() {
        insert("a'' b", "'{\"n\": 1}'");

        assertThat(catalog.row("a' b"))
                .hasValueSatisfying(
                        row -> {
                            assertThat(row.state()).isEqualTo("{\"n\": 1}");
                            assertThat(row.isWhole()).isTrue();
                            assertThat(row.version()).isEqualTo(4);
                            assertThat(row.parked()).isEqualTo(3);
                            assertThat(row.marks())
                                    .containsExactly(new KeyCatalog.Mark("t-x", 3, 0, 17, 2));
                        });
    }

    @Test
    void itsTimersAreShownThoseFirstThatAreDueFirst() {
        insert("a", "'{}'");
        setTimer("a", "later", "2026-01-02 00:00Z", "NULL");
        setTimer("a", "sooner", "2026-01-01 00:00Z", "'2026-01-03 00:00Z'");
        setTimer("b", "of another", "2026-01-01 00:00Z", "NULL");

        assertThat(catalog.timers("a"))
                .containsExactly(
                        new KeyCatalog.Timer(
                                "sooner",
                                Instant.parse("2026-01-01T00:00:00Z"),
                                Instant.parse("2026-01-03T00:00:00Z")),
                        new KeyCatalog.Timer("later", Instant.parse("2026-01-02T00:00:00Z"), null));
    }

    private void setTimer(String key, String name, String due, String fired) {
        fixture.server()
                .execute(
                        """
                        INSERT INTO %s.timer (key, name, due_at, payload, source, record_offset,
                                              leader_epoch, ordinal, fired_at)
                        VALUES ('%s', '%s', '%s', '', %d, 0, 0, 0, %s)
                        """
                                .formatted(
                                        fixture.settings().schema(),
                                        key,
                                        name,
                                        due,
                                        source,
                                        fired));
    }

    @Test
    void aDeletedKeyHasARowWithoutAStateAndAnUnknownOneHasNone() {
        insert("gone", "NULL");

        assertThat(catalog.row("gone")).hasValueSatisfying(row -> assertThat(row.state()).isNull());
        assertThat(catalog.row("never")).isEmpty();
    }

    @Test
    void ofALongStateTheBeginningIsShown() {
        insert("long", "to_json(repeat('x', 100000))");

        assertThat(catalog.row("long"))
                .hasValueSatisfying(
                        row -> {
                            assertThat(row.state()).hasSize(64 << 10);
                            assertThat(row.stateBytes()).isEqualTo(100_002);
                            assertThat(row.isWhole()).isFalse();
                        });
    }
}
