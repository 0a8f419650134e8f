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
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.place.CallersStore.OfSlot;
import dev.envelope.idempotency.store.place.KnownSources.Known;
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

/** A desk for commands that is driven by hand, for tests. Threads: one thread. */
class CommandDesks {

    static final Duration WAIT = Duration.ofSeconds(30);
    static final Uuid ORDERS = new Uuid(7, 8);
    static final Outcome NONE = new Outcome.Refused("not yet");
    static final int PARTITIONS = 6;

    /** What keys begin with whose slot is away, though others at the place are there. */
    static final String LEFT = "left-";

    final Hands hands = new Hands();
    final InMemoryDatabase database = new InMemoryDatabase();
    final InMemoryReplies replies = new InMemoryReplies(Clock.systemUTC());
    final FakeTopics brokers = new FakeTopics();
    final TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
    final FakeCommandLog log = new FakeCommandLog();
    final Room room = new Room(100, 1 << 20);
    boolean isDatabaseAway;
    String lacking = ""; // which place has not told of all sources
    int looks;
    int written;
    final CommandDesk desk;

    CommandDesks() {
        see(ORDERS, PARTITIONS);
        OfSlot all =
                new OfSlot(
                        new InMemoryRowReads(database),
                        new Reaching(),
                        names ->
                                new Known(
                                        new InMemoryCheckpoints(database).read(names).sources(),
                                        lacking));
        OfSlot left =
                new OfSlot(
                        new InMemoryRowReads(database),
                        new ReplyStore() {
                            @Override
                            public Map<CommandId, Answer> find(Collection<CommandId> commands) {
                                throw new UnavailableException("the slot has left");
                            }

                            @Override
                            public int forget(Duration age, int most) {
                                return 0;
                            }
                        },
                        all.sources());
        AtPlace store = new AtPlace("", key -> key.startsWith(LEFT) ? left : all);
        desk =
                new CommandDesk(
                        new Lookup(store, topics, "orders", Partitioner.MURMUR2, hands::nanos),
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

    void see(Uuid id, int partitions) {
        brokers.set("orders", new Topic(id, partitions));
        topics.look();
    }

    static Command command(String key, String id) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return new Command(key, bytes, new byte[100], id, List.of());
    }

    CompletableFuture<Outcome> take(String key, String id, Duration wait) {
        Command command = command(key, id);
        CompletableFuture<Outcome> future = new CompletableFuture<>();
        assertThat(room.take(command.bytes())).isTrue();
        desk.take(command, wait, future);
        desk.turn();
        return future;
    }

    /** Takes a command and has it looked for. */
    CompletableFuture<Outcome> send(String key, String id, Duration wait) {
        CompletableFuture<Outcome> future = take(key, id, wait);
        look();
        return future;
    }

    void look() {
        while (hands.hasLooks()) {
            hands.runLook();
            desk.turn();
        }
    }

    /** A save of this process has told of an answer. */
    void told(String key, String id) {
        desk.saved(new CommandId(key, id));
        desk.turn();
        look();
    }

    void answer(Put put) {
        log.answer(put);
        hands.runTasks();
        desk.turn();
    }

    void pass(Duration time) {
        hands.pass(time);
        desk.turn();
    }

    static Answer applied(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return new Answer(Result.APPLIED, null, bytes, false, 1, "orders", 0, 41, Instant.EPOCH);
    }

    Answer save(String key, String id, String value) {
        Answer answer = applied(value);
        replies.save(new CommandId(key, id), answer);
        return answer;
    }

    static int partition(String key) {
        return Partitioner.MURMUR2.partition(key.getBytes(StandardCharsets.UTF_8), PARTITIONS);
    }

    static LogPosition at(String key, long offset) {
        return new LogPosition("orders", partition(key), offset);
    }

    Source introduce(Uuid id, int partition, int growth) {
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

    void row(String key, Source... sources) {
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
}
