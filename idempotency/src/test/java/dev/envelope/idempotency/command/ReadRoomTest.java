package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.command.EntityReads.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Many reads at once, and what they take. */
class ReadRoomTest extends ReadDeskBench {

    @Test
    void theRowsOfManyCallersAreReadInOneStatement() {
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        row("b", source, 8);
        CompletableFuture<Map<String, Entity>> first = take("a");
        CompletableFuture<Map<String, Entity>> second = take("a", "b");
        CompletableFuture<Map<String, Entity>> third = take("b", "missing");
        hands.runLook(); // of the first
        desk.turn();
        int before = rows.reads;
        look();

        assertThat(rows.reads).isEqualTo(before + 1);
        assertThat(first.getNow(Map.of())).containsOnlyKeys("a");
        assertThat(second.getNow(Map.of())).containsOnlyKeys("a", "b");
        Map<String, Entity> rowsOfThird = third.getNow(Map.of());
        assertThat(rowsOfThird).containsOnlyKeys("b");
        assertThat(state(rowsOfThird.get("b"))).isEqualTo("b");
        assertThat(rowsOfThird.values())
                .extracting(Entity::nextOffsets)
                .containsExactly(Map.of(new TopicPartition("orders", 3), 8L));
    }

    @Test
    void rowsThatDoNotFitBesideOthersAreReadAlone() {
        over = CompletableFuture.completedFuture(null); // nobody holds what was read
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        row("b", source, 7);
        rows.fitting = 1;
        take("x");
        CompletableFuture<Map<String, Entity>> a = take("a");
        CompletableFuture<Map<String, Entity>> b = take("b");
        CompletableFuture<Map<String, Entity>> both = take("a", "b");
        look();

        assertThat(a.getNow(Map.of())).containsOnlyKeys("a");
        assertThat(b.getNow(Map.of())).containsOnlyKeys("b");
        assertThatThrownBy(() -> both.getNow(Map.of()))
                .hasCauseInstanceOf(EntityReads.TooLargeException.class);
    }

    /** Otherwise the greatest key could be left out until its time is over. */
    @Test
    void ofThoseThatWaitWhoseTimeIsOverSoonestIsReadFirst() {
        Source source = introduce(ORDERS, 3);
        List<String> keys = List.of("c", "a", "d", "b");
        List<CompletableFuture<Read>> reads = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            row(keys.get(i), source, 7);
            reads.add(take(keys.get(i), 3, 8, WAIT.minusSeconds(i)));
        }
        look();
        assertThat(reads).noneMatch(CompletableFuture::isDone);
        keys.forEach(key -> row(key, source, 9));
        rows.fitting = 1;

