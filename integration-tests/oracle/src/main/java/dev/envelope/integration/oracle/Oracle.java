package dev.envelope.integration.oracle;

import dev.envelope.idempotency.testkit.Anomaly;
import dev.envelope.idempotency.testkit.Evidence;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.idempotency.testkit.Guarantees;
import dev.envelope.idempotency.testkit.Place;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds what is in the database against what ought to be there, after a run that had time to
 * finish.
 *
 * <p>Threads: one at a time.
 */
public final class Oracle {

    private final ExpectedRows truth;
    private final StoredRows stored;
    private final Journal journal;
    private final Findings findings;
    private long saves;
    private long savesOfSeveral;

    public Oracle(ExpectedRows truth, StoredRows stored, Journal journal, Findings findings) {
        this.truth = truth;
        this.stored = stored;
        this.journal = journal;
        this.findings = findings;
    }

    /** Reads everything that the database has of the log. */
    public void judge() {
        compareRows(stored.rows(), judgeJournal());
        compareParked(stored.parked());
    }

    /** By key, how many messages its saves say that they have added. */
    private Map<String, Long> judgeJournal() {
        Map<String, Long> applied = new HashMap<>();
        Guarantees guarantees = new Guarantees(truth.log(), findings);
        journal.read(
                stored.partitions(),
                saved -> {
                    guarantees.see(saved);
                    applied.merge(saved.key(), (long) saved.applied().size(), Long::sum);
                    saves++;
                    savesOfSeveral += saved.applied().size() > 1 ? 1 : 0;
                });
        stored.parked().keySet().forEach(place -> guarantees.see(new Evidence.Parked(place)));
        guarantees.conclude();
        return applied;
    }

    /** Row by row: the count tells loss and doubling, the chain tells order. */
    void compareRows(Map<String, StoredRows.Row> rows, Map<String, Long> applied) {
        truth.rows()
                .forEach(
                        (key, expected) -> {
                            StoredRows.@Nullable Row row = rows.get(key);
                            compare(key, expected, row == null ? null : row.ledger());
                            compareWithJournal(key, row == null ? null : row.ledger(), applied);
                        });
        rows.forEach(
                (key, row) -> {
                    @Nullable Ledger ledger = row.ledger();
                    if (ledger != null && !truth.rows().containsKey(key)) {
                        findings.add(Anomaly.ABORTED_APPLY, key + " has a row: " + ledger);
                    }
                });
    }

    private void compare(String key, Ledger expected, @Nullable Ledger found) {
        long count = found == null ? 0 : found.count();
        String what = key + ": expected " + expected + ", found " + found;
        if (count < expected.count()) {
            findings.add(Anomaly.LOST_APPLY, what);
        } else if (count > expected.count()) {
            findings.add(Anomaly.DUPLICATE_APPLY, what);
        } else if (found != null && !found.equalsInContent(expected)) {
            findings.add(Anomaly.REORDER, what);
        }
        if (found != null && found.aborted() > 0) {
            findings.add(Anomaly.ABORTED_APPLY, what);
        }
        if (found != null && found.odd().stream().anyMatch(it -> it.startsWith("two folds"))) {
            findings.add(Anomaly.OVERLAP, what);
        }
    }

    private void compareWithJournal(
            String key, @Nullable Ledger found, Map<String, Long> appliedByJournal) {
        long count = found == null ? 0 : found.count();
        long applied = appliedByJournal.getOrDefault(key, 0L);
        if (count != applied) {
            findings.add(
                    Anomaly.TORN_ENVELOPE,
                    key + " counts " + count + ", its saves add up to " + applied);
        }
    }

    void compareParked(Map<Place, ExpectedRows.ParkedBytes> parked) {
        truth.parked()
                .forEach(
                        (place, expected) -> {
                            ExpectedRows.@Nullable ParkedBytes found = parked.get(place);
                            if (found != null
                                    && !(Arrays.equals(found.key(), expected.key())
                                            && Arrays.equals(found.value(), expected.value()))) {
                                findings.add(
                                        Anomaly.WRONG_PARK, place + " is parked with other bytes");
                            }
                        });
    }

    public Findings findings() {
        return findings;
    }

    /** Rows written. */
    public long saves() {
        return saves;
    }

    /** Rows written for more than one message: without any, nothing was tried. */
    public long savesOfSeveral() {
        return savesOfSeveral;
    }
}
