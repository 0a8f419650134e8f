package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.store.InMemoryDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Reads that wait for an offset. */
class ReadDeskTest extends ReadDeskBench {

    @Test
    void marksOfAFormerTopicAreNotShown() {
        row("a", introduce(ORDERS, 3), 7);
        see(AGAIN, 6);
        CompletableFuture<Map<String, Entity>> read = take("a");
        look();
        assertThat(read.getNow(Map.of()).values())
                .extracting(Entity::nextOffsets)
                .containsExactly(Map.of());
    }

    @Test
    void anOffsetThatIsPassedInTheRowOrByTheCheckpointIsNotWaitedFor() {
        Source three = introduce(ORDERS, 3);
        introduce(ORDERS, 4);
        row("a", three, 7);
        CompletableFuture<Read> inRow = take("a", 3, 6, Duration.ZERO);
        CompletableFuture<Read> notInRow = take("a", 3, 7, Duration.ZERO);
        look();
        assertThat(found(inRow)).isEqualTo("a");
        assertThat(found(notInRow)).isEqualTo("TimeOver[]");

        checkpoint(three, 8);
        CompletableFuture<Read> byCheckpoint = take("a", 3, 7, Duration.ZERO);
        CompletableFuture<Read> withoutRow = take("b", 3, 7, Duration.ZERO);
        CompletableFuture<Read> ofOther = take("a", 4, 0, Duration.ZERO);
        look();
        assertThat(found(byCheckpoint)).isEqualTo("a");
        assertThat(found(withoutRow)).isEqualTo("none");
        assertThat(found(ofOther)).isEqualTo("TimeOver[]");
    }

    @Test
    void aReadWaitsUntilTheOffsetIsPassed() {
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        CompletableFuture<Read> inRow = take("a", 3, 8, WAIT);
        CompletableFuture<Read> byCheckpoint = take("b", 3, 9, WAIT);
        CompletableFuture<Read> tooLate = take("a", 3, 8, Duration.ofMillis(4));
        look();
        pass(Duration.ofMillis(4));
        assertThat(found(tooLate)).isEqualTo("TimeOver[]");
        pass(Duration.ofMillis(5));
        assertThat(inRow).isNotDone();

        row("a", source, 9);
        pass(Duration.ofMillis(5));
        assertThat(found(inRow)).isEqualTo("a");
        assertThat(byCheckpoint).isNotDone();

        checkpoint(source, 10);
        pass(Duration.ofMillis(5));
        assertThat(found(byCheckpoint)).isEqualTo("none");
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    /** Callers would be without an answer for as long again as the outage that it hung in. */
    @Test
    void theNextLookBehindOneThatHungIsSoon() {
        introduce(ORDERS, 3);
        take("a", 3, 8, WAIT);
        look();
        hands.pass(Duration.ofMillis(5));
        desk.turn();
        hands.pass(Duration.ofSeconds(10));
        look();

        assertThat(desk.turn()).isEqualTo(ReadDesk.FIRST_LOOK);
    }

    @Test
    void aCheckpointOfATopicThatIsGoneSaysNothing() {
        Source former = introduce(ORDERS, 3);
        row("a", former, 50);
        checkpoint(former, 50);
        see(AGAIN, 6);
        CompletableFuture<Read> recreated = take("a", 3, 6, WAIT);
        look();
        assertThat(recreated.getNow(NONE)).isInstanceOf(Read.Recreated.class);

        Source present = introduce(AGAIN, 3);
        CompletableFuture<Read> read = take("a", 3, 6, WAIT);
        look();
        assertThat(read).isNotDone();
        checkpoint(present, 7);
        pass(Duration.ofMillis(5));
        assertThat(found(read)).isEqualTo("a");
    }

    /** The brokers are asked once a second; the database may know before that. */
    @Test
    void theCheckpointOfATopicOfWhichTheDatabaseKnowsALaterOneIsNotTakenForIt() {
        Source former = introduce(ORDERS, 3);
        checkpoint(former, 50);
        Source present = introduce(AGAIN, 3);
        CompletableFuture<Read> read = take("a", 3, 6, WAIT);
        look();
        pass(Duration.ofMillis(5));
        assertThat(read).isNotDone();

        see(AGAIN, 6);
        checkpoint(present, 7);
        pass(Duration.ofMillis(5));
        assertThat(found(read)).isEqualTo("none");
    }

    @Test
    void whileTheBrokersDoNotAnswerNoOffsetIsSaidToBePassed() {
        Source source = introduce(ORDERS, 3);
        checkpoint(source, 7);
        CompletableFuture<Read> later = take("a", 3, 7, WAIT);
        brokers.away(true);
        topics.look();
        CompletableFuture<Read> read = take("a", 3, 6, WAIT);
        look();
        assertThat(read).isCompletedExceptionally();
        assertThat(later).isNotDone();

        brokers.away(false);
        topics.look();
        checkpoint(source, 8);
        pass(Duration.ofMillis(5));
        assertThat(found(later)).isEqualTo("none");
    }

    @Test
    void whetherATopicWasMadeAgainIsAskedOnceASecondForAllThatWait() {
        CompletableFuture<Read> one = take("a", 3, 6, WAIT);
        CompletableFuture<Read> two = take("b", 3, 7, WAIT);
        CompletableFuture<Read> three = take("c", 4, 0, WAIT);
        look();
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofMillis(5));
        }
        assertThat(sourcesRead).isEqualTo(1);
        pass(Duration.ofSeconds(1));
        assertThat(sourcesRead).isEqualTo(2);
        assertThat(List.of(one, two, three)).noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aTopicThatIsMadeAgainWhileAReadWaitsIsRefused() {
        introduce(ORDERS, 3);
        CompletableFuture<Read> read = take("a", 3, 6, WAIT);
        look();
        see(AGAIN, 6);
        pass(Duration.ofMillis(5));
        assertThat(read.getNow(NONE)).isInstanceOf(Read.Recreated.class);
    }

