package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.offset.Checkpoints.Source;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** Which partition commands are put into. */
class CommandPlacesTest extends CommandDesks {

    @Test
    void aKeyOfAnotherPartitionIsNotSplit() {
        int other = (partition("a") + 1) % PARTITIONS;
        row("a", introduce(ORDERS, other, 0));

        CompletableFuture<Outcome> future = send("a", "1", WAIT);

        assertThat(future)
                .isCompletedWithValue(new Outcome.OtherPartition("orders", other, partition("a")));
        assertThat(log.puts()).isEmpty();
    }

    @Test
    void aKeyOfThisPartitionOrOfAFormerTopicIsPut() {
        int other = (partition("a") + 1) % PARTITIONS;
        row("a", introduce(ORDERS, other, 0), introduce(ORDERS, partition("a"), 0));
        row("b", introduce(new Uuid(1, 1), (partition("b") + 1) % PARTITIONS, 0));

        send("a", "1", WAIT);
        send("b", "1", WAIT);

        assertThat(log.puts())
                .containsExactly("a/1 to " + partition("a"), "b/1 to " + partition("b"));
    }

    @Test
    void aSlotThatIsAwayTurnsAwayOnlyTheCommandsOfItsKeys() {
        take("z", "1", WAIT); // is being looked for alone
        CompletableFuture<Outcome> there = take("left-a", "1", WAIT);
        CompletableFuture<Outcome> here = take("a", "1", WAIT);
        look();
        assertThat(there)
                .isCompletedWithValue(
                        new Outcome.Busy(
                                Outcome.Reason.DATABASE,
                                "UnavailableException: the slot has left"));
        assertThat(here).isNotDone();
        assertThat(log.puts())
                .containsExactly("z/1 to " + partition("z"), "a/1 to " + partition("a"));
    }

    @Test
    void whereAKeyBelongsThatMayHaveMovedIsNotGuessedWhileHomeIsAway() {
        int other = (partition("a") + 1) % PARTITIONS;
        lacking = "main";
        row("a", introduce(ORDERS, other, 0));
        row("b", introduce(ORDERS, partition("b"), 0));

        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        send("b", "1", WAIT);

        assertThat(future.getNow(NONE))
                .isInstanceOfSatisfying(
                        Outcome.Busy.class,
                        it -> {
                            assertThat(it.reason()).isEqualTo(Outcome.Reason.DATABASE);
                            assertThat(it.place()).isEqualTo("main");
                        });
        assertThat(log.puts()).containsExactly("b/1 to " + partition("b"));
        lacking = "";
        assertThat(send("a", "1", WAIT))
                .isCompletedWithValue(new Outcome.OtherPartition("orders", other, partition("a")));
    }

    @Test
    void aKeyThatMovesSincePartitionsWereAddedIsPutWhereItBelongsNow() {
        String moved = "a";
        int before = Partitioner.MURMUR2.partition("a".getBytes(StandardCharsets.UTF_8), 2);
        int now = partition(moved);
        assertThat(before).isNotEqualTo(now);
        Source first = introduce(ORDERS, 0, 0);
        Source second = introduce(ORDERS, 1, 0);
        for (int i = 2; i < PARTITIONS; i++) {
            introduce(ORDERS, i, 1);
        }
        row("a", before == 0 ? first : second);
        row("b", before == 0 ? second : first);

        send("a", "1", WAIT);
        assertThat(log.puts()).containsExactly("a/1 to " + now);
    }
}
