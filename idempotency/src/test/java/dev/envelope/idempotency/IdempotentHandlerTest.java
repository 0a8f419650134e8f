package dev.envelope.idempotency;

import static dev.envelope.core.api.Outcome.Superseded.SUPERSEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Outcome;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.testkit.Seeds;
import dev.envelope.idempotency.dedupe.IdHash;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.RewrittenLogException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.Snapshot;
import dev.envelope.idempotency.store.StateStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The handler with a store in memory. The state of a key is the text of all values that were
 * applied; a value {@code boom} spoils the state object and throws.
 */
final class IdempotentHandlerTest {

    private static final int MAX_STATE_BYTES = 200;

    private final InMemoryDatabase database = new InMemoryDatabase();
    private final ScriptedStore store = new ScriptedStore(database);
    private final Incarnation life = database.incarnation();
    private final PartitionEpoch epoch = Records.epoch(1, 1, life);
    private final Set<String> booms = new HashSet<>(Set.of("boom"));
    private final Counts counts = new Counts();
    private final List<String> folded = new ArrayList<>();
    private MessageIds ids = MessageIds.NONE;
    private IdempotentHandler<StringBuilder> handler = handler();

    private static final class Counts implements Telemetry {
        private int duplicates;
        private int conflicts;
        private int savedRows;
        private int savedMessages;
        private final List<String> parked = new ArrayList<>();

        @Override
        public void duplicates(int messages) {
            duplicates += messages;
        }

        @Override
        public void saved(int rows, int messages) {
            savedRows += rows;
            savedMessages += messages;
        }

        @Override
        public void conflicts(int rows) {
            conflicts += rows;
        }

        @Override
        public void parked(String reason, int messages) {
            parked.add(reason);
        }
    }

