package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.command.EntityReads.AwayException;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.command.EntityReads.Rows;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.PlacesInMemory;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reads and commands while one of three places hangs or is away. */
@Timeout(20)
class PlacesApartTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int HANGING = 1;
    private static final int WAITING = 9; // three for each place

    private final PlacesInMemory memory = new PlacesInMemory();
    private final FakeCommandLog log = new FakeCommandLog();
    private final CompletableFuture<?> over = new CompletableFuture<>();
    private final EntityReads reads;
    private final Commands commands;

    PlacesApartTest() {
        FakeTopics brokers = new FakeTopics();
        brokers.set("orders", new Topic(new Uuid(7, 8), 6));
        TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
        topics.look();
        DividedStore store =
                new DividedStore(PlacesInMemory.DIVISION, memory.all(), System::nanoTime);
        Commands.Limits limits = new Commands.Limits(WAITING, 30_000);
        reads = new EntityReads(store.callers(), topics, limits, System::nanoTime);
        commands =
                Commands.open(
                        store.callers(),
                        topics,
                        log,
                        Partitioner.MURMUR2,
                        limits,
                        System::nanoTime);
        for (int slot = 0; slot < PlacesInMemory.DIVISION.slots(); slot++) {
            memory.save(key(slot), Marks.NONE.advance(1, new NextOffset(5, 0)));
        }
    }

    @AfterEach
    void close() {
        over.complete(null);
        memory.giveUp(HANGING);
        reads.close();
        commands.close();
    }

    private static String key(int slot) {
        return PlacesInMemory.keyIn(slot, "key-");
    }

    private CompletableFuture<Rows> read(int... slots) {
        List<String> keys = new ArrayList<>();
        for (int slot : slots) {
            keys.add(key(slot));
        }
        return reads.read(keys, over);
    }

    private CompletableFuture<Outcome> send(int slot, String id, int bytes) {
        byte[] key = key(slot).getBytes(StandardCharsets.UTF_8);
        return commands.send(new Command(key(slot), key, new byte[bytes], id, List.of()), WAIT);
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    @Test
    void rowsOfOtherPlacesAreReadWhileOneHangs() throws Exception {
        memory.hang(HANGING);
        CompletableFuture<Rows> hangs = read(1);
        assertThat(get(read(0)).entities()).containsOnlyKeys(key(0));
        assertThat(get(read(2, 3)).entities()).containsOnlyKeys(key(2), key(3));
        CompletableFuture<Rows> all = read(0, 1, 2, 3);
        assertThat(get(read(0)).isOneMoment()).isTrue();
        assertThat(hangs).isNotDone();
        memory.giveUp(HANGING);

        Rows rows = get(all);
        assertThat(rows.entities()).containsOnlyKeys(key(0), key(2), key(3));
        assertThat(rows.unanswered()).containsExactly(key(1));
        assertThat(rows.away()).containsExactly("b");
        assertThat(rows.isOneMoment()).isFalse();
        assertThatThrownBy(() -> get(hangs))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(AwayException.class)
                .hasMessageContaining("place b is away");
    }

    @Test
    void readsThatWaitAtAPlaceThatHangsTakeNoRoomFromOthers() throws Exception {
        memory.hang(HANGING);
        List<CompletableFuture<Read>> wait = new ArrayList<>();
        for (int i = 0; i < WAITING; i++) {
            wait.add(reads.read(key(1), new LogPosition("orders", 0, i), WAIT, over));
        }
        assertThat(wait.stream().filter(CompletableFuture::isDone)).hasSize(WAITING - 3);
        assertThat(get(read(0)).entities()).containsOnlyKeys(key(0));
        assertThat(get(read(3)).entities()).containsOnlyKeys(key(3));
    }

    @Test
    void commandsOfOtherPlacesAreAnsweredWhileOneHangs() throws Exception {
        memory.hang(HANGING);
        CompletableFuture<Outcome> hangs = send(1, "1", 100);
        CompletableFuture<Outcome> other = send(2, "1", 100);
        log.awaitPuts(1);
        log.answer(new Put.Written(17));
        Answer answer =
                new Answer(Result.APPLIED, null, null, false, 1, "orders", 0, 17, Instant.EPOCH);
        memory.replies().get(2).save(new CommandId(key(2), "1"), answer);
        assertThat(get(other)).isEqualTo(new Outcome.Settled(answer, false));
        assertThat(hangs).isNotDone();
        memory.giveUp(HANGING);

        assertThat(get(hangs))
                .isInstanceOfSatisfying(
                        Outcome.Busy.class,
                        it -> {
                            assertThat(it.reason()).isEqualTo(Outcome.Reason.DATABASE);
                            assertThat(it.place()).isEqualTo("b");
                        });
        assertThat(log.puts()).hasSize(1); // what is turned away was not produced
    }

    @Test
    void commandsForAPlaceThatHangsTakeNoRoomFromOthers() throws Exception {
        memory.hang(HANGING);
        send(1, "large", 7_500);
        assertThat(get(send(1, "too large beside it", 7_500)))
                .isEqualTo(
                        new Outcome.Busy(
                                Outcome.Reason.LIMITS,
                                "the commands that are under way are too large together",
                                "b"));
        send(1, "2", 1);
        send(1, "3", 1);
        assertThat(get(send(1, "4", 1)))
                .isEqualTo(
                        new Outcome.Busy(
                                Outcome.Reason.LIMITS, "too many commands are under way", "b"));
        for (int slot : List.of(0, 2)) {
            send(slot, "large", 7_500);
            send(slot, "2", 1);
            send(slot, "3", 1);
        }
        log.awaitPuts(6);
        log.answerAll(new Put.Unknown("the end"));
    }
}
