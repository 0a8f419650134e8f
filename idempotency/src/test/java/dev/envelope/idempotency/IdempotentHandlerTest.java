package dev.envelope.idempotency;

import static dev.envelope.idempotency.HandlerBench.isFailed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What becomes of envelopes that nothing is wrong with. */
final class IdempotentHandlerTest {

    private final HandlerBench bench = new HandlerBench();

    // --- the ordinary way

    @Test
    void foldsAnEnvelopeAndSavesItsRowOnceWithItsMarks() {
        assertThat(bench.handle(bench.envelope("a", 5, "x", "y", "z")))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.state("a")).isEqualTo("xyz");
        assertThat(bench.row("a").version()).isEqualTo(1);
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(8);
        assertThat(bench.counts.savedRows).isEqualTo(1);
        assertThat(bench.counts.savedMessages).isEqualTo(3);
    }

    @Test
    void allKeysOfATurnGoInOneSave() {
        bench.handle(
                new HandTurn(
                        bench.envelope("a", 0, "x"),
                        bench.envelope("b", 1, "y"),
                        bench.envelope("c", 2, "z")));

        assertThat(bench.store.saves()).containsExactly(Set.of("a", "b", "c"));
        assertThat(bench.store.loads()).containsExactly(Set.of("a", "b", "c"));
    }

    @Test
    void aCachedKeyIsNotLoadedAgain() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(bench.envelope("a", 1, "y"));

        assertThat(bench.store.loads()).hasSize(1);
        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.row("a").version()).isEqualTo(2);
    }

    @Test
    void aTombstoneDeletesTheStateAndKeepsTheMarks() {
        bench.handle(bench.envelope("a", 0, "x", null));

        assertThat(bench.state("a")).isNull();
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(2);

        bench.handle(bench.envelope("a", 2, "y"));

        assertThat(bench.state("a")).isEqualTo("y");
    }

    // --- duplicates

    @Test
    void messagesThatTheRowHasMarkedAreSkipped() {
        bench.handle(bench.envelope("a", 0, "x", "y"));
        bench.handler = bench.newHandler();

        assertThat(bench.handle(bench.envelope("a", 0, "x", "y", "z")))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xyz");
        assertThat(bench.counts.duplicates).isEqualTo(2);

        int saves = bench.store.saves().size();
        assertThat(bench.handle(bench.envelope("a", 0, "x", "y", "z")))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.store.saves()).as("nothing to save").hasSize(saves);
    }

    @Test
    void aKeyOfWhichAllWasKnownIsNotLoadedForEachOfItsDuplicates() {
        bench.elsewhere("a", 0, "x", "y", "z");
        bench.store.loads().clear();

        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(bench.envelope("a", 1, "y", "z"));
        bench.handle(bench.envelope("a", 3, "w"));

        assertThat(bench.store.loads()).hasSize(1);
        assertThat(bench.state("a")).isEqualTo("xyzw");
        assertThat(bench.counts.duplicates).isEqualTo(3);
    }

    /** Its row may be purged, and begin anew with the versions that it had. */
    @Test
    void aDeletedKeyIsLoadedForEachOfItsDuplicates() {
        bench.elsewhere("a", 0, "x", null);
        bench.store.loads().clear();

        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(bench.envelope("a", 1, (String) null));

        assertThat(bench.store.loads()).hasSize(2);
        assertThat(bench.counts.duplicates).isEqualTo(2);
    }

    @Test
    void aMessageTwiceInOneEnvelopeIsAppliedOnce() {
        Envelope twice =
                Envelope.of(
                        "a",
                        List.of(
                                bench.message(0, "a", "x"),
                                bench.message(0, "a", "x"),
                                bench.message(1, "a", "y")));
        bench.handle(twice);

        assertThat(bench.state("a")).isEqualTo("xy");
    }

    // --- rows that are divided, and another slot than that of most keys has gone back

    private final PartitionEpoch behind =
            Records.epochOfSlots(
                    bench.epoch,
                    new NextOffset(10, 0),
                    new NextOffset(50, 0),
                    key -> new NextOffset(key.startsWith("lost") ? 10 : 50, 0));

    /** An operator skipped it (on.offset.ahead=follow), so the key has no mark of it. */
    @Test
    void whatASlotIsDoneWithIsNotAppliedThereAlsoIfAnotherSlotHasGoneBack() {
        bench.handle(bench.envelope("b", 9, "x"));
        assertThat(bench.handle(readAgain("a", 45))).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.handle(readAgain("b", 49))).isInstanceOf(Outcome.Saved.class);
        bench.handle(readAgain("lost", 45));

        assertThat(bench.folded).containsExactly("b9", "lost45");
        assertThat(bench.row("b").version()).isEqualTo(1);
        assertThat(bench.database.rows()).doesNotContainKey("a");
        assertThat(bench.counts.duplicates).isEqualTo(2);
    }

    @Test
    void whatIsBehindTheCheckpointOfItsSlotIsNewAsIsWhatTheMarksDecideBelowTheLowest() {
        bench.handle(readAgain("a", 50));
        bench.handle(readAgain("b", 9));

        assertThat(bench.folded).containsExactly("a50", "b9");
    }

    /** Of a leader epoch that the checkpoint has not seen: the log was cut, and nobody noticed. */
    @Test
    void anotherRecordThatWasWrittenBelowTheCheckpointOfItsSlotIsNew() {
        Message rewritten = Records.message(behind, 45, 1, "a", "x");
        bench.handle(Envelope.of("a", List.of(rewritten)));

        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void messagesWithoutARowThatTheirSlotIsDoneWithAreNotParkedAgain() {
        Message refused = Records.withoutRow(behind, 45, "null-key: it has no key");
        bench.handle(Envelope.of(refused.key(), List.of(refused)));

        assertThat(bench.database.parked()).isEmpty();
        assertThat(bench.store.saves()).as("nothing to save").allMatch(Set::isEmpty);
    }

    private Envelope readAgain(String key, long offset) {
        return Envelope.of(key, List.of(Records.message(behind, offset, key, "x")));
    }

    @Test
    void marksAreKeptForEachSource() {
        PartitionEpoch other = Records.epoch(2, 2, bench.life);
        bench.handle(
                Envelope.of(
                        "a",
                        List.of(
                                bench.message(7, "a", "x"),
                                Records.message(other, 3, "a", "y"),
                                bench.message(8, "a", "z"),
                                Records.message(other, 4, "a", "w"))));
        bench.handler = bench.newHandler();
        bench.handle(
                Envelope.of(
                        "a",
                        List.of(
                                bench.message(8, "a", "z"),
                                Records.message(other, 4, "a", "w"),
                                Records.message(other, 5, "a", "v"))));

        assertThat(bench.state("a")).isEqualTo("xyzwv");
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(9);
        assertThat(bench.row("a").marks().nextOffset(2)).isEqualTo(6);
    }

    @Test
    void anEventIdOfTheWindowIsADuplicateAndItsMessageIsMarkedAllTheSame() {
        bench.ids = message -> IdHash.of(Objects.requireNonNull(message.value()));
        bench.handle(bench.envelope("a", 0, "x", "y", "x"));
        bench.handler = bench.newHandler();
        bench.handle(bench.envelope("a", 3, "y", "z", "w"));

        assertThat(bench.state("a")).isEqualTo("xyzw");
        assertThat(bench.row("a").marks().nextOffset(1)).isEqualTo(6);
        assertThat(bench.counts.duplicates).isEqualTo(2);

        bench.handle(bench.envelope("a", 6, "v", "x")); // x has left the window of three

        assertThat(bench.state("a")).isEqualTo("xyzwvx");
    }

    @Test
    void aLogThatWasRewrittenBelowTheMarkFailsForGood() {
        bench.handle(Envelope.of("a", List.of(Records.message(bench.epoch, 5, 3, "a", "x"))));
        bench.handler = bench.newHandler();

        Outcome outcome =
                bench.handle(
                        Envelope.of(
                                "a",
                                List.of(
                                        Records.message(bench.epoch, 5, 3, "a", "x"),
                                        Records.message(bench.epoch, 5, 4, "a", "other"))));
        Outcome onlyNew =
                bench.handle(
                        Envelope.of(
                                "a", List.of(Records.message(bench.epoch, 4, 4, "a", "other"))));

        isFailed(onlyNew, 0, false);
        assertThat(((Outcome.Failed) Objects.requireNonNull(onlyNew)).cause())
                .isInstanceOf(RewrittenLogException.class);
        isFailed(outcome, 1, false);
        assertThat(bench.state("a")).isEqualTo("x");
    }

    /** Under the source that is read now nothing was applied yet, and events have no ids. */
    @Test
    void whatWasAppliedBehindACutBeforeItWasFoundIsNotAppliedAgain() {
        PartitionEpoch former = bench.epoch;
        bench.handle(Envelope.of("a", List.of(Records.message(former, 5, 3, "a", "x"))));
        bench.handle(Envelope.of("a", List.of(Records.message(former, 8, 4, "a", "y"))));
        PartitionEpoch behindCut = behindCutOf(former);
        bench.handler = bench.newHandler();

        bench.handle(
                Envelope.of(
                        "a",
                        List.of(
                                Records.message(behindCut, 8, 4, "a", "y"),
                                Records.message(behindCut, 9, 4, "a", "z"))));

        assertThat(bench.state("a")).isEqualTo("xyz");
    }

    @Test
    void whatIsBehindACutInAnotherLeaderEpochIsNewThoughTheFormerMarkIsAboveIt() {
        PartitionEpoch former = bench.epoch;
        bench.handle(Envelope.of("a", List.of(Records.message(former, 8, 3, "a", "x"))));
        PartitionEpoch behindCut = behindCutOf(former);

        bench.handle(Envelope.of("a", List.of(Records.message(behindCut, 6, 4, "a", "y"))));

        assertThat(bench.state("a")).isEqualTo("xy");
    }

    private static PartitionEpoch behindCutOf(PartitionEpoch former) {
        return new PartitionEpoch(
                9,
                former.partition(),
                77,
                Set.of(former.source()),
                former.incarnation(),
                new NextOffset(0, NextOffset.NO_EPOCH));
    }

    // --- conflicts

    @Test
    void aRowThatMovedOnIsLoadedDedupedAndFoldedAgain() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.store.beforeSave(
                () -> bench.elsewhere("a", 1, "y")); // a zombie applies the same prefix

        assertThat(bench.handle(bench.envelope("a", 1, "y", "z")))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.state("a")).isEqualTo("xyz");
        assertThat(bench.counts.conflicts).isEqualTo(1);
        assertThat(bench.row("a").version()).isEqualTo(3);
    }

    @Test
    void aConflictOfOneKeyDoesNotFoldTheOthersAgain() {
        bench.handle(new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "x")));
        bench.folded.clear();
        bench.store.beforeSave(() -> bench.elsewhere("a", 2, "y"));

        bench.handle(new HandTurn(bench.envelope("a", 2, "y"), bench.envelope("b", 3, "y")));

        assertThat(bench.folded).containsExactly("a2", "b3", "a2"); // the second a2 is elsewhere's
        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.state("b")).isEqualTo("xy");
    }

    // --- the guess

    private void startGuessing() {
        List<Envelope> fresh = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            fresh.add(bench.envelope("fresh" + i, 0, "x"));
        }
        bench.handle(new HandTurn(fresh.toArray(new Envelope[0])));
        bench.store.loads().clear();
    }

    @Test
    void aKeyThatIsProbablyNewIsWrittenWithoutLooking() {
        startGuessing();

        assertThat(bench.handle(bench.envelope("new", 700, "x"))).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.store.loads()).isEmpty();
        assertThat(bench.state("new")).isEqualTo("x");
    }

    @Test
    void aWrongGuessIsLoadedOnceAndFoldedAgain() {
        bench.elsewhere("a", 0, "x");
        startGuessing();

        assertThat(bench.handle(bench.envelope("a", 0, "x", "y")))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.store.loads()).containsExactly(Set.of("a"));
        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.counts.conflicts).as("that is no conflict").isZero();
    }

    @Test
    void aMessageThatFailsOnAGuessIsTriedOnTheRowAndThatIsTheAttempt() {
        bench.elsewhere("a", 0, "x");
        startGuessing();
        bench.folded.clear();

        isFailed(bench.handle(bench.envelope("a", 1, "boom")), 0, true);

        assertThat(bench.folded).containsExactly("a1", "a1");
        assertThat(bench.store.loads()).containsExactly(Set.of("a"));
    }

    /** It would be guessed and fail in each turn for ever, and its failures would not count. */
    @Test
    void whatFailsOnAGuessAsTheTimeEndsIsTriedOnTheRowInTheNextTurn() {
        startGuessing();
        HandTurn first = new HandTurn(bench.envelope("new", 700, "boom")).withTimeFor(1);
        bench.handle(first);
        assertThat(first.outcome(0)).isInstanceOf(Outcome.Deferred.class);

        HandTurn second = new HandTurn(bench.envelope("new", 700, "boom")).withTimeFor(1);
        bench.handle(second);

        isFailed(Objects.requireNonNull(second.outcome(0)), 0, true);
    }

    @Test
    void aMessageThatFailsOnACachedStateIsTriedOnTheRowBeforeThatCounts() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.elsewhere("a", 1, "boo"); // what the cache does not know
        bench.folded.clear();
        bench.store.loads().clear();

        isFailed(bench.handle(bench.envelope("a", 2, "boom")), 0, true);

        assertThat(bench.store.loads()).containsExactly(Set.of("a"));
        assertThat(bench.folded).containsExactly("a2", "a2");
    }
}
