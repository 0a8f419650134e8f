package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.MustStopException;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.ParkedMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What happens when too much is to be set aside. */
final class SetAsideLimitsTest {

    private final HandlerBench bench = new HandlerBench();
    private final Stops stops = new Stops();
    private final Listener told = new Listener();

    private final class Stops implements PartitionStops {

        private final List<String> recorded = new ArrayList<>();
        private boolean isAway;
        private int counted;

        @Override
        public long parked(int source) {
            counted++;
            return bench.database.parked().size();
        }

        @Override
        public void stop(int source, String reason) {
            if (isAway) {
                throw new UnavailableException("away");
            }
            recorded.add(source + ": " + reason);
        }
    }

    private static final class Listener implements SetAsideLimits.Told {

        private final List<String> told = new ArrayList<>();

        @Override
        public void frozen(ParkedMessage message) {
            told.add("frozen " + message.message().offset());
        }

        @Override
        public void behind() {
            told.add("behind");
        }

        @Override
        public void folded() {
            told.add("folded");
        }
    }

    private void limits(int perKey, int perPartition, int share, int least) {
        bench.handler =
                new IdempotentHandler<>(
                        bench.newFold(),
                        bench.store,
                        new SnapshotCache<>(1 << 20),
                        bench.counts,
                        new IdempotentHandler.Bounds(
                                OutboxRoom.endless(),
                                CrashStore.NONE,
                                new SetAsideLimits(
                                        new SetAsideLimits.Bounds(
                                                perKey, perPartition, share, least),
                                        stops,
                                        told)),
                        null);
    }

    /** The first message of the envelope has failed for the last time. */
    private static Envelope givenUp(Envelope envelope) {
        return new Envelope(
                envelope.key(),
                envelope.messages(),
                null,
                null,
                new GivenUp(3, new IllegalStateException("boom")));
    }

    private static void assertMustStop(@Nullable Outcome outcome, int saved, String why) {
        assertThat(outcome).isInstanceOf(Outcome.Failed.class);
        Outcome.Failed failed = (Outcome.Failed) outcome;
        assertThat(failed).isNotNull();
        assertThat(failed.done().size()).isEqualTo(saved);
        assertThat(failed.cause()).isInstanceOf(MustStopException.class).hasMessageContaining(why);
    }

    @Test
    void aKeyWithTooManyParkedMessagesStopsItsPartitionAndNothingIsLost() {
        limits(3, 1_000, 100, 1);
        bench.handle(bench.envelope("a", 0, "x"));
        assertThat(bench.handle(givenUp(bench.envelope("a", 1, "boom", "y"))))
                .isInstanceOf(Outcome.Saved.class);
        assertThat(bench.handle(bench.envelope("a", 3, "z"))).isInstanceOf(Outcome.Saved.class);

        String why = "key \"a\" has 3 parked messages, and with 2 more";
        assertMustStop(bench.handle(bench.envelope("a", 4, "!", "!")), 0, why);

        assertThat(stops.recorded).singleElement().asString().startsWith("1: " + why);
        assertThat(bench.database.parked()).hasSize(3);
        assertThat(bench.row("a").parked()).isEqualTo(3);
        assertThat(bench.state("a")).isEqualTo("x");
        assertThat(bench.handle(bench.envelope("b", 9, "x"))).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void whoeverListensIsToldWhatIsFrozenWhatIsBehindAndThatOthersAreApplied() {
        limits(1_000, 1_000, 100, 1);

        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(givenUp(bench.envelope("b", 1, "boom", "y")));

        assertThat(told.told).containsExactly("folded", "frozen 1", "behind");
    }

    /** It has no row that could be loaded to confirm that; there is nothing to begin again with. */
    @Test
    void aMessageWithoutARowThatIsTooMuchStopsItsPartitionToo() {
        limits(1_000, 1, 100, 1);
        bench.handle(givenUp(bench.envelope("a", 0, "boom")));
        Message noRow = Records.withoutRow(bench.epoch, 1, "null-key: the record has no key");

        Envelope envelope = Envelope.of(noRow.key(), List.of(noRow));
        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> assertMustStop(bench.handle(envelope), 0, "more of no key"));

        assertThat(stops.recorded).hasSize(1);
    }

    @Test
    void ofAnEnvelopeOfTwoPartitionsTheOneStopsWhoseMessageFails() {
        limits(1, 1_000, 100, 1);
        PartitionEpoch younger = Records.epoch(2, 2, bench.life);
        Message fails = bench.message(0, "a", "boom");
        Message behind = Records.message(younger, 0, "a", "y");

        assertMustStop(bench.handle(givenUp(Envelope.of("a", List.of(fails, behind)))), 0, "has 0");

        assertThat(stops.recorded).singleElement().asString().startsWith("1: ");
    }

