package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.command.CommandLog.Put;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.reply.InMemoryReplies;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.reply.ReplyStore.Answer;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CommandDeskTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Uuid ORDERS = new Uuid(7, 8);
    private static final Outcome NONE = new Outcome.Refused("not yet");
    private static final int PARTITIONS = 6;

    private final Hands hands = new Hands();
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final InMemoryReplies replies = new InMemoryReplies(Clock.systemUTC());
    private final FakeTopics brokers = new FakeTopics();
    private final TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
    private final FakeCommandLog log = new FakeCommandLog();
    private final Room room = new Room(100, 1 << 20);
    private boolean isDatabaseAway;
    private int looks;
    private int written;
    private final CommandDesk desk;

    CommandDeskTest() {
        see(ORDERS, PARTITIONS);
        desk =
                new CommandDesk(
                        new Lookup(
                                new Reaching(),
                                new InMemoryRowReads(database),
                                new Sources(new InMemoryCheckpoints(database), topics),
                                topics,
                                "orders",
                                Partitioner.MURMUR2),
                        hands.looker(),
                        log,
                        room,
                        () -> written++,
                        hands.own(),
                        hands::nanos);
    }

    /** The answers, where the database can be reached. */
    private final class Reaching implements ReplyStore {

        @Override
        public Map<CommandId, Answer> find(Collection<CommandId> commands) {
            looks++;
            if (isDatabaseAway) {
                throw new UnavailableException("no database");
            }
            return replies.find(commands);
        }

        @Override
        public int forget(Duration age, int most) {
            return 0;
        }
    }

    @AfterEach
    void allIsGivenBack() {
        desk.close();
        log.answerAll(new Put.Unknown("the end"));
        hands.runTasks();
        assertThat(room.bytes()).isZero();
    }

    private void see(Uuid id, int partitions) {
        brokers.set("orders", new Topic(id, partitions));
        topics.look();
    }

    private static Command command(String key, String id) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return new Command(key, bytes, new byte[100], id, List.of());
    }

    private CompletableFuture<Outcome> take(String key, String id, Duration wait) {
        Command command = command(key, id);
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        assertThat(room.take(command.bytes())).isTrue();
        desk.take(command, wait, future);
        desk.turn();
        return future;
    }

    /** Takes a command and has it looked for. */
    private CompletableFuture<Outcome> send(String key, String id, Duration wait) {
        CompletableFuture<Outcome> future = take(key, id, wait);
        look();
        return future;
    }

    private void look() {
        while (hands.hasLooks()) {
            hands.runLook();
            desk.turn();
        }
    }

    private void answer(Put put) {
        log.answer(put);
        hands.runTasks();
        desk.turn();
    }

    private void pass(Duration time) {
        hands.pass(time);
        desk.turn();
    }

    private static Answer applied(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return new Answer(Result.APPLIED, null, bytes, false, 1, "orders", 0, 41, Instant.EPOCH);
    }

    private Answer save(String key, String id, String value) {
        Answer answer = applied(value);
        replies.save(new CommandId(key, id), answer);
        return answer;
    }

    private static int partition(String key) {
        return Partitioner.MURMUR2.partition(key.getBytes(StandardCharsets.UTF_8), PARTITIONS);
    }

    private static LogPosition at(String key, long offset) {
        return new LogPosition("orders", partition(key), offset);
    }

    @Test
    void aCommandIsPutWhereItsKeyBelongsAndAnsweredByWhatItsSaveLeaves() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        assertThat(log.puts()).containsExactly("a/1 to " + partition("a"));
        answer(new Put.Written(17));
        assertThat(room.bytes()).isZero();
        assertThat(written).isEqualTo(1);

        pass(Duration.ofMillis(5));
        look();
        assertThat(future).isNotDone();

        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    @Test
    void aRepeatedCommandIsAnsweredAndNothingIsProduced() {
        Answer answer = save("a", "1", "yes");

        assertThat(send("a", "1", WAIT)).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(send("a", "1", Duration.ZERO))
                .isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).isEmpty();
    }

    @Test
    void twoCallsOfOneCommandAreOneRecordAndGetOneAnswer() {
        CompletableFuture<Outcome> first = take("a", "1", WAIT);
        CompletableFuture<Outcome> second = take("a", "1", WAIT);
        look();
        CompletableFuture<Outcome> third = take("a", "1", WAIT);
        CompletableFuture<Outcome> soon = take("a", "1", Duration.ZERO);
        answer(new Put.Written(17));
        CompletableFuture<Outcome> fourth = take("a", "1", WAIT);
        CompletableFuture<Outcome> atOnce = take("a", "1", Duration.ZERO);
        assertThat(log.puts()).hasSize(1);
        assertThat(soon).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));
        assertThat(atOnce).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));

        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(first).isCompletedWithValue(new Outcome.Settled(answer, false));
        for (CompletableFuture<Outcome> joined : List.of(second, third, fourth)) {
            assertThat(joined).isCompletedWithValue(new Outcome.Settled(answer, true));
        }
    }

    @Test
    void whoWaitsOnlyForTheLogIsToldWhereTheCommandIs() {
        CompletableFuture<Outcome> future = send("a", "1", Duration.ZERO);
        assertThat(future).isNotDone();
        answer(new Put.Written(17));

        assertThat(future).isCompletedWithValue(new Outcome.Accepted(at("a", 17)));
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);
    }

    @Test
    void whoWaitsForItLaterDoesNotPutItAgain() {
        send("a", "1", Duration.ZERO);
        answer(new Put.Written(17));

        CompletableFuture<Outcome> again = send("a", "1", WAIT);
        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();

        assertThat(again).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).hasSize(1);
    }

    @Test
    void aCallWhoseTimeIsOverIsToldWhereTheCommandIsAndARepeatedOneIsNotProducedAgain() {
        CompletableFuture<Outcome> first = send("a", "1", Duration.ofMillis(100));
        answer(new Put.Written(17));
        pass(Duration.ofMillis(100));
        assertThat(first).isCompletedWithValue(new Outcome.TimeOver(at("a", 17)));
        look(); // begun before
        assertThat(desk.turn()).isEqualTo(OwnThread.NOT_DUE);

        Answer answer = save("a", "1", "yes");
        CompletableFuture<Outcome> again = take("a", "1", WAIT);
        pass(Duration.ofMillis(100));
        look();

        assertThat(again).isCompletedWithValue(new Outcome.Settled(answer, true));
        assertThat(log.puts()).hasSize(1);
    }

    @Test
    void aCommandThatNobodyWaitsForIsForgottenAfterAWhile() {
        send("a", "1", Duration.ofMillis(100));
        answer(new Put.Written(17));
        pass(Duration.ofMillis(100));
        look();
        pass(Duration.ofNanos(CommandDesk.REMEMBERED));

        send("a", "1", WAIT);

        assertThat(log.puts()).hasSize(2);
    }

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

    private Source introduce(Uuid id, int partition, int growth) {
        NewSource source =
                new NewSource(
                        new TopicPartition("orders", partition),
                        id,
                        0,
                        new NextOffset(0, 0),
                        growth,
                        Set.of(ORDERS, new Uuid(1, 1)));
        return new InMemoryCheckpoints(database)
                .introduce(List.of(source)).sources().stream()
                        .filter(it -> it.partition().partition() == partition)
                        .filter(it -> it.topicId().equals(id))
                        .findFirst()
                        .orElseThrow();
    }

    private void row(String key, Source... sources) {
        Marks marks = Marks.NONE;
        for (Source source : sources) {
            marks = marks.advance(source.number(), new NextOffset(5, 0));
        }
        new InMemoryStateStore(database)
                .save(
                        List.of(
                                new Change(
                                        key,
                                        0,
                                        new byte[] {'1'},
                                        marks,
                                        null,
                                        0,
                                        new Change.Beside(
                                                List.of(), List.of(), HandlerEffects.NONE))),
                        Patience.WAIT,
                        database.incarnation());
    }

    @Test
    void withoutADatabaseNothingIsProducedAndThoseThatWaitGoOnWaiting() {
        CompletableFuture<Outcome> waiting = send("a", "1", WAIT);
        answer(new Put.Written(17));
        isDatabaseAway = true;

        assertThat(send("b", "2", WAIT).getNow(NONE))
                .isEqualTo(new Outcome.Busy("UnavailableException: no database"));
        assertThat(log.puts()).hasSize(1);

        pass(Duration.ofNanos(CommandDesk.PACE_IN_TROUBLE - 1));
        assertThat(hands.hasLooks()).isFalse();
        Answer answer = save("a", "1", "yes");
        isDatabaseAway = false;
        pass(Duration.ofNanos(1));
        look();
        assertThat(waiting).isCompletedWithValue(new Outcome.Settled(answer, false));
    }

    @Test
    void behindADatabaseThatHangsNobodyWaitsForLong() {
        CompletableFuture<Outcome> first = take("a", "1", WAIT);
        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        CompletableFuture<Outcome> second = take("b", "2", WAIT);
        pass(Duration.ofNanos(1));
        CompletableFuture<Outcome> third = take("c", "3", WAIT);
        assertThat(third).isCompletedWithValue(new Outcome.Busy("the database does not answer"));
        assertThat(first).isNotDone();

        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        assertThat(first).isCompletedWithValue(new Outcome.Busy("the database does not answer"));
        assertThat(second).isNotDone();
        pass(Duration.ofNanos(CommandDesk.FIRST_LOOK / 2));
        assertThat(second).isCompletedWithValue(new Outcome.Busy("the database does not answer"));

        look(); // comes back at last
        assertThat(log.puts()).isEmpty();
        assertThat(hands.hasLooks()).isFalse();
    }

    @Test
    void whatTheLogCanNotTakeIsTurnedAwayAtOnce() {
        log.trouble("no brokers");

        assertThat(send("a", "1", WAIT)).isCompletedWithValue(new Outcome.Busy("no brokers"));
        assertThat(log.puts()).isEmpty();

        Answer answer = save("b", "2", "yes");
        assertThat(send("b", "2", WAIT)).isCompletedWithValue(new Outcome.Settled(answer, true));
    }

    @Test
    void aPartitionThatAcknowledgesNothingGetsNoMore() {
        CompletableFuture<Outcome> first = send("a", "1", WAIT);
        pass(Duration.ofNanos(CommandDesk.STALLED));
        send("a", "2", WAIT);
        pass(Duration.ofNanos(1));
        CompletableFuture<Outcome> third = send("a", "3", WAIT);
        String other = partition("b") != partition("a") ? "b" : "c";
        send(other, "4", WAIT);
        assertThat(third.getNow(NONE)).isInstanceOf(Outcome.Busy.class);
        assertThat(log.puts()).hasSize(3).last().isEqualTo(other + "/4 to " + partition(other));

        answer(new Put.Written(17));
        send("a", "5", WAIT);
        assertThat(log.puts()).hasSize(4);
        assertThat(first).isNotDone();
    }

    @Test
    void aCallIsToldWhatBecameOfItsRecord() {
        CompletableFuture<Outcome> not = send("a", "1", WAIT);
        answer(new Put.NotWritten("no leader"));
        CompletableFuture<Outcome> refused = send("a", "2", WAIT);
        answer(new Put.Refused("too large"));
        CompletableFuture<Outcome> unknown = send("a", "3", WAIT);
        answer(new Put.Unknown("no reply"));

        assertThat(not).isCompletedWithValue(new Outcome.Busy("no leader"));
        assertThat(refused).isCompletedWithValue(new Outcome.Refused("too large"));
        assertThat(unknown).isCompletedWithValue(new Outcome.Unknown("no reply"));
        send("a", "3", WAIT);
        assertThat(log.puts()).hasSize(4);
    }

    @Test
    void aCallWhoseTimeIsOverBeforeTheBrokersAnswerDoesNotKnow() {
        CompletableFuture<Outcome> future = send("a", "1", Duration.ofMillis(100));
        pass(Duration.ofMillis(100));

        assertThat(future.getNow(NONE)).isInstanceOf(Outcome.Unknown.class);
        assertThat(room.bytes()).as("the producer still has it").isPositive();
        answer(new Put.Written(17));
    }

    @Test
    void anAnswerThatComesBeforeThatOfTheBrokersIsTheAnswer() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        CompletableFuture<Outcome> other = send("b", "1", WAIT);
        answer(new Put.Written(17));
        Answer answer = save("a", "1", "yes");
        pass(Duration.ofMillis(5));
        look();
        assertThat(future).isCompletedWithValue(new Outcome.Settled(answer, false));
        assertThat(other).isNotDone();
        answer(new Put.Written(18));
    }

    @Test
    void thoseThatWaitAreLookedForTogetherAndOnlyEveryFewMilliseconds() {
        send("a", "1", WAIT);
        send("b", "2", WAIT);
        answer(new Put.Written(17));
        answer(new Put.Written(18));
        pass(Duration.ofMillis(5));
        int before = looks;
        look();
        assertThat(looks).isEqualTo(before + 1);
        assertThat(hands.hasLooks()).isFalse();
        assertThat(desk.turn()).isEqualTo(CommandDesk.PACE);

        pass(Duration.ofNanos(CommandDesk.PACE - 1));
        assertThat(hands.hasLooks()).isFalse();
        pass(Duration.ofNanos(1));
        hands.pass(Duration.ofMillis(40)); // the look takes long
        look();
        assertThat(desk.turn()).isEqualTo(Duration.ofMillis(40).toNanos());
    }

    @Test
    void whereTooManyBytesOfAnswersWereFoundANewCommandIsLookedForOnceMore() {
        CompletableFuture<Outcome> waiting = send("a", "1", WAIT);
        answer(new Put.Written(17));
        look();
        replies.save(
                new CommandId("a", "1"),
                new Answer(
                        Result.APPLIED,
                        null,
                        new byte[(int) ReplyStore.MOST_BYTES],
                        false,
                        1,
                        "orders",
                        0,
                        17,
                        Instant.EPOCH));
        hands.pass(Duration.ofMillis(5));
        take("b", "2", WAIT);
        hands.runLook();
        assertThat(waiting).isDone();
        assertThat(log.puts()).as("its answer may have been left out").hasSize(1);

        desk.turn();
        look();
        assertThat(log.puts()).hasSize(2);
    }

    @Test
    void aCallerThatIsGoneIsNotLookedForAnyMore() {
        CompletableFuture<Outcome> future = send("a", "1", WAIT);
        answer(new Put.Written(17));
        assertThat(future.cancel(false)).isTrue();
        pass(Duration.ofMillis(5));
        look();
        int before = looks;

        pass(Duration.ofMillis(5));

        assertThat(hands.hasLooks()).isFalse();
        assertThat(looks).isEqualTo(before);
    }

    @Test
    void aDeskThatClosesGivesEachCallerAnOutcome() {
        CompletableFuture<Outcome> inLog = send("a", "1", WAIT);
        answer(new Put.Written(17));
        CompletableFuture<Outcome> put = send("b", "2", WAIT);
        CompletableFuture<Outcome> fresh = take("c", "3", WAIT);

        desk.close();

        assertThat(inLog).isCompletedWithValue(new Outcome.TimeOver(at("a", 17)));
        assertThat(put).isCompletedWithValue(new Outcome.Unknown("the process is ending"));
        assertThat(fresh).isCompletedWithValue(new Outcome.Busy("the process is ending"));
        answer(new Put.Written(18));
    }
}
