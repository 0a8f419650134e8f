package dev.envelope.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.Evidence.Committed;
import dev.envelope.idempotency.testkit.Evidence.Parked;
import dev.envelope.idempotency.testkit.Evidence.Saved;
import dev.envelope.idempotency.testkit.LogRecord.Expected;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each anomaly is called by its name, and a history as it should be by none. */
class GuaranteesTest {

    private final Log log = new Log();
    private final Findings findings = new Findings();
    private final Guarantees guarantees = new Guarantees(log, findings);

    GuaranteesTest() {
        // One source; offset 3 is a transaction's marker, 4 a producer's duplicate of 1.
        record(0, "a", "a1", Expected.APPLIED);
        record(1, "b", "b1", Expected.APPLIED);
        record(2, "a", "a2", Expected.APPLIED);
        record(4, "b", "b1", Expected.SKIPPED);
        record(5, null, "none", Expected.PARKED);
        record(6, "a", "a3", Expected.APPLIED);
    }

    @Test
    void aHistoryAsItShouldBeShowsNothing() {
        see(
                saved("a", 1, 3, 0, 2),
                new Committed(1, 1, "one", 1),
                saved("b", 1, 2, 1),
                new Committed(1, 4, "one", 1),
                saved("b", 2, 5),
                new Parked(new Place(1, 5)),
                saved("a", 2, 7, 6),
                new Committed(1, 7, "one", 1));
        assertShows();
    }

    @Test
    void aMissingEffectIsLostApply() {
        see(saved("a", 1, 7, 0, 2, 6), saved("b", 1, 5), new Parked(new Place(1, 5)));
        assertShows(Anomaly.LOST_APPLY);
    }

    @Test
    void aMessageThatIsNeitherAppliedNorParkedIsLostApply() {
        see(saved("a", 1, 7, 0, 2, 6), saved("b", 1, 5, 1));
        assertShows(Anomaly.LOST_APPLY);
    }

    @Test
    void anEffectThatWasSavedTwiceIsDuplicateApply() {
        see(saved("a", 1, 3, 0, 2), saved("a", 2, 7, 2, 6), restOfB());
        assertShows(Anomaly.DUPLICATE_APPLY);
    }

    @Test
    void aProducersDuplicateThatWasAppliedIsDuplicateApply() {
        see(saved("a", 1, 7, 0, 2, 6), saved("b", 1, 5, 1, 4), new Parked(new Place(1, 5)));
        assertShows(Anomaly.DUPLICATE_APPLY);
    }

    @Test
    void aLaterEffectBeforeAnEarlierOneIsReorder() {
        see(saved("a", 1, 7, 0, 6, 2), restOfB());
        assertShows(Anomaly.REORDER);
    }

    @Test
    void anEffectOfWhatIsNotInTheLogIsAbortedApply() {
        see(saved("a", 1, 7, 0, 2, 3, 6), restOfB());
        assertShows(Anomaly.ABORTED_APPLY);
    }

    @Test
    void aSaveFromAnOldRowIsZombieWrite() {
        see(saved("a", 1, 3, 0, 2), saved("a", 1, 7, 6), restOfB());
        assertShows(Anomaly.ZOMBIE_WRITE);
    }

    @Test
    void aMarkThatGoesBackIsNonMonotonic() {
        see(saved("a", 1, 7, 0, 2, 6), saved("a", 2, 3), restOfB());
        assertShows(Anomaly.NON_MONOTONIC);
    }

    @Test
    void anEffectThatItsMarksDoNotCoverIsTornEnvelope() {
        see(saved("a", 1, 3, 0, 2, 6), restOfB());
        assertShows(Anomaly.TORN_ENVELOPE);
    }

    @Test
    void aCommitOverWhatIsNotDurableIsCommitAhead() {
        see(saved("a", 1, 7, 0, 2, 6), new Committed(1, 2, "one", 1), restOfB());
        assertShows(Anomaly.COMMIT_AHEAD);
    }

    @Test
    void aCommitThatGoesBackInItsEpochIsCommitRewind() {
        see(saved("a", 1, 7, 0, 2, 6), restOfB());
        see(new Committed(1, 6, "one", 1), new Committed(1, 4, "one", 2));
        assertThat(findings.isEmpty()).isTrue();
        see(new Committed(1, 5, "one", 1));
        assertShows(Anomaly.COMMIT_REWIND);
    }

    @Test
    void aMessageThatWasParkedWithoutNeedIsWrongPark() {
        see(saved("a", 1, 7, 0, 2, 6), restOfB(), new Parked(new Place(1, 2)));
        assertShows(Anomaly.WRONG_PARK);
    }

    @Test
    void aRunThatShowsSomethingSaysHowOftenAndWhat() {
        findings.add(Anomaly.LOST_APPLY, "this");
        findings.add(Anomaly.LOST_APPLY, "that");

        assertThat(findings).hasToString("lost-apply: 2\n  this\n  that\n");
        assertThat(findings.count(Anomaly.LOST_APPLY)).isEqualTo(2);
    }

    private void record(long offset, @Nullable String key, String event, Expected expected) {
        log.add(new LogRecord(new Place(1, offset), key, event, expected));
    }

    private static Saved saved(String key, long version, long mark, long... offsets) {
        List<Place> places =
                Arrays.stream(offsets).mapToObj(offset -> new Place(1, offset)).toList();
        return new Saved(key, version, Map.of(1, mark), "one", 1, places);
    }

    /** What is missing in a history that tells of key a only. */
    private static Evidence[] restOfB() {
        return new Evidence[] {saved("b", 1, 5, 1), new Parked(new Place(1, 5))};
    }

    private void see(Object... evidence) {
        for (Object each : evidence) {
            if (each instanceof Evidence[] several) {
                see((Object[]) several);
            } else {
                guarantees.see((Evidence) each);
            }
        }
    }

    private void assertShows(Anomaly... expected) {
        guarantees.conclude();
        assertThat(findings.kinds()).as("%s", findings).containsExactly(expected);
    }
}