        for (int answered = 1; answered <= keys.size(); answered++) {
            pass(Duration.ofMillis(20));
            assertThat(reads.subList(keys.size() - answered, keys.size()))
                    .allMatch(CompletableFuture::isDone);
            assertThat(reads.stream().filter(CompletableFuture::isDone)).hasSize(answered);
        }
    }

    @Test
    void aSmallRowIsReadThoughThoseThatWaitLeaveNoRoomForIt() {
        Source source = introduce(ORDERS, 3);
        row("large", source, 7);
        row("small", source, 7);
        CompletableFuture<Read> waits = take("large", 3, 8, WAIT);
        look();
        assertThat(waits).isNotDone();
        row("large", source, 9);
        rows.fitting = 1;

        hands.pass(Duration.ofMillis(20)); // so that both are looked for at once
        CompletableFuture<Map<String, Entity>> small = take("small");
        look();

        assertThat(waits).isDone();
        assertThat(small.getNow(Map.of())).containsOnlyKeys("small");
    }

    @Test
    void whatWasReadIsCountedUntilItsCallerIsOver() {
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        CompletableFuture<Map<String, Entity>> read = take("a");
        CompletableFuture<Read> waits = take("a", 3, 6, WAIT);
        look();
        assertThat(read).isDone();
        assertThat(waits).isDone();
        long held = room.bytes();
        assertThat(held).isEqualTo(2 * (256 + 3));
        assertThat(rows.limits).first().isEqualTo(100_000L);
        take("a");
        look();
        assertThat(rows.limits).last().isEqualTo(100_000L - held);

        over.complete(null);
        assertThat(room.bytes()).isZero();
    }

    @Test
    void whileCallersDoNotReadTheirAnswersOthersAreTurnedAway() {
        Source source = introduce(ORDERS, 3);
        row("a", source, 7);
        assertThat(room.take(99_900)).isTrue();
        CompletableFuture<Map<String, Entity>> read = take("a");
        CompletableFuture<Map<String, Entity>> none = take("none");
        look();
        assertThatThrownBy(() -> read.getNow(Map.of()))
                .hasCauseInstanceOf(UnavailableException.class);
        assertThat(none).isCompletedWithValue(Map.of());

        rows.fitting = 0; // too little room even for what is left out
        CompletableFuture<Map<String, Entity>> leftOut = take("a");
        look();
        assertThatThrownBy(() -> leftOut.getNow(Map.of()))
                .hasCauseInstanceOf(UnavailableException.class);
        room.free(99_900);
    }

    @Test
    void smallReadsDoNotWaitBehindLargeOnes() {
        row("a", introduce(ORDERS, 3), 7);
        take("x");
        List<CompletableFuture<Map<String, Entity>>> large = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            large.add(take(many(i)));
        }
        CompletableFuture<Map<String, Entity>> small = take("a");
        hands.runLook(); // of the first
        desk.turn();
        hands.runLook();

        assertThat(small.getNow(Map.of())).containsOnlyKeys("a");
        assertThat(large).filteredOn(CompletableFuture::isDone).hasSize(1);
        for (int i = 1; i < 5; i++) {
            take("a");
            desk.turn();
            hands.runLook();
        }
        assertThat(large).as("nor they behind small ones").allMatch(CompletableFuture::isDone);
    }

    @Test
    void aReadDoesNotWaitBehindAllThatAreReadAlone() {
        Source source = introduce(ORDERS, 3);
        List.of("a", "b", "c", "d").forEach(it -> row(it, source, 7));
        rows.fitting = 1;
        take("x");
        List<CompletableFuture<Map<String, Entity>>> large = new ArrayList<>();
        List.of("a", "b", "c", "d").forEach(it -> large.add(take(it)));
        hands.runLook(); // of the first
        desk.turn();
        hands.runLook(); // one of the four fits
        CompletableFuture<Map<String, Entity>> small = take("none");
        for (int i = 0; i < 2; i++) {
            desk.turn();
            hands.runLook();
        }

        assertThat(small).isDone();
        assertThat(large).filteredOn(CompletableFuture::isDone).hasSize(2);
        desk.turn();
        look();
        assertThat(large).allMatch(CompletableFuture::isDone);
    }

    @Test
    void withoutADatabaseNewReadsFailAndThoseThatWaitGoOn() {
        Source source = introduce(ORDERS, 3);
        CompletableFuture<Read> waiting = take("a", 3, 6, WAIT);
        look();
        rows.isAway = true;
        CompletableFuture<Map<String, Entity>> plain = take("a");
        CompletableFuture<Read> fresh = take("a", 3, 6, WAIT);
        look();
        assertThat(plain).isCompletedExceptionally();
        assertThat(fresh).isCompletedExceptionally();
        assertThat(waiting).isNotDone();

        rows.isAway = false;
        checkpoint(source, 7);
        pass(Duration.ofNanos(ReadDesk.PACE_IN_TROUBLE));
        assertThat(found(waiting)).isEqualTo("none");
    }

    @Test
    void behindADatabaseThatHangsNoReadWaitsForLong() {
        CompletableFuture<Map<String, Entity>> first = take("a");
        hands.pass(Duration.ofNanos(ReadDesk.FIRST_LOOK / 2 + 1));
        CompletableFuture<Map<String, Entity>> second = take("b");
        assertThat(second).isCompletedExceptionally();
        assertThat(first).isNotDone();
        hands.pass(Duration.ofNanos(ReadDesk.FIRST_LOOK / 2));
        desk.turn();
        assertThat(first).isCompletedExceptionally();
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    @Test
    void aDeskThatClosesCompletesEachRead() {
        introduce(ORDERS, 3);
        CompletableFuture<Read> waiting = take("a", 3, 6, WAIT);
        look();
        CompletableFuture<Map<String, Entity>> looked = take("a");
        CompletableFuture<Map<String, Entity>> fresh = take("b");
        desk.close();

        assertThat(waiting).isCompletedExceptionally();
        assertThat(looked).isCompletedExceptionally();
        assertThat(fresh).isCompletedExceptionally();
    }

    private static String[] many(int number) {
        return IntStream.range(0, 1_000).mapToObj(i -> number + "-" + i).toArray(String[]::new);
    }
}
