package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.RowReadsContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.RowReads.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresRowReadsTest extends RowReadsContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Test
    void ofVeryLargeRowsThoseThatAreAskedForLastAreLeftOut() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            fixture.server()
                    .execute(
                            ("INSERT INTO %s.state (key, state, version, marks)"
                                            + " SELECT k, to_json(repeat('x', %d)), 1, ''"
                                            + " FROM unnest(ARRAY['a', 'b', 'c']) AS k")
                                    .formatted(
                                            fixture.settings().schema(),
                                            RowReads.MOST_BYTES / 2 + 1));

            for (String last : List.of("a", "c")) {
                List<String> asked =
                        last.equals("a") ? List.of("c", "b", "a") : List.of("b", "a", "c");

                Map<String, Row> rows =
                        fixture.reads().read(asked, List.of(), RowReads.MOST_BYTES).rows();

                assertThat(rows).hasSize(3);
                assertThat(rows.entrySet().stream().filter(it -> it.getValue().isLeftOut()))
                        .singleElement()
                        .satisfies(it -> assertThat(it.getKey()).isEqualTo(last))
                        .satisfies(it -> assertThat(it.getValue().state()).isNull());
            }
        }
    }

    @Test
    void rowsAndSourcesAreFoundByIndex() throws SQLException {
        try (PostgresFixture fixture = new PostgresFixture();
                Connection connection = fixture.server().connect()) {
            String schema = fixture.settings().schema();
            connection.createStatement().execute("SET enable_seqscan = off");
            connection.createStatement().execute("SET enable_bitmapscan = off");

            assertThat(Plans.of(connection, PostgresRowReads.READ.formatted(schema)))
                    .contains("state_pkey", "source_topic_id_partition_generation_key")
                    .doesNotContain("Seq Scan");
            assertThat(Plans.of(connection, PostgresRowReads.MARKS.formatted(schema)))
                    .contains("state_pkey");
        }
    }
}
