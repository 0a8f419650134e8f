package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ReadDeskTest {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Uuid ORDERS = new Uuid(7, 8);
    private static final Uuid AGAIN = new Uuid(9, 9);
    private static final Read NONE = new Read.UnknownPartition("not yet");

    private final Hands hands = new Hands();
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final InMemoryCheckpoints checkpoints = new InMemoryCheckpoints(database);
    private final FakeTopics brokers = new FakeTopics();
    private final TopicsNow topics = new TopicsNow(brokers, Set.of("orders"));
    private final Room room = new Room(100, 100_000);
    private CompletableFuture<?> over = new CompletableFuture<>();
    private final Reaching rows = new Reaching();
    private int sourcesRead;
    private final Checkpoints counting = counting();
    private final ReadDesk desk;

    ReadDeskTest() {
        see(ORDERS, 6);
        desk =
                new ReadDesk(
                        new ReadLookup(rows, new Sources(counting, topics, hands::nanos), topics),
                        hands.looker(),
                        hands.own(),
                        room,
                        hands::nanos);
    }

    /** The rows, where the database can be reached; a number of them fits into one read. */
    private final class Reaching implements RowReads {

        private final RowReads inMemory = new InMemoryRowReads(database);
        private boolean isAway;
        private int reads;
        private int fitting = Integer.MAX_VALUE;
        private final List<Long> limits = new ArrayList<>();
        private Runnable betweenReads = () -> {};

        @Override
        public Look read(Collection<String> keys, Collection<Log> logs, long mostBytes) {
            limits.add(mostBytes);
            reads++;
            if (isAway) {
                throw new UnavailableException("no database");
            }
            Look look = inMemory.read(keys, logs, mostBytes);
            Map<String, Row> found = new HashMap<>();
            look.rows()
                    .forEach(
                            (key, row) ->
                                    found.put(key, found.size() < fitting ? row : leftOut(row)));
            if (keys.isEmpty()) {
                betweenReads.run();
            }
            return new Look(found, look.logs());
        }

        private Row leftOut(Row row) {
            return new Row(null, row.version(), row.marks(), row.updatedAt(), row.age(), true);
        }

        @Override
        public Map<String, Marks> marks(Collection<String> keys) {
            return inMemory.marks(keys);
        }
    }

    /** The sources, and how often they were asked for. */
    private Checkpoints counting() {
        return (Checkpoints)
                Proxy.newProxyInstance(
                        Checkpoints.class.getClassLoader(),
                        new Class<?>[] {Checkpoints.class},
                        (proxy, method, arguments) -> {
                            sourcesRead++;
                            return method.invoke(checkpoints, arguments);
                        });
    }

    private void see(Uuid id, int partitions) {
        brokers.set("orders", new Topic(id, partitions));
        topics.look();
    }

    private Source introduce(Uuid id, int partition) {
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

    private void row(String key, Source source, long next) {
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

    private void checkpoint(Source source, long next) {
        checkpoints.save(Map.of(source.number(), new NextOffset(next, 0)), database.incarnation());
    }

    private CompletableFuture<Map<String, Entity>> take(String... keys) {
        CompletableFuture<Map<String, Entity>> future = new CompletableFuture<>();
        desk.take(Set.of(keys), future, over);
        desk.turn();
        return future;
    }

    private CompletableFuture<Read> take(String key, int partition, long offset, Duration wait) {
        CompletableFuture<Read> future = new CompletableFuture<>();
        desk.take(key, new LogPosition("orders", partition, offset), wait, future, over);
        desk.turn();
        return future;
    }

    private void look() {
        while (hands.hasLooks()) {
            hands.runLook();
            desk.turn();
        }
    }

    private void pass(Duration time) {
        hands.pass(time);
        desk.turn();
        look();
    }

    private static String state(@Nullable Entity entity) {
        byte[] state = entity == null ? null : entity.state();
        return state == null ? "none" : new String(state, StandardCharsets.UTF_8).replace("\"", "");
    }

    private static String found(CompletableFuture<Read> future) {
        Read read = future.getNow(NONE);
        return read instanceof Read.Found found ? state(found.entity()) : read.toString();
    }

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

    private static String[] many(int number) {
        return IntStream.range(0, 1_000).mapToObj(i -> number + "-" + i).toArray(String[]::new);
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
}
