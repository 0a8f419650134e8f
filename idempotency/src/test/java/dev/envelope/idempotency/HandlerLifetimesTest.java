package dev.envelope.idempotency;

import static dev.envelope.core.turn.Outcome.Superseded.SUPERSEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Dispositions;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Envelopes of former epochs and lives of the database, and turns that take too long. */
final class HandlerLifetimesTest {

    private final HandlerBench bench = new HandlerBench();

    // --- epochs and lives

    @Test
    void whatWasCachedInAFormerEpochIsNotUsed() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.elsewhere("a", 1, "y");
        bench.store.loads().clear();
        PartitionEpoch next = Records.epoch(7, 1, bench.life);

        bench.handle(Envelope.of("a", List.of(Records.message(next, 2, "a", "z"))));

        assertThat(bench.store.loads()).containsExactly(Set.of("a"));
        assertThat(bench.state("a")).isEqualTo("xyz");
        assertThat(bench.counts.conflicts).isZero();
    }

    @Test
    void nothingIsSavedInAnotherLifeOfTheDatabase() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.database.restart();

        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 1, "y"), bench.envelope("b", 2, "y")));

        assertThat(turn.outcome(0)).isEqualTo(SUPERSEDED);
        assertThat(turn.outcome(1)).isEqualTo(SUPERSEDED);
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void anEnvelopeOfAFormerLifeIsSupersededByThoseOfThePresentOne() {
        bench.database.restart();
        PartitionEpoch present = Records.epoch(2, 2, bench.database.incarnation());
        HandTurn turn =
                bench.handle(
                        new HandTurn(
                                bench.envelope("a", 0, "x"),
                                Envelope.of("b", List.of(Records.message(present, 0, "b", "y")))));

        assertThat(turn.outcome(0)).isEqualTo(SUPERSEDED);
        assertThat(turn.outcome(1)).isInstanceOf(Outcome.Saved.class);
    }

    @Test
    void aMessageOfAFormerLifeDoesNotGoBeforeThoseThatAreReadAgain() {
        bench.database.restart(); // and lost what was applied of offsets 3 and 4
        PartitionEpoch present = Records.epoch(2, 1, bench.database.incarnation());
        Envelope mixed =
                Envelope.of(
                        "a",
                        List.of(
                                bench.message(5, "a", "five"),
                                Records.message(present, 3, "a", "three"),
                                Records.message(present, 4, "a", "four")));

        assertThat(bench.handle(mixed)).as("said, not tried at once").isEqualTo(SUPERSEDED);
        assertThat(bench.database.rows()).isEmpty();
    }

    /** Its row may be deleted elsewhere, purged, and come to the version that is cached. */
    @Test
    void duplicatesDoNotKeepACachedRowYoung() {
        AtomicLong nanos = new AtomicLong();
        SnapshotCache<StringBuilder> cache =
                new SnapshotCache<>(1 << 20, Duration.ofNanos(10), nanos::get);
        bench.handler =
                new IdempotentHandler<>(
                        bench.newFold(),
                        bench.store,
                        cache,
                        Telemetry.NONE,
                        IdempotentHandler.Bounds.NONE,
                        null);
        bench.handle(bench.envelope("a", 0, "x"));
        bench.store.loads().clear();
        nanos.set(10);
        bench.handle(bench.envelope("a", 0, "x"));
        assertThat(bench.store.loads()).isEmpty();
        nanos.set(11);

        bench.handle(bench.envelope("a", 1, "y"));

        assertThat(bench.store.loads()).hasSize(1);
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    // --- time

    @Test
    void whatTheTurnHasNoTimeForComesAgain() {
        HandTurn turn =
                bench.handle(
                        new HandTurn(bench.envelope("a", 0, "x"), bench.envelope("b", 1, "x"))
                                .withTimeFor(1));

        assertThat(turn.outcome(0)).isInstanceOf(Outcome.Saved.class);
        assertThat(turn.outcome(1)).isEqualTo(Outcome.Deferred.NOT_BEGUN);
    }

    @Test
    void anEnvelopeThatTakesTooLongIsSavedAsFarAsItWasFolded() {
        HandTurn turn =
                bench.handle(new HandTurn(bench.envelope("a", 0, "x", "y", "z")).withTimeUp());

        assertThat(turn.outcome(0)).isEqualTo(new Outcome.Deferred(Dispositions.applied(1)));
        assertThat(bench.state("a")).isEqualTo("x");
    }

    @Test
    void aFoldThatWasLeftBehindIsSavedWithoutBeingRepeated() {
        HandTurn taken = new HandTurn(bench.envelope("a", 0, "x", "y")).takenInTheNextFold();
        bench.handle(taken);
        assertThat(taken.settled()).isZero();
        assertThat(bench.database.rows()).isEmpty();
        bench.folded.clear();

        Envelope again =
                new Envelope(
                        "a",
                        bench.envelope("a", 0, "x", "y").messages(),
                        taken.brought(),
                        null,
                        null);
        assertThat(bench.handle(again)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.folded).isEmpty();
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    @Test
    void whatAFoldThatIsNeverHandedBackHasChangedIsNotFoldedOnto() {
        bench.handle(bench.envelope("a", 0, "x"));
        bench.handle(new HandTurn(bench.envelope("a", 1, "y")).takenInTheNextFold());

        assertThat(bench.handle(bench.envelope("a", 1, "y"))).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xy");
    }

    @Test
    void aFoldThatWasLeftBehindAndOvertakenIsFoldedAgain() {
        HandTurn taken = new HandTurn(bench.envelope("a", 0, "x", "y")).takenInTheNextFold();
        bench.handle(taken);
        bench.elsewhere("a", 0, "x");

        Envelope again =
                new Envelope(
                        "a",
                        bench.envelope("a", 0, "x", "y").messages(),
                        taken.brought(),
                        null,
                        null);
        assertThat(bench.handle(again)).isInstanceOf(Outcome.Saved.class);
        assertThat(bench.state("a")).isEqualTo("xy");
    }
}
