package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.oracle.LedgerWorkload;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.StoredRows;
import dev.envelope.integration.oracle.WorkloadProducer;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Servers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The log read once more from offset 0. */
@Tag("cluster")
@ExtendWith(OneStack.class)
public class ReplayTest {

    private static final int RECORDS = 9_000;

    /** All that a save would change. */
    private static final String WHOLE_ROW = "key, state::text, version, marks, ids, updated_at";

    private final Servers servers;

    protected ReplayTest(Servers servers) {
        this.servers = servers;
    }

    @Test
    void intoTheFullDatabaseItChangesNoRow() throws Exception {
        try (ConsumerGroup group = applied("replay-full")) {
            List<String> rows = group.rows().dump(WHOLE_ROW, "state");
            List<String> parked = group.rows().dump("parked", "parked");
            List<String> journal = group.rows().dump("position", "journal");

            group.resetOffsetsToEarliest();
            ConsumerProcess again = group.start();
            group.awaitDone();
            again.stop();

            assertThat(group.rows().dump(WHOLE_ROW, "state")).isEqualTo(rows);
            assertThat(group.rows().dump("parked", "parked")).isEqualTo(parked);
            assertThat(group.rows().dump("position", "journal")).isEqualTo(journal);
            assertThat(again.beat().get(Count.DUPLICATES)).isGreaterThan(RECORDS / 2);
        }
    }

    @Tag("long")
    @Test
    void intoAnEmptyDatabaseItMakesEqualRows() throws Exception {
        try (ConsumerGroup group = applied("replay-empty");
                ConsumerGroup anew = group.withEmptyDatabase();
                ReferenceReplay truth = group.replay()) {
            group.deleteOffsets();
            ConsumerProcess again = anew.start();
            anew.awaitDone();
            again.stop();

            Findings findings = new Findings();
            anew.judge(truth, findings);
            assertThat(findings.isEmpty()).as("%s", findings).isTrue();
            assertThat(content(anew.rows())).isEqualTo(content(group.rows()));
            assertThat(parked(anew.rows())).isEqualTo(parked(group.rows()));
        }
    }

    /** A group that has applied a workload through two restarts and is stopped. */
    private ConsumerGroup applied(String name) {
        ConsumerGroup group = ConsumerGroup.create(servers, name, "classic", 4);
        LedgerWorkload workload = LedgerWorkload.of(name, 42, 199);
        ConsumerProcess first = group.start();
        WorkloadProducer.send(group.bootstrapServers(), workload, RECORDS / 2);
        first.awaitSaved(1);
        first.kill();
        ConsumerProcess second = group.start();
        WorkloadProducer.send(group.bootstrapServers(), workload, RECORDS / 2);
        group.awaitDone();
        second.stop();
        return group;
    }

    /** Key, state and marks; of the state all but what the last save says of itself. */
    private static List<String> content(StoredRows stored) {
        return stored.rows().entrySet().stream()
                .map(row -> row.getKey() + ": " + row.getValue().content())
                .toList();
    }

    private static List<String> parked(StoredRows stored) {
        return stored.dump(
                "row_key, (SELECT partition FROM %1$s.source WHERE number = parked.source),"
                                .formatted(ConsumerGroup.SCHEMA)
                        + " record_offset, record_timestamp, key, value, headers::text, reason,"
                        + " error, attempts",
                "parked");
    }
}
