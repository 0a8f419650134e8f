package dev.envelope.idempotency.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Disposition;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Rows as messages: in which order they come, how often, and when they are done. */
class TableSourceTest {

    private final TableBench bench = new TableBench();

    private static List<String> ids(List<Message> messages) {
        return messages.stream().map(it -> Objects.requireNonNull(TableRow.idOf(it))).toList();
    }

    private static Outcome.Saved saved(@Nullable Outcome outcome) {
        assertThat(outcome).isInstanceOf(Outcome.Saved.class);
        return (Outcome.Saved) Objects.requireNonNull(outcome);
    }

    @Test
    void rowsComeInTheOrderOfTheirKeysAndIdsAndOnceUntilTheyAreCommitted() {
        bench.insert("b", 1, "x");
        bench.insert("a", 10, "z");
        bench.insert("a", 9, "y");
        var process = bench.new Reader(0, 1);

        List<Message> first = process.poll();

        assertThat(ids(first)).containsExactly("9", "10", "1");
        assertThat(process.poll()).isEmpty();
        bench.insert("a", 3, "late");
        List<Message> late = process.poll();
        assertThat(ids(late)).containsExactly("3");
        assertThat(late.get(0).offset()).isGreaterThan(first.get(2).offset());
        process.client.commitSync(
                Map.of(process.partition(), new OffsetAndMetadata(first.get(1).offset() + 1)),
                Duration.ZERO);
        assertThat(ids(process.poll())).as("not done, though committed").containsExactly("9", "10");
    }