    @Test
    void aCheckpointIsJudgedInTheStatementThatReadsTheRow() {
        Source source = introduce(ORDERS, 3);
        InMemoryDatabase.Backup before = database.backup();
        CompletableFuture<Read> read = take("a", 3, 6, WAIT);
        look();
        checkpoint(source, 7);
        rows.reads = 0;
        rows.betweenReads = () -> database.restore(before);
        pass(Duration.ofMillis(5));

        assertThat(read).isNotDone();
        assertThat(rows.reads).isEqualTo(2);
    }

    @Test
    void aSlotThatIsAwayFailsOnlyTheReadsOfItsKeys() {
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        CompletableFuture<Map<String, Entity>> here = take("a");
        CompletableFuture<Map<String, Entity>> there = take("left-a");
        CompletableFuture<Read> waitsHere = take("a", 3, 7, WAIT);
        CompletableFuture<Read> waitsThere = take("left-a", 3, 6, WAIT);
        look();
        assertThat(here.getNow(Map.of())).containsOnlyKeys("a");
        assertThat(there).isCompletedExceptionally();
        assertThat(waitsHere).isNotDone();
        assertThat(waitsThere).isCompletedExceptionally();

        row("a", source, 8);
        pass(Duration.ofMillis(5));
        assertThat(found(waitsHere)).isEqualTo("a");
    }

    @Test
    void aPartitionThatTheTopicDoesNotHaveIsUnknownAtOnce() {
        introduce(ORDERS, 3);
        CompletableFuture<Read> read = take("a", 6, 1, WAIT);
        look();
        assertThat(read.getNow(NONE))
                .isEqualTo(new Read.UnknownPartition("topic orders has no partition 6"));

        see(ORDERS, 7);
        CompletableFuture<Read> added = take("a", 6, 1, WAIT);
        look();
        assertThat(added).isNotDone();
        Source source = introduce(ORDERS, 6);
        checkpoint(source, 2);
        pass(Duration.ofMillis(5));
        assertThat(found(added)).isEqualTo("none");
    }
}
