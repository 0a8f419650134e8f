package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.idempotency.command.EntityReads.Read;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryRowReads;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.place.CallersStore.AtPlace;
import dev.envelope.idempotency.store.place.CallersStore.OfSlot;
import dev.envelope.idempotency.store.place.KnownSources.Known;
import dev.envelope.idempotency.store.reply.InMemoryReplies;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** A desk for reads, with rows and brokers that do what a test says. */
abstract class ReadDeskBench {

    static final Duration WAIT = Duration.ofSeconds(30);
    static final Uuid ORDERS = new Uuid(7, 8);
    static final Uuid AGAIN = new Uuid(9, 9);
    static final Read NONE = new Read.UnknownPartition("not yet");

    /** What keys begin with whose slot is away, though others at the place are there. */
    static final String LEFT = "left-";

    final Hands hands = new Hands();
    final InMemoryDatabase database = new InMemoryDatabase();
    final InMemoryCheckpoints checkpoints = new InMemoryCheckpoints(database);
    final FakeTopics brokers = new FakeTopics();
    final TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
    final Room room = new Room(100, 100_000);
    CompletableFuture<?> over = new CompletableFuture<>();
    final Reaching rows = new Reaching();
    int sourcesRead;
    final Checkpoints counting = counting();
    final ReadDesk desk;

    ReadDeskBench() {
        see(ORDERS, 6);
        InMemoryReplies replies = new InMemoryReplies(Clock.systemUTC());
        OfSlot here =
                new OfSlot(rows, replies, names -> new Known(counting.read(names).sources(), ""));
        OfSlot left = new OfSlot(new NoRows(), replies, here.sources());
        AtPlace store = new AtPlace("", key -> key.startsWith(LEFT) ? left : here);
        desk =
                new ReadDesk(
                        new ReadLookup(store, topics, hands::nanos),
                        hands.looker(),
                        hands.own(),
                        room,
                        hands::nanos);
    }

    /** The rows, where the database can be reached; the first ones asked for fit into one read. */
    final class Reaching implements RowReads {

        private final RowReads inMemory = new InMemoryRowReads(database);
        boolean isAway;
        int reads;
        int fitting = Integer.MAX_VALUE;
        final List<Long> limits = new ArrayList<>();
        Runnable betweenReads = () -> {};

        @Override
        public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
            limits.add(mostBytes);
            reads++;
            if (isAway) {
                throw new UnavailableException("no database");
            }
            Look look = inMemory.read(keys, logs, mostBytes);
            Map<String, Row> found = new HashMap<>();
            for (String key : keys) {
                Row row = look.rows().get(key);
                if (row != null) {
                    found.put(key, found.size() < fitting ? row : leftOut(row));
                }
            }
            if (keys.isEmpty()) {
                betweenReads.run();
            }
            return new Look(found, look.logs());
        }

        Row leftOut(Row row) {
            return new Row(null, row.version(), row.marks(), row.updatedAt(), row.age(), true);
        }

        @Override
        public Map<String, Marks> marks(Collection<String> keys) {
            return inMemory.marks(keys);
        }
    }

    /** The rows of a slot that is away. */
    private static final class NoRows implements RowReads {

        @Override
        public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
            throw new UnavailableException("the slot has left");
        }

        @Override
        public Map<String, Marks> marks(Collection<String> keys) {
            throw new UnavailableException("the slot has left");
        }
    }

    /** The sources, and how often they were asked for. */
    Checkpoints counting() {
        return (Checkpoints)
                Proxy.newProxyInstance(
                        Checkpoints.class.getClassLoader(),
                        new Class<?>[] {Checkpoints.class},
                        (proxy, method, arguments) -> {
                            sourcesRead++;
                            return method.invoke(checkpoints, arguments);
                        });
    }

    void see(Uuid id, int partitions) {
        brokers.set("orders", new Topic(id, partitions));
        topics.look();
    }

    Source introduce(Uuid id, int partition) {
        NewSource source =
                new NewSource(
                        new TopicPartition("orders", partition),
                        id,
                        0,
                        new NextOffset(0, 0),
                        0,
                        Set.of(ORDERS, AGAIN));
        return checkpoints.introduce(List.of(source)).sources().stream()
                .filter(it -> it.partition().partition() == partition)
                .filter(it -> it.topicId().equals(id))
                .findFirst()
                .orElseThrow();
    }

    void row(String key, Source source, long next) {
        long version = database.rows().containsKey(key) ? database.rows().get(key).version() : 0;
        boolean[] saved =
                new InMemoryStateStore(database)
                        .save(
                                List.of(
                                        new Change(
                                                key,
                                                version,
                                                ('"' + key + '"').getBytes(StandardCharsets.UTF_8),
                                                Marks.NONE.advance(
                                                        source.number(), new NextOffset(next, 0)),
                                                null,
                                                0,
                                                new Change.Beside(
                                                        List.of(),
                                                        List.of(),
                                                        HandlerEffects.NONE))),
                                Patience.WAIT,
                                database.incarnation());
        assertThat(saved).containsExactly(true);
    }

    void checkpoint(Source source, long next) {
        checkpoints.save(Map.of(source.number(), new NextOffset(next, 0)), database.incarnation());
    }

    CompletableFuture<Map<String, Entity>> take(String... keys) {
        CompletableFuture<Map<String, Entity>> future = new CompletableFuture<>();
        desk.take(Set.of(keys), future, over);
        desk.turn();
        return future;
    }

    CompletableFuture<Read> take(String key, int partition, long offset, Duration wait) {
        CompletableFuture<Read> future = new CompletableFuture<>();
        desk.take(key, new LogPosition("orders", partition, offset), wait, future, over);
        desk.turn();
        return future;
    }

    void look() {
        while (hands.hasLooks()) {
            hands.runLook();
            desk.turn();
        }
    }

    void pass(Duration time) {
        hands.pass(time);
        desk.turn();
        look();
    }

    static String state(@Nullable Entity entity) {
        byte[] state = entity == null ? null : entity.state();
        return state == null ? "none" : new String(state, StandardCharsets.UTF_8).replace("\"", "");
    }

    static String found(CompletableFuture<Read> future) {
        Read read = future.getNow(NONE);
        return read instanceof Read.Found found ? state(found.entity()) : read.toString();
    }
}
