package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Words;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.fold.KilledProcessException;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.DeadLetterHeaders;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.InMemoryCrashStore;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.Change;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The message that kills the process: a value {@code memory} does, each handler is a process. */
final class KilledProcessTest {

    private final HandlerBench bench = new HandlerBench();
    private final InMemoryCrashStore crashes = new InMemoryCrashStore();

    KilledProcessTest() {
        bench.errors.put("memory", new OutOfMemoryError("said by the test"));
        nextProcess();
    }

    private void nextProcess() {
        nextProcess(PuttingOut.NOTHING);
    }

    private void nextProcess(PuttingOut out) {
        bench.handler =
                new IdempotentHandler<>(
                        bench.newFold(out),
                        bench.store,
                        new SnapshotCache<>(1 << 20),
                        bench.counts,
                        new IdempotentHandler.Bounds(
                                OutboxRoom.endless(), crashes, SetAsideLimits.none()),
                        null);
    }

    /** Folds it, dies of it, and comes again; it has a word to say or not. */
    private void dies(Envelope envelope, boolean says) {
        HandTurn turn = new HandTurn(envelope);
        assertThatThrownBy(() -> bench.handler.handle(turn)).isInstanceOf(OutOfMemoryError.class);
        if (says) {
            bench.handler.dying(List.of(Objects.requireNonNull(turn.userCodeAt())));
        }
        nextProcess();
    }