    @Test
    void aPartitionIsCountedByItsOwnMessages() {
        limits(1_000, 1_000, 50, 2);
        PartitionEpoch younger = Records.epoch(2, 2, bench.life);
        for (int i = 0; i < 3; i++) {
            Message fails = bench.message(i, "a" + i, "boom");
            Message behind = Records.message(younger, i, "a" + i, "y");
            bench.handle(givenUp(Envelope.of("a" + i, List.of(fails, behind))));
        }
        Message first = Records.message(younger, 9, "b", "boom");

        assertThat(bench.handle(givenUp(Envelope.of("b", List.of(first)))))
                .isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aPartitionWithTooManyParkedMessagesStopsUnlessSomeHaveGoneMeanwhile() {
        limits(1_000, 3, 100, 1);
        bench.handle(givenUp(bench.envelope("a", 0, "boom", "y")));
        bench.handle(givenUp(bench.envelope("b", 2, "boom")));
        assertThat(stops.counted).as("once for the epoch").isEqualTo(1);
        bench.database.deleteParked(it -> "b".equals(it.rowKey()));

        assertThat(bench.handle(givenUp(bench.envelope("c", 3, "boom"))))
                .isInstanceOf(Outcome.Saved.class);

        assertMustStop(
                bench.handle(givenUp(bench.envelope("d", 4, "boom"))),
                0,
                "it has 3 parked messages, and with 1 more of key \"d\"");
        assertThat(stops.recorded).hasSize(1);
    }

    @Test
    void whenMostOfWhatComesFailsThePartitionStops() {
        limits(1_000, 1_000, 50, 4);
        for (int i = 0; i < 4; i++) {
            bench.handle(bench.envelope("good" + i, i, "x"));
        }
        for (int i = 4; i < 8; i++) {
            assertThat(bench.handle(givenUp(bench.envelope("bad" + i, i, "boom"))))
                    .isInstanceOf(Outcome.Saved.class);
        }
        assertThat(bench.handle(givenUp(bench.envelope("bad8", 8, "boom"))))
                .isInstanceOf(Outcome.Saved.class);

        assertMustStop(
                bench.handle(givenUp(bench.envelope("bad9", 9, "boom"))),
                0,
                "4 of the last 4 messages have failed for good");
        assertThat(bench.handle(bench.envelope("good", 10, "x"))).isInstanceOf(Outcome.Saved.class);
    }

    /** Its place went back: what it has counted before comes again, and nothing else. */
    @Test
    void messagesWithoutARowThatAreReadAgainAreNotHeldAgainstTheirPartition() {
        limits(1_000, 1_000, 50, 4);
        NextOffset lowest = new NextOffset(0, 0);
        PartitionEpoch again =
                Records.epochOfSlots(bench.epoch, lowest, new NextOffset(50, 0), key -> lowest);
        handleWithoutRow(again, 0, 50);
        assertThat(stops.recorded).isEmpty();

        handleWithoutRow(again, 50, 60);
        assertThat(stops.recorded).hasSize(1);
    }

    private void handleWithoutRow(PartitionEpoch epoch, int from, int to) {
        for (int offset = from; offset < to && stops.recorded.isEmpty(); offset++) {
            Message message = Records.withoutRow(epoch, offset, "null-key: it has no key");
            bench.handle(Envelope.of(message.key(), List.of(message)));
        }
    }

    @Test
    void messagesThatAreOnlyParkedBehindAnotherAreNotHeldAgainstIt() {
        limits(1_000, 1_000, 50, 4);
        bench.handle(givenUp(bench.envelope("a", 0, "boom")));
        for (int i = 1; i < 30; i++) {
            assertThat(bench.handle(bench.envelope("a", i, "x"))).isInstanceOf(Outcome.Saved.class);
        }

        assertThat(bench.database.parked()).hasSize(30);
        assertThat(stops.recorded).isEmpty();
    }

    @Test
    void aStopThatCanNotBeRecordedIsNone() {
        limits(1, 1_000, 100, 1);
        bench.handle(givenUp(bench.envelope("a", 0, "boom")));
        stops.isAway = true;

        assertThat(bench.handle(bench.envelope("a", 1, "x")))
                .isInstanceOf(Outcome.Unavailable.class);
        assertThat(bench.database.parked()).hasSize(1);
    }
}