    /** A JSON string of letters. */
    private static final StateCodec<StringBuilder> CODEC =
            new StateCodec<>() {
                @Override
                public byte[] encode(StringBuilder state) {
                    if (state.indexOf("unencodable") >= 0) {
                        throw new IllegalStateException("a codec with a bug");
                    }
                    return ('"' + state.toString() + '"').getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public StringBuilder decode(byte[] json) {
                    String text = new String(json, StandardCharsets.UTF_8);
                    return new StringBuilder(text.substring(1, text.length() - 1));
                }
            };

    private IdempotentHandler<StringBuilder> handler() {
        Fold<StringBuilder, String> fold =
                (state, value, message) -> {
                    folded.add(message.key() + message.offset());
                    if (value == null) {
                        return null;
                    }
                    StringBuilder next = state == null ? new StringBuilder() : state;
                    if (value.equals("interrupt")) {
                        Thread.currentThread().interrupt();
                        throw new InterruptedException("by a library of the user's");
                    }
                    if (booms.contains(value)) {
                        next.append("HALF");
                        throw new IllegalStateException(value);
                    }
                    return next.append(value);
                };
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        fold,
                        CODEC,
                        IdempotentHandlerTest::decode,
                        message -> ids.find(message),
                        IdLimits.ofCount(3),
                        MAX_STATE_BYTES),
                store,
                1 << 20,
                counts);
    }

    private static String decode(byte[] value, Message message) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (text.startsWith("?")) {
            throw new MalformedException("no value begins so");
        } else if (text.startsWith("#")) {
            throw new UnavailableException("the registry is away");
        } else if (text.startsWith("!")) {
            throw new IllegalStateException("a format with a bug");
        }
        return text;
    }

    // --- saying it shortly

    private Message message(long offset, String key, @Nullable String value) {
        return Records.message(epoch, offset, key, value);
    }

    private Envelope envelope(String key, long firstOffset, @Nullable String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            messages.add(message(firstOffset + i, key, values[i]));
        }
        return Envelope.of(key, messages);
    }

    private HandTurn handle(HandTurn turn) {
        handler.handle(turn);
        assertThat(turn.isInside()).isFalse();
        return turn;
    }

    private @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = handle(new HandTurn(envelope));
        assertThat(turn.settled()).isEqualTo(1);
        return turn.outcome(0);
    }

    private Snapshot row(String key) {
        return Objects.requireNonNull(database.rows().get(key), key);
    }

    private @Nullable String state(String key) {
        byte[] state = row(key).state();
        return state == null ? null : CODEC.decode(state).toString();
    }

    /** Another process saves for a key, and leaves its marks. */
    private void elsewhere(String key, long firstOffset, String... values) {
        IdempotentHandler<StringBuilder> other = handler();
        other.handle(new HandTurn(envelope(key, firstOffset, values)));
    }

    private static void isFailed(@Nullable Outcome outcome, int saved, boolean retryable) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> {
                            assertThat(it.saved()).isEqualTo(saved);
                            assertThat(it.retryable()).isEqualTo(retryable);
                        });
    }

    // --- the ordinary way

    @Test
    void foldsAnEnvelopeAndSavesItsRowOnceWithItsMarks() {
        assertThat(handle(envelope("a", 5, "x", "y", "z"))).isEqualTo(Outcome.Saved.SAVED);

        assertThat(state("a")).isEqualTo("xyz");
        assertThat(row("a").version()).isEqualTo(1);
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(8);
        assertThat(counts.savedRows).isEqualTo(1);
        assertThat(counts.savedMessages).isEqualTo(3);
    }

    @Test
    void allKeysOfATurnGoInOneSave() {
        handle(new HandTurn(envelope("a", 0, "x"), envelope("b", 1, "y"), envelope("c", 2, "z")));

        assertThat(store.saves()).containsExactly(Set.of("a", "b", "c"));
        assertThat(store.loads()).containsExactly(Set.of("a", "b", "c"));
    }

    @Test
    void aCachedKeyIsNotLoadedAgain() {
        handle(envelope("a", 0, "x"));
        handle(envelope("a", 1, "y"));

        assertThat(store.loads()).hasSize(1);
        assertThat(state("a")).isEqualTo("xy");
        assertThat(row("a").version()).isEqualTo(2);
    }

    @Test
    void aTombstoneDeletesTheStateAndKeepsTheMarks() {
        handle(envelope("a", 0, "x", null));

        assertThat(state("a")).isNull();
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(2);

        handle(envelope("a", 2, "y"));

        assertThat(state("a")).isEqualTo("y");
    }

    // --- duplicates

    @Test
    void messagesThatTheRowHasMarkedAreSkipped() {
        handle(envelope("a", 0, "x", "y"));
        handler = handler();

        assertThat(handle(envelope("a", 0, "x", "y", "z"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("a")).isEqualTo("xyz");
        assertThat(counts.duplicates).isEqualTo(2);

        int saves = store.saves().size();
        assertThat(handle(envelope("a", 0, "x", "y", "z"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(store.saves()).as("nothing to save").hasSize(saves);
    }

    @Test
    void aMessageTwiceInOneEnvelopeIsAppliedOnce() {
        Envelope twice =
                Envelope.of(
                        "a",
                        List.of(message(0, "a", "x"), message(0, "a", "x"), message(1, "a", "y")));
        handle(twice);

        assertThat(state("a")).isEqualTo("xy");
    }

    @Test
    void marksAreKeptForEachSource() {
        PartitionEpoch other = Records.epoch(2, 2, life);
        handle(
                Envelope.of(
                        "a",
                        List.of(
                                message(7, "a", "x"),
                                Records.message(other, 3, "a", "y"),
                                message(8, "a", "z"),
                                Records.message(other, 4, "a", "w"))));
        handler = handler();
        handle(
                Envelope.of(
                        "a",
                        List.of(
                                message(8, "a", "z"),
                                Records.message(other, 4, "a", "w"),
                                Records.message(other, 5, "a", "v"))));

        assertThat(state("a")).isEqualTo("xyzwv");
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(9);
        assertThat(row("a").marks().nextOffset(2)).isEqualTo(6);
    }

    @Test
    void anEventIdOfTheWindowIsADuplicateAndItsMessageIsMarkedAllTheSame() {
        ids = message -> IdHash.of(Objects.requireNonNull(message.value()));
        handle(envelope("a", 0, "x", "y", "x"));
        handler = handler();
        handle(envelope("a", 3, "y", "z", "w"));

        assertThat(state("a")).isEqualTo("xyzw");
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(6);
        assertThat(counts.duplicates).isEqualTo(2);

        handle(envelope("a", 6, "v", "x")); // x has left the window of three

        assertThat(state("a")).isEqualTo("xyzwvx");
    }

    @Test
    void aLogThatWasRewrittenBelowTheMarkFailsForGood() {
        handle(Envelope.of("a", List.of(Records.message(epoch, 5, 3, "a", "x"))));
        handler = handler();

        Outcome outcome =
                handle(
                        Envelope.of(
                                "a",
                                List.of(
                                        Records.message(epoch, 5, 3, "a", "x"),
                                        Records.message(epoch, 5, 4, "a", "other"))));
        Outcome onlyNew =
                handle(Envelope.of("a", List.of(Records.message(epoch, 4, 4, "a", "other"))));

        isFailed(onlyNew, 0, false);
        assertThat(((Outcome.Failed) Objects.requireNonNull(onlyNew)).cause())
                .isInstanceOf(RewrittenLogException.class);
        isFailed(outcome, 1, false);
        assertThat(state("a")).isEqualTo("x");
    }

    /** Under the source that is read now nothing was applied yet, and events have no ids. */
    @Test
    void whatWasAppliedBehindACutBeforeItWasFoundIsNotAppliedAgain() {
        PartitionEpoch former = epoch;
        handle(Envelope.of("a", List.of(Records.message(former, 5, 3, "a", "x"))));
        handle(Envelope.of("a", List.of(Records.message(former, 8, 4, "a", "y"))));
        PartitionEpoch behindCut = behindCutOf(former);
        handler = handler();

        handle(
                Envelope.of(
                        "a",
                        List.of(
                                Records.message(behindCut, 8, 4, "a", "y"),
                                Records.message(behindCut, 9, 4, "a", "z"))));

        assertThat(state("a")).isEqualTo("xyz");
    }

    @Test
    void whatIsBehindACutInAnotherLeaderEpochIsNewThoughTheFormerMarkIsAboveIt() {
        PartitionEpoch former = epoch;
        handle(Envelope.of("a", List.of(Records.message(former, 8, 3, "a", "x"))));
        PartitionEpoch behindCut = behindCutOf(former);

        handle(Envelope.of("a", List.of(Records.message(behindCut, 6, 4, "a", "y"))));

        assertThat(state("a")).isEqualTo("xy");
    }

    private static PartitionEpoch behindCutOf(PartitionEpoch former) {
        return new PartitionEpoch(
                9, former.partition(), 77, Set.of(former.source()), former.incarnation(), 0);
    }

    // --- conflicts

    @Test
    void aRowThatMovedOnIsLoadedDedupedAndFoldedAgain() {
        handle(envelope("a", 0, "x"));
        store.beforeSave(() -> elsewhere("a", 1, "y")); // a zombie applies the same prefix

        assertThat(handle(envelope("a", 1, "y", "z"))).isEqualTo(Outcome.Saved.SAVED);

        assertThat(state("a")).isEqualTo("xyz");
        assertThat(counts.conflicts).isEqualTo(1);
        assertThat(row("a").version()).isEqualTo(3);
    }

    @Test
    void aConflictOfOneKeyDoesNotFoldTheOthersAgain() {
        handle(new HandTurn(envelope("a", 0, "x"), envelope("b", 1, "x")));
        folded.clear();
        store.beforeSave(() -> elsewhere("a", 2, "y"));

        handle(new HandTurn(envelope("a", 2, "y"), envelope("b", 3, "y")));

        assertThat(folded).containsExactly("a2", "b3", "a2"); // the second a2 is elsewhere's
        assertThat(state("a")).isEqualTo("xy");
        assertThat(state("b")).isEqualTo("xy");
    }

    // --- the guess

    private void startGuessing() {
        List<Envelope> fresh = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            fresh.add(envelope("fresh" + i, 0, "x"));
        }
        handle(new HandTurn(fresh.toArray(new Envelope[0])));
        store.loads().clear();
    }

    @Test
    void aKeyThatIsProbablyNewIsWrittenWithoutLooking() {
        startGuessing();

        assertThat(handle(envelope("new", 700, "x"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(store.loads()).isEmpty();
        assertThat(state("new")).isEqualTo("x");
    }

    @Test
    void aWrongGuessIsLoadedOnceAndFoldedAgain() {
        elsewhere("a", 0, "x");
        startGuessing();

        assertThat(handle(envelope("a", 0, "x", "y"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(store.loads()).containsExactly(Set.of("a"));
        assertThat(state("a")).isEqualTo("xy");
        assertThat(counts.conflicts).as("that is no conflict").isZero();
    }

    @Test
    void aMessageThatFailsOnAGuessIsTriedOnTheRowAndThatIsTheAttempt() {
        elsewhere("a", 0, "x");
        startGuessing();
        folded.clear();

        isFailed(handle(envelope("a", 1, "boom")), 0, true);

        assertThat(folded).containsExactly("a1", "a1");
        assertThat(store.loads()).containsExactly(Set.of("a"));
    }

    @Test
    void aMessageThatFailsOnACachedStateIsTriedOnTheRowBeforeThatCounts() {
        handle(envelope("a", 0, "x"));
        elsewhere("a", 1, "boo"); // what the cache does not know
        folded.clear();
        store.loads().clear();

        isFailed(handle(envelope("a", 2, "boom")), 0, true);

        assertThat(store.loads()).containsExactly(Set.of("a"));
        assertThat(folded).containsExactly("a2", "a2");
    }

    // --- messages that fail

    @Test
    void whatCameBeforeAFailedMessageIsSavedFromTheSavedBytesWithoutItsTraces() {
        handle(envelope("a", 0, "x"));

        isFailed(handle(envelope("a", 1, "y", "z", "boom", "w")), 2, true);

        assertThat(state("a")).as("no HALF").isEqualTo("xyz");
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(3);

        booms.clear();
        assertThat(handle(envelope("a", 3, "boom", "w"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("a")).isEqualTo("xyzboomw");
    }

    @Test
    void aStateThatWasChangedHalfwayIsNotCachedEither() {
        handle(envelope("a", 0, "x"));
        isFailed(handle(envelope("a", 1, "boom")), 0, true);
        booms.clear();
        handle(envelope("a", 1, "y"));

        assertThat(state("a")).isEqualTo("xy");
    }

    @Test
    void anInterruptThatUserCodeLeavesBehindIsAFailedAttemptAndDoesNotBreakTheSave() {
        HandTurn turn =
                handle(new HandTurn(envelope("a", 0, "x", "interrupt"), envelope("b", 2, "y")));

        isFailed(turn.outcome(0), 1, true);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void othersOfTheTurnAreSavedWhenOneFails() {
        HandTurn turn = handle(new HandTurn(envelope("a", 0, "boom"), envelope("b", 1, "x", "y")));

        isFailed(turn.outcome(0), 0, true);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("b")).isEqualTo("xy");
        assertThat(database.rows()).doesNotContainKey("a");
    }

    @Test
    void anUndecodableMessageFailsAndNoOtherAttemptIsWorthwhile() {
        Outcome outcome = handle(envelope("a", 0, "x", "?", "y"));

        isFailed(outcome, 1, false);
        assertThat(state("a")).isEqualTo("x");
        assertThat(row("a").marks().nextOffset(1)).isEqualTo(1);
        assertThat(database.parked()).isEmpty();
    }

    @Test
    void messagesWithoutARowAreParkedWithTheirReason() {
        Message nullKey = Records.withoutRow(epoch, 0, "null-key: the record has no key");
        Message badKey = Records.withoutRow(epoch, 1, "key-format: not UTF-8");

        assertThat(handle(Envelope.of(nullKey.key(), List.of(nullKey, badKey))))
                .isEqualTo(Outcome.Saved.SAVED);

        assertThat(database.parked())
                .extracting(it -> it.reason() + "|" + it.error())
                .containsExactly("null-key|the record has no key", "key-format|not UTF-8");
        assertThat(database.rows()).isEmpty();

        handle(Envelope.of(nullKey.key(), List.of(nullKey, badKey)));
        assertThat(database.parked()).as("read again").hasSize(2);
    }

    @Test
    void anOutageOfWhatDecodesSaysNothingAboutTheMessageAndTheOthersAreSaved() {
        HandTurn turn = handle(new HandTurn(envelope("a", 0, "x", "#"), envelope("b", 2, "y")));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Unavailable.class);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("b")).isEqualTo("y");
    }

    @Test
    void aBugInAFormatIsAFailedAttemptOfTheMessageAndNotTheEnd() {
        HandTurn turn = handle(new HandTurn(envelope("a", 0, "x", "!"), envelope("b", 2, "y")));

        isFailed(turn.outcome(0), 1, true);
        assertThat(state("a")).isEqualTo("x");
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
    }

    @Test
    void aBugInACodecIsTheFaultOfTheMessageThatLedToIt() {
        Outcome outcome = handle(envelope("a", 0, "x", "unencodable", "y"));

        assertThat(outcome).isEqualTo(new Outcome.Deferred(1));
        isFailed(handle(envelope("a", 1, "unencodable", "y")), 0, false);
        assertThat(state("a")).isEqualTo("x");
    }

    @Test
    void aStateOverTheLimitIsTheFaultOfTheMessageThatMadeItSo() {
        String large = "l".repeat(150);
        List<String> values = new ArrayList<>(List.of("x", "y", large, "z", large, "w"));
        long offset = 0;
        Outcome last = null;
        for (int i = 0; i < 10; i++) {
            last = handle(envelope("a", offset, values.toArray(new String[0])));
            int done =
                    last instanceof Outcome.Deferred it
                            ? it.saved()
                            : last instanceof Outcome.Failed it ? it.saved() : values.size();
            values.subList(0, done).clear();
            offset += done;
        }

        assertThat(state("a")).isEqualTo("xy" + large + "z");
        isFailed(last, 0, false);
        assertThat(offset).isEqualTo(4);
    }

    // --- the row's own fault

    @Test
    void aRowAtFaultIsSplitDownToItsMessageAndTheOthersAreSaved() {
        store.faultIn(
                change ->
                        change.state() != null
                                && new String(change.state(), StandardCharsets.UTF_8)
                                        .contains("F"));
        List<Envelope> all = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            all.add(i == 5 ? envelope("bad", 50, "x", "y", "F", "z") : envelope("k" + i, i, "x"));
        }
        HandTurn turn = handle(new HandTurn(all.toArray(new Envelope[0])));

        for (int i = 0; i < 9; i++) {
            if (i != 5) {
                assertThat(turn.outcome(i)).isEqualTo(Outcome.Saved.SAVED);
            }
        }
        assertThat(turn.outcome(5)).isEqualTo(new Outcome.Deferred(2));
        assertThat(state("bad")).isEqualTo("xy");

        isFailed(handle(envelope("bad", 52, "F", "z")), 0, false);
        assertThat(state("bad")).isEqualTo("xy");
    }

    // --- locks

    @Test
    void aLockedRowIsLeftOutAndTheOthersAreSavedAtOnce() {
        handle(new HandTurn(envelope("a", 0, "x"), envelope("b", 1, "x")));
        store.lock("a");
        HandTurn turn = handle(new HandTurn(envelope("a", 2, "y"), envelope("b", 3, "y")));

        assertThat(turn.outcome(0)).isEqualTo(Outcome.Locked.LOCKED);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(store.ways())
                .containsExactly(
                        StateStore.Locks.WAIT, StateStore.Locks.WAIT, StateStore.Locks.SKIP);

        store.unlock("a");
        Envelope alone = envelope("a", 2, "y");
        assertThat(handle(new Envelope("a", alone.messages(), null, true, null)))
                .isEqualTo(Outcome.Saved.SAVED);
        assertThat(store.ways().get(3)).isEqualTo(StateStore.Locks.ALONE);
        assertThat(state("a")).isEqualTo("xy");
    }

    @Test
    void aSaveThatTravelledAloneWhileTheTurnWasTakenIsFoundInTheMarks() {
        Envelope alone = new Envelope("a", envelope("a", 0, "x").messages(), null, true, null);
        HandTurn turn = new HandTurn(alone);
        store.beforeSave(turn::takenInTheNextFold);
        handle(turn);

        assertThat(turn.settled()).isZero();
        assertThat(state("a")).isEqualTo("x");
        assertThat(handle(alone)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("a")).isEqualTo("x");
    }

    // --- outages

    @Test
    void aLoadThatFailsSettlesTheWholeTurnAsUnavailable() {
        store.failLoads(new UnavailableException("away"));
        HandTurn turn = handle(new HandTurn(envelope("a", 0, "x"), envelope("b", 1, "x")));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Unavailable.class);
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Unavailable.class);

        store.failLoads(null);
        assertThat(handle(envelope("a", 0, "x"))).isEqualTo(Outcome.Saved.SAVED);
    }

    @Test
    void aSaveWhoseReplyWasLostIsNeitherSuccessNorFailureAndTheCacheForgets() {
        handle(envelope("a", 0, "x"));
        store.loads().clear();
        store.loseNextReply(new UnavailableException("connection reset"));

        assertThat(handle(envelope("a", 1, "y"))).isInstanceOf(Outcome.Unavailable.class);
        assertThat(handle(envelope("a", 1, "y", "z"))).isEqualTo(Outcome.Saved.SAVED);

        assertThat(store.loads()).containsExactly(Set.of("a"));
        assertThat(state("a")).isEqualTo("xyz");
    }

    // --- epochs and lives

    @Test
    void whatWasCachedInAFormerEpochIsNotUsed() {
        handle(envelope("a", 0, "x"));
        elsewhere("a", 1, "y");
        store.loads().clear();
        PartitionEpoch next = Records.epoch(7, 1, life);

        handle(Envelope.of("a", List.of(Records.message(next, 2, "a", "z"))));

        assertThat(store.loads()).containsExactly(Set.of("a"));
        assertThat(state("a")).isEqualTo("xyz");
        assertThat(counts.conflicts).isZero();
    }

    @Test
    void nothingIsSavedInAnotherLifeOfTheDatabase() {
        handle(envelope("a", 0, "x"));
        database.restart();

        HandTurn turn = handle(new HandTurn(envelope("a", 1, "y"), envelope("b", 2, "y")));

        assertThat(turn.outcome(0)).isEqualTo(SUPERSEDED);
        assertThat(turn.outcome(1)).isEqualTo(SUPERSEDED);
        assertThat(state("a")).isEqualTo("x");
    }

    @Test
    void anEnvelopeOfAFormerLifeIsSupersededByThoseOfThePresentOne() {
        database.restart();
        PartitionEpoch present = Records.epoch(2, 2, database.incarnation());
        HandTurn turn =
                handle(
                        new HandTurn(
                                envelope("a", 0, "x"),
                                Envelope.of("b", List.of(Records.message(present, 0, "b", "y")))));

        assertThat(turn.outcome(0)).isEqualTo(SUPERSEDED);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Saved.SAVED);
    }

    @Test
    void aMessageOfAFormerLifeDoesNotGoBeforeThoseThatAreReadAgain() {
        database.restart(); // and lost what was applied of offsets 3 and 4
        PartitionEpoch present = Records.epoch(2, 1, database.incarnation());
        Envelope mixed =
                Envelope.of(
                        "a",
                        List.of(
                                message(5, "a", "five"),
                                Records.message(present, 3, "a", "three"),
                                Records.message(present, 4, "a", "four")));

        assertThat(handle(mixed)).as("said, not tried at once").isEqualTo(SUPERSEDED);
        assertThat(database.rows()).isEmpty();
    }

    // --- time

    @Test
    void whatTheTurnHasNoTimeForComesAgain() {
        HandTurn turn =
                handle(new HandTurn(envelope("a", 0, "x"), envelope("b", 1, "x")).withTimeFor(1));

        assertThat(turn.outcome(0)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Deferred.NOT_BEGUN);
    }

    @Test
    void anEnvelopeThatTakesTooLongIsSavedAsFarAsItWasFolded() {
        HandTurn turn = handle(new HandTurn(envelope("a", 0, "x", "y", "z")).withTimeUp());

        assertThat(turn.outcome(0)).isEqualTo(new Outcome.Deferred(1));
        assertThat(state("a")).isEqualTo("x");
    }

    @Test
    void aFoldThatWasLeftBehindIsSavedWithoutBeingRepeated() {
        HandTurn taken = new HandTurn(envelope("a", 0, "x", "y")).takenInTheNextFold();
        handle(taken);
        assertThat(taken.settled()).isZero();
        assertThat(database.rows()).isEmpty();
        folded.clear();

        Envelope again =
                new Envelope(
                        "a", envelope("a", 0, "x", "y").messages(), taken.brought(), false, null);
        assertThat(handle(again)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(folded).isEmpty();
        assertThat(state("a")).isEqualTo("xy");
    }

    @Test
    void whatAFoldThatIsNeverHandedBackHasChangedIsNotFoldedOnto() {
        handle(envelope("a", 0, "x"));
        handle(new HandTurn(envelope("a", 1, "y")).takenInTheNextFold());

        assertThat(handle(envelope("a", 1, "y"))).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("a")).isEqualTo("xy");
    }

    @Test
    void aFoldThatWasLeftBehindAndOvertakenIsFoldedAgain() {
        HandTurn taken = new HandTurn(envelope("a", 0, "x", "y")).takenInTheNextFold();
        handle(taken);
        elsewhere("a", 0, "x");

        Envelope again =
                new Envelope(
                        "a", envelope("a", 0, "x", "y").messages(), taken.brought(), false, null);
        assertThat(handle(again)).isEqualTo(Outcome.Saved.SAVED);
        assertThat(state("a")).isEqualTo("xy");
    }

    // --- all of it, at random

    @Test
    void everyMessageHasItsEffectOnceAndInOrderWhateverHappens() {
        Seeds.each(300, random -> new IdempotentHandlerTest().runAtRandom(random));
    }

    private void runAtRandom(SplittableRandom random) {
        Map<String, StringBuilder> expected = new HashMap<>();
        Map<String, List<Message>> open = new HashMap<>();
        long offset = 0;
        for (int i = 0; i < 40; i++) {
            String key = "k" + random.nextInt(4);
            String value = String.valueOf((char) ('a' + random.nextInt(26)));
            expected.computeIfAbsent(key, it -> new StringBuilder()).append(value);
            open.computeIfAbsent(key, it -> new ArrayList<>()).add(message(offset++, key, value));
        }
        booms.clear();
        int rounds = 0;
        while (!open.isEmpty()) {
            assertThat(rounds++).isLessThan(2000);
            disturb(random, open);
            List<Envelope> envelopes = new ArrayList<>();
            open.forEach(
                    (key, messages) ->
                            envelopes.add(
                                    Envelope.of(
                                            key,
                                            List.copyOf(
                                                    messages.subList(
                                                            0,
                                                            1
                                                                    + random.nextInt(
                                                                            messages.size()))))));
            HandTurn turn = new HandTurn(envelopes.toArray(new Envelope[0]));
            if (random.nextInt(5) == 0) {
                turn.withTimeFor(random.nextInt(4));
            }
            handle(turn);
            for (int place = 0; place < envelopes.size(); place++) {
                Outcome outcome = turn.outcome(place);
                Envelope envelope = envelopes.get(place);
                int durable =
                        outcome instanceof Outcome.Saved
                                ? envelope.size()
                                : outcome instanceof Outcome.Deferred it
                                        ? it.saved()
                                        : outcome instanceof Outcome.Failed it ? it.saved() : 0;
                List<Message> messages = Objects.requireNonNull(open.get(envelope.key()));
                messages.subList(0, durable).clear();
                if (messages.isEmpty()) {
                    open.remove(envelope.key());
                }
            }
        }

        expected.forEach((key, text) -> assertThat(state(key)).as(key).isEqualTo(text.toString()));
    }

    /**
     * A lost reply, a lock, a throw, a zombie, a restart of this process: one of them, at times.
     */
    private void disturb(SplittableRandom random, Map<String, List<Message>> open) {
        store.unlock("k1");
        booms.clear();
        switch (random.nextInt(9)) {
            case 0 -> store.loseNextReply(new UnavailableException("connection reset"));
            case 1 -> store.lock("k1");
            case 2 -> booms.add(String.valueOf((char) ('a' + random.nextInt(26))));
            case 3 -> store.beforeSave(() -> zombie(random, open));
            case 4 -> handler = handler();
            default -> {}
        }
    }

    /** Somebody who has the same messages, and applies some of the first. */
    private void zombie(SplittableRandom random, Map<String, List<Message>> open) {
        String key = "k" + random.nextInt(4);
        List<Message> messages = open.getOrDefault(key, List.of());
        if (!messages.isEmpty()) {
            List<Message> some = messages.subList(0, 1 + random.nextInt(messages.size()));
            handler().handle(new HandTurn(Envelope.of(key, List.copyOf(some))));
        }
    }
}