    private static Outcome.Failed failed(@Nullable Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return failed;
        }
        throw new AssertionError("not failed: " + outcome);
    }

    @Test
    void whatTheProcessWasAtWhenMemoryRanOutIsCounted() {
        dies(bench.envelope("a", 0, "x", "memory"), true);

        assertThat(crashes.times).containsExactly(java.util.Map.entry(1L, 1));
        assertThat(bench.database.rows()).isEmpty();
    }

    @Test
    void aStateThatMemoryIsNotEnoughToWriteIsTheFaultOfTheMessageThatMadeItSo() {
        Envelope all = bench.envelope("a", 0, "x", "huge", "y");
        dies(all, true);
        assertThat(crashes.times).as("the last one").containsOnlyKeys(2L);

        assertThat(bench.handle(all)).as("cut halfway").isEqualTo(deferred(1));

        assertThat(bench.state("a")).isEqualTo("x");
        Envelope suspect = bench.envelope("a", 1, "huge", "y");
        dies(suspect, true);
        assertThat(crashes.times).as("the culprit").containsOnlyKeys(1L, 2L);
        dies(suspect, true);
        dies(suspect, true);
        assertThat(failed(bench.handle(suspect)).cause())
                .isInstanceOf(KilledProcessException.class);
    }

    @Test
    void theMessageThatHasKilledThreeProcessesIsGivenUpThoughTheLastTwoDiedWithoutAWord() {
        Envelope both = bench.envelope("a", 0, "x", "memory");
        dies(both, true);
        assertThat(bench.handle(both)).as("cut short at the suspect").isEqualTo(deferred(1));
        assertThat(bench.state("a")).isEqualTo("x");
        Envelope suspect = bench.envelope("a", 1, "memory", "y");
        dies(suspect, false);
        dies(suspect, false);
        assertThat(crashes.times).containsValue(3);

        Outcome.Failed failed = failed(bench.handle(suspect));

        assertThat(failed.cause())
                .isInstanceOf(KilledProcessException.class)
                .hasMessageContaining("3 times in a row");
        assertThat(failed.retryable()).isFalse();
        assertThat(bench.state("a")).isEqualTo("x");

        Envelope givenUp =
                new Envelope("a", suspect.messages(), null, null, new GivenUp(1, failed.cause()));
        assertThat(bench.handle(givenUp)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.counts.parked).containsExactly("killed-process", "behind");
        assertThat(crashes.times).as("it is set aside, so its deaths are forgotten").isEmpty();
    }

    /** Otherwise each process dies of the second one before the first one has been put out. */
    @Test
    void aSuspectBehindAMessageThatIsGivenUpIsNotFoldedBeforeThatOneIsPutOut() {
        crashes.times.put(0L, 3);
        crashes.times.put(2L, 1);
        nextProcess(PuttingOut.of(new DeadLetters("letters", "app", DeadLetterHeaders.STREAMS)));
        Envelope both = bench.envelope("a", 0, "memory", "x", "memory");
        Throwable killed = failed(bench.handle(both)).cause();

        Envelope givenUp = new Envelope("a", both.messages(), null, null, new GivenUp(1, killed));

        assertThatCode(() -> bench.handle(givenUp)).doesNotThrowAnyException();

        assertThat(bench.database.outbox()).hasSize(1);
        assertThat(bench.handle(bench.envelope("a", 1, "x", "memory"))).isEqualTo(deferred(1));
        assertThat(bench.state("a")).isEqualTo("x");
    }

    private static Outcome deferred(int saved) {
        return new Outcome.Deferred(Dispositions.applied(saved));
    }

    @Test
    void whoWasOnlyBesideItIsFoldedAloneAndIsNoSuspectAnyMore() {
        crashes.times.put(0L, 2);

        assertThat(bench.handle(bench.envelope("a", 0, "x", "y"))).isEqualTo(deferred(1));

        assertThat(crashes.times).isEmpty();
        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(bench.handle(bench.envelope("a", 1, "y"))).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aSuspectThatOnlyThrowsIsNoSuspectAnyMore() {
        crashes.times.put(0L, 2);

        assertThat(failed(bench.handle(bench.envelope("a", 0, "boom"))).retryable()).isTrue();

        assertThat(crashes.times).isEmpty();
    }

    @Test
    void aMessageThatWasGivenUpIsTriedAgainByAMendedHandlerWhenItsRowIsDeletedAsItsErrorSays() {
        crashes.times.put(1L, 3);
        Envelope suspect = bench.envelope("a", 1, "memory");
        assertThat(Words.describe(failed(bench.handle(suspect)).cause()))
                .endsWith("DELETE FROM crash WHERE source = 1 AND record_offset = 1");
        assertThat(Words.describe(new KilledProcessException(3, 30_000, Long.MAX_VALUE)))
                .as("not cut")
                .endsWith(" = " + Long.MAX_VALUE);

        crashes.times.remove(1L);
        bench.errors.clear();
        nextProcess();

        assertThat(bench.handle(suspect)).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void twoSuspectsAreNotFoldedAtATime() {
        crashes.times.put(0L, 1);
        crashes.times.put(1L, 1);
        HandTurn turn = new HandTurn(bench.envelope("a", 0, "memory"), bench.envelope("b", 1, "x"));
        assertThatThrownBy(() -> bench.handler.handle(turn)).isInstanceOf(OutOfMemoryError.class);

        // Another worker of the process that is dying:
        assertThat(bench.handle(bench.envelope("b", 1, "x")))
                .as("waits by itself, and holds nobody up")
                .isEqualTo(Outcome.Waiting.on(Doing.NO_ROOM));
        assertThat(crashes.times).containsEntry(0L, 2).containsEntry(1L, 1);
    }

    @Test
    void aSuspectThatCanNotBeCountedIsNotFolded() {
        crashes.times.put(0L, 1);
        bench.handle(bench.envelope("b", 7, "x")); // reads the book
        crashes.isAway = true;

        assertThat(bench.handle(bench.envelope("a", 0, "memory")))
                .isInstanceOf(Outcome.Unavailable.class);
    }

    @Test
    void aCountWhoseReplyIsLostIsNotCountedAgain() {
        dies(bench.envelope("a", 0, "memory"), true);
        crashes.losesReply = true;
        assertThat(bench.handle(bench.envelope("a", 0, "memory")))
                .isInstanceOf(Outcome.Unavailable.class);
        dies(bench.envelope("a", 0, "memory"), false);

        assertThat(crashes.times).containsEntry(0L, 2);
    }

    /** Its partition comes back to a process that has tried it and could not get it done. */
    @Test
    void whatAProcessHasCountedAndLivesOnIsNoDeath() {
        dies(bench.envelope("a", 0, "memory"), true);
        crashes.losesReply = true;
        assertThat(bench.handle(bench.envelope("a", 0, "memory")))
                .isInstanceOf(Outcome.Unavailable.class);
        assertThat(crashes.times).containsEntry(0L, 2);

        PartitionEpoch again = Records.epoch(9, 1, bench.epoch.incarnation());
        Envelope comesBack = Envelope.of("a", List.of(Records.message(again, 0, "a", "memory")));
        dies(comesBack, false);

        assertThat(crashes.times).containsEntry(0L, 2);
    }

    /** Its partition comes back while the process is still writing down what it was at. */
    @Test
    void aProcessThatIsDyingCountsItsDeathOnce() {
        HandTurn turn = new HandTurn(bench.envelope("a", 0, "memory"));
        assertThatThrownBy(() -> bench.handler.handle(turn)).isInstanceOf(OutOfMemoryError.class);
        bench.handler.dying(List.of(Objects.requireNonNull(turn.userCodeAt())));

        PartitionEpoch again = Records.epoch(9, 1, bench.epoch.incarnation());
        Envelope comesBack = Envelope.of("a", List.of(Records.message(again, 0, "a", "x")));

        assertThat(bench.handle(comesBack)).isEqualTo(Outcome.Waiting.on(Doing.NO_ROOM));
        assertThat(crashes.times).containsEntry(0L, 1);
    }

    @Test
    void aSuspectThatHasNoTimeLeftInItsTurnIsNeitherCountedNorInTheWayOfOthers() {
        crashes.times.put(1L, 1);
        HandTurn turn = new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "y"));

        bench.handle(turn.withTimeFor(1));

        assertThat(turn.outcome(1)).isEqualTo(Outcome.Deferred.NOT_BEGUN);
        assertThat(crashes.times).containsExactly(java.util.Map.entry(1L, 1));
        assertThat(bench.handle(bench.envelope("b", 1, "y"))).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aSuspectThatCanNotBeCountedInATurnThatIsTakenIsLeftToIt() {
        crashes.times.put(0L, 1);
        bench.handle(bench.envelope("b", 7, "x")); // reads the book
        crashes.isAway = true;
        HandTurn turn = new HandTurn(bench.envelope("a", 0, "x")).takenInTheNextFold();

        bench.handle(turn);

        assertThat(turn.settled()).isZero();
        assertThat(turn.brought()).isNull();
    }

    @Test
    void whatTwoFoldsOfOneMessageDiedOfIsCountedOnce() {
        bench.handler.dying(List.of(bench.message(0, "a", "x"), bench.message(0, "a", "x")));

        assertThat(crashes.times).containsExactly(java.util.Map.entry(0L, 1));
    }

    @Test
    void aSuspectBehindAMessageThatCanNotBeStoredDoesNotBringThatOneBack() {
        crashes.times.put(3L, 1);
        bench.store.faultIn(change -> text(change).contains("y") && bench.store.saves().size() < 9);

        assertThat(bench.handle(bench.envelope("a", 0, "x", "y", "z", "w"))).isEqualTo(deferred(1));

        assertThat(bench.state("a")).isEqualTo("x");
    }

    private static String text(Change change) {
        byte[] state = change.state();
        return state == null ? "" : new String(state, StandardCharsets.UTF_8);
    }

    @Test
    void aSuspectWhoseCodecLeavesAnInterruptBehindIsNoSuspectAnyMore() {
        crashes.times.put(0L, 2);

        assertThat(bench.handle(bench.envelope("a", 0, "late"))).isInstanceOf(Outcome.Saved.class);

        assertThat(crashes.times).isEmpty();
    }

    @Test
    void aSuspectThatWasAppliedIsADuplicate() {
        bench.handle(bench.envelope("a", 0, "x"));
        crashes.times.put(0L, 3);
        nextProcess();

        assertThat(bench.handle(bench.envelope("a", 0, "x", "y")))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    /** Rows are divided, and another slot went back. An operator has skipped the message here. */
    @Test
    void aSuspectThatItsSlotIsDoneWithIsADuplicate() {
        crashes.times.put(5L, 3);
        NextOffset its = new NextOffset(9, 0);
        PartitionEpoch again =
                Records.epochOfSlots(bench.epoch, new NextOffset(2, 0), its, key -> its);

        assertThat(
                        bench.handle(
                                Envelope.of(
                                        "a", List.of(Records.message(again, 5, "a", "memory")))))
                .isInstanceOf(Outcome.Saved.class);

        assertThat(bench.folded).isEmpty();
    }

    @Test
    void theBookIsReadOnceForAnEpoch() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(bench.envelope("a", 1, "x"));

        assertThat(crashes.reads).isEqualTo(1);
    }
}
