package dev.envelope.integration.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.idempotency.testkit.Place;
import dev.envelope.integration.stack.Database;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows that are not what the log makes of them, and what the oracle calls it. */
class OracleTest {

    private static final int EVENTS = 2_000;
    private static final StoredRows NOT_ASKED =
            new StoredRows(new Database("jdbc:none", "nobody", ""), "none");

    private final ExpectedRows truth = new ExpectedRows();
    private final Findings findings = new Findings();
    private final Oracle oracle =
            new Oracle(
                    truth,
                    NOT_ASKED,
                    new Journal(new Database("jdbc:none", "nobody", ""), "none"),
                    findings);
    private final Map<String, List<Event>> histories = new HashMap<>();

    OracleTest() {
        LedgerWorkload workload = LedgerWorkload.plain("topic", 42, 7);
        long offset = 0;
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record :
                workload.next(EVENTS).records()) {
            truth.read(consumed(record, offset++));
            byte[] key = record.key();
            byte[] value = record.value();
            if (key != null && value != null) {
                histories
                        .computeIfAbsent(text(key), it -> new ArrayList<>())
                        .add(ExpectedRows.parse(value));
            }
        }
    }

    @Test
    void rowsAsTheLogMakesThemShowNothing() {
        assertThat(truth.rows()).hasSize(7);
        assertShows();
    }

    @Test
    void anEventThatIsMissingIsLostApply() {
        historyOfOne().remove(5);
        assertShows(Anomaly.LOST_APPLY);
    }

    @Test
    void aRowThatIsMissingIsLostApply() {
        histories.remove("key-2");
        assertShows(Anomaly.LOST_APPLY);
    }

    @Test
    void anEventTwiceIsDuplicateApply() {
        List<Event> history = historyOfOne();
        history.add(6, history.get(5));
        assertShows(Anomaly.DUPLICATE_APPLY);
    }

    @Test
    void twoEventsInTheWrongOrderAreReorder() {
        Collections.swap(historyOfOne(), 5, 6);
        assertShows(Anomaly.REORDER);
    }

    @Test
    void aLossAndADoublingThatMakeUpForEachOtherAreFoundByTheChain() {
        List<Event> history = historyOfOne();
        history.set(5, history.get(6));
        assertShows(Anomaly.REORDER);
    }

    @Test
    void anEventOfAnAbortedTransactionIsAbortedApply() {
        List<Event> history = historyOfOne();
        history.set(5, new Event("aborted-key-2-6", 6, 1, true, false));
        assertShows(Anomaly.REORDER, Anomaly.ABORTED_APPLY);
    }

    @Test
    void aRowOfAKeyThatIsNotInTheLogIsAbortedApply() {
        histories.put("key-99", List.of(new Event("key-99-1", 1, 1, false, false)));
        assertShows(Anomaly.ABORTED_APPLY);
    }

    @Test
    void parkedBytesThatHaveChangedAreWrongPark() {
        ProducerRecord<byte @Nullable [], byte @Nullable []> bad =
                new ProducerRecord<>("topic", null, new byte[] {1, 2, 3});
        Kind.WITHOUT_ROW.writeTo(bad.headers());
        truth.read(consumed(bad, EVENTS));
        Place place = new Place(0, EVENTS);

        oracle.compareParked(
                Map.of(place, new ExpectedRows.ParkedBytes(null, new byte[] {1, 2, 3})));
        assertThat(findings.isEmpty()).isTrue();
        oracle.compareParked(
                Map.of(place, new ExpectedRows.ParkedBytes(null, new byte[] {1, 2, 4})));
        assertThat(findings.kinds()).containsExactly(Anomaly.WRONG_PARK);
    }

    private List<Event> historyOfOne() {
        return histories.getOrDefault("key-2", List.of());
    }

    private void assertShows(Anomaly... expected) {
        Map<String, StoredRows.Row> rows = new HashMap<>();
        Map<String, Long> journal = new HashMap<>();
        histories.forEach(
                (key, events) -> {
                    Ledger ledger = new Ledger();
                    for (Event event : events) {
                        ledger.begin();
                        ledger.complete(event, event.id());
                    }
                    rows.put(key, new StoredRows.Row(1, ledger, Map.of(), 0));
                    journal.put(key, (long) events.size());
                });

        oracle.compareRows(rows, journal);

        assertThat(findings.kinds()).as("%s", findings).containsExactly(expected);
    }

    private static ConsumerRecord<byte @Nullable [], byte @Nullable []> consumed(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, long offset) {
        return new ConsumerRecord<>(
                record.topic(),
                0,
                offset,
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                record.key(),
                record.value(),
                record.headers(),
                Optional.empty());
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
