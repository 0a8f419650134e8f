package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.reply.InMemoryReplies;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CommandsTest {

    private static final Duration WAIT = Duration.ofSeconds(30);

    private final InMemoryDatabase database = new InMemoryDatabase();
    private final InMemoryReplies replies = new InMemoryReplies(Clock.systemUTC());
    private final FakeCommandLog log = new FakeCommandLog();
    private final Commands commands;

    CommandsTest() {
        FakeTopics brokers = new FakeTopics();
        brokers.set("orders", new Topic(new Uuid(7, 8), 6));
        TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
        topics.look();
        AtPlace store =
                AtPlace.undivided(
                        new InMemoryRowReads(database), replies, new InMemoryCheckpoints(database));
        commands =
                new Commands(
                        List.of(
                                new Lookup(
                                        store,
                                        topics,
                                        "orders",
                                        Partitioner.MURMUR2,
                                        System::nanoTime)),
                        key -> 0,
                        log,
                        new Commands.Limits(3, 10_000),
                        System::nanoTime);
    }

    @AfterEach
    void close() {
        commands.close();
    }

    private static Command command(String id, int bytes, Header... headers) {
        byte[] key = "a".getBytes(StandardCharsets.UTF_8);
        return new Command("a", key, new byte[bytes], id, List.of(headers));
    }

    private CompletableFuture<Outcome> send(String id, int bytes, Header... headers) {
        return commands.send(command(id, bytes, headers), WAIT);
    }

    private static Outcome get(CompletableFuture<Outcome> future) throws Exception {
        return future.get(10, TimeUnit.SECONDS);
    }

    @Test
    void aCommandIsAnsweredByWhatItsSaveLeaves() throws Exception {
        CompletableFuture<Outcome> future = send("1", 100);
        log.awaitPuts(1);
        log.answer(new Put.Written(17));
        Answer answer =
                new Answer(
                        Result.APPLIED,
                        null,
                        new byte[1],
                        false,
                        1,
                        "orders",
                        0,
                        17,
                        Instant.EPOCH);
        replies.save(new CommandId("a", "1"), answer);

        assertThat(get(future)).isEqualTo(new Outcome.Settled(answer, false));
        assertThat(get(send("1", 100))).isEqualTo(new Outcome.Settled(answer, true));
        commands.close(); // behind it all has been counted
        assertThat(commands.status()).isEqualTo(new Commands.Status(0, 0, 1, 2, 1, 0, 0));
    }

    @Test
    void beyondALimitACallerIsTurnedAwayAtOnce() throws Exception {
        List<CompletableFuture<Outcome>> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(send("" + i, 100));
        }
        assertThat(send("3", 100))
                .isCompletedWithValue(
                        new Outcome.Busy(Outcome.Reason.LIMITS, "too many commands are under way"));
        assertThat(three.get(0).cancel(false)).isTrue();
        assertThat(send("4", 9_000))
                .isCompletedWithValue(
                        new Outcome.Busy(
                                Outcome.Reason.LIMITS,
                                "the commands that are under way are too large together"));
        assertThat(send("5", 100)).isNotDone();
        assertThat(commands.status().waiting()).isEqualTo(3);
        assertThat(commands.status().busy()).isEqualTo(2);

        log.awaitPuts(4);
        log.answerAll(new Put.Unknown("no reply"));
        assertThat(get(three.get(1)))
                .isEqualTo(new Outcome.Unknown(Outcome.Reason.BROKERS, "no reply"));
        commands.close(); // behind it all has been counted
        assertThat(commands.status().waiting()).isZero();
        assertThat(commands.status().bytes()).isZero();
    }

    @Test
    void whatCanNeverBeACommandIsRefused() throws Exception {
        assertThat(get(send("", 1))).isInstanceOf(Outcome.Refused.class);
        assertThat(get(send("x".repeat(256), 1))).isInstanceOf(Outcome.Refused.class);
        assertThat(get(send("1", 10_000))).isInstanceOf(Outcome.Refused.class);
        Command tooLongTogether =
                new Command(
                        "k".repeat(2_500), new byte[1], new byte[1], "i".repeat(101), List.of());
        assertThat(get(commands.send(tooLongTogether, WAIT))).isInstanceOf(Outcome.Refused.class);
        assertThat(get(send("1", 1, new RecordHeader("envelope.timer", new byte[1]))))
                .isInstanceOf(Outcome.Refused.class);
        assertThat(commands.status().waiting()).isZero();
        assertThat(commands.status().bytes()).isZero();
    }

    @Test
    void aCloseGivesEachCallerAnOutcome() throws Exception {
        CompletableFuture<Outcome> future = send("1", 100);
        log.awaitPuts(1);

        commands.close();

        assertThat(get(future)).isInstanceOf(Outcome.Unknown.class);
        assertThat(log.isClosed()).isTrue();
        assertThat(get(send("2", 100))).isInstanceOf(Outcome.Busy.class);
    }
}