    @Test
    void aRowIsDoneWithTheSaveOfItsEffect() {
        bench.insert("a", 1, "x");
        bench.insert("a", 2, "y");
        var process = bench.new Reader(0, 1);

        saved(process.handle(process.poll()));

        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.left()).isEmpty();
        bench.insert("a", 1, "z"); // the id was free again
        saved(process.handle(bench.new Reader(0, 1).poll()));
        assertThat(bench.state("a")).isEqualTo("xyz");
    }

    @Test
    void ofTwoProcessesThatHaveReadTheSameRowsOneDoesThem() {
        bench.insert("a", 1, "x");
        bench.insert("a", 2, "y");
        var frozen = bench.new Reader(0, 1);
        var other = bench.new Reader(0, 1);
        List<Message> held = frozen.poll();
        List<Message> read = other.poll();
        saved(other.handle(read.subList(0, 1)));

        Outcome.Saved outcome = saved(frozen.handle(held)); // it had guessed that the key is new

        assertThat(outcome.done().count(Disposition.DUPLICATE)).isPositive();
        saved(other.handle(read.subList(1, 2)));
        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.left()).isEmpty();
    }

    /** Its numbers are greater, so that no mark tells. */
    @Test
    void aRowThatAProcessOfBeforeHasDoneIsNotDoneAgain() {
        bench.insert("a", 1, "x");
        var frozen = bench.new Reader(0, 1);
        List<Message> held = frozen.poll();
        var other = bench.new Reader(0, 1);
        List<Message> read = other.poll();
        saved(frozen.handle(held));

        Outcome.Saved outcome = saved(other.handle(read));

        assertThat(outcome.done().count(Disposition.DUPLICATE)).isEqualTo(1);
        assertThat(bench.state("a")).isEqualTo("x");
        bench.insert("a", 2, "y");
        saved(other.handle(other.poll()));

        assertThat(bench.state("a")).isEqualTo("xy");
        assertThat(bench.left()).isEmpty();
    }

    @Test
    void whatIsParkedOrWasSentTwiceIsDone() {
        bench.insert("a", 1, "#x");
        bench.insert("a", 2, "#x"); // the same event
        bench.insert("b", 3, "bad");
        bench.insert("b", 4, "y");
        var process = bench.new Reader(0, 1);
        List<Message> all = process.poll();

        saved(process.handle(all.subList(0, 2)));
        saved(process.handle(all.subList(2, 4), new GivenUp(3, new IllegalStateException("bad"))));

        assertThat(bench.state("a")).isEqualTo("#x");
        assertThat(bench.database.parked()).hasSize(2);
        assertThat(bench.left()).isEmpty();
    }

    @Test
    void aRowWhoseKeyCantBeARowsIsParkedAndDone() {
        bench.insert("a", 1, "x");
        var process = bench.new Reader(0, 1);
        process.poll();
        bench.insert("no", 2, "y");
        var record = process.client;
        process.environment.advance(Duration.ofSeconds(1));
        process.source.turn();
        List<Message> refused =
                record.poll(Duration.ZERO).records(process.partition()).stream()
                        .map(it -> Message.withoutRow(process.epoch, 9, "too long", it))
                        .toList();

        saved(process.handle(refused));

        assertThat(bench.database.parked()).hasSize(1);
        assertThat(bench.left()).containsOnlyKeys("1");
    }

    @Test
    void aPositionThatIsSetAnewReadsAllThatIsNotDoneUnderGreaterNumbers() {
        bench.insert("a", 1, "x");
        bench.insert("b", 2, "y");
        var process = bench.new Reader(0, 1);
        List<Message> before = process.poll();
        saved(process.handle(before.subList(0, 1)));

        process.client.seek(process.partition(), 0);
        List<Message> again = process.poll();

        assertThat(ids(again)).containsExactly("2");
        assertThat(again.get(0).offset()).isGreaterThan(before.get(1).offset());
    }

    @Test
    void aPausedPartitionKeepsItsRowsAndOneThatIsGoneForgetsThem() {
        bench.insert("a", 1, "x");
        var process = bench.new Reader(0, 1);
        process.client.pause(Set.of(process.partition()));
        assertThat(process.poll()).isEmpty();
        assertThat(process.client.paused()).containsExactly(process.partition());
        assertThat(process.client.currentLag(process.partition())).hasValue(1);

        process.client.resume(Set.of(process.partition()));
        assertThat(process.poll()).hasSize(1);
        assertThat(process.client.currentLag(process.partition())).hasValue(0);

        process.client.assign(Set.of());
        assertThat(process.poll()).isEmpty();
        assertThat(process.client.currentLag(process.partition())).isEmpty();
    }

    @Test
    void eachSlotHasItsOwnRows() {
        for (int i = 0; i < 100; i++) {
            bench.insert("k" + i, i, "x");
        }
        int first = bench.new Reader(0, 2).poll().size();

        assertThat(first).isBetween(20, 80);
        assertThat(bench.new Reader(1, 2).poll()).hasSize(100 - first);
    }

    @Test
    void noMoreThanAPageOrTwoAreReadAhead() {
        for (int i = 0; i < 9_000; i++) {
            bench.insert("k" + i, i, "x");
        }
        var process = bench.new Reader(0, 1);

        int first = process.poll().size();
        assertThat(first).isBetween(1_000, 4_000);
        int all = first;
        while (all < 9_000) {
            all += process.poll().size();
        }
        assertThat(process.poll()).isEmpty();
    }

    @Test
    void ofLargeRowsNoMoreThanAPageOrTwoAreReadAhead() {
        for (int i = 0; i < 30; i++) {
            bench.insert("k" + i, i, "x".repeat(1 << 20));
        }
        var process = bench.new Reader(0, 1);
        process.client.pause(Set.of(process.partition()));
        process.poll();
        process.poll();
        process.client.resume(Set.of(process.partition()));

        assertThat(process.client.poll(Duration.ZERO).count()).isBetween(2, 9);
    }

    @Test
    void whoHasUsedUpItsNumbersTakesOthers() {
        Reading reading = new Reading(new TopicPartition("table:work", 0), 1);
        reading.numbersFrom(TableStore.NUMBERS);
        assertThat(reading.hasNumbers()).isTrue();

        reading.numbersFrom(2 * TableStore.NUMBERS - 500_000);

        assertThat(reading.hasNumbers()).isFalse();
    }

    /** What kills a process is found again under another number. */
    @Test
    void aRowHasTheSamePlaceWheneverItIsRead() {
        bench.insert("a", 1, "x");
        bench.insert("a", 2, "x");
        List<Message> first = bench.new Reader(0, 1).poll();
        List<Message> again = bench.new Reader(0, 1).poll();

        assertThat(first.get(0).offset()).isNotEqualTo(again.get(0).offset());
        assertThat(TableRow.placeOf(first.get(0)))
                .isEqualTo(TableRow.placeOf(again.get(0)))
                .isNotEqualTo(TableRow.placeOf(first.get(1)))
                .isGreaterThan(Long.MAX_VALUE / 2);
    }
}
