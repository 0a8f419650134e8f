package dev.envelope.idempotency.directory;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.TopicAdmin.Topic;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryCheckpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which rows of the cache callers outside may see. */
class RowsInMemoryTest {

    private static final TopicPartition HOME = new TopicPartition("payments", 3);
    private static final Uuid TOPIC = new Uuid(1, 1);

    private final Map<String, Topic> topics =
            new HashMap<>(Map.of("payments", new Topic(TOPIC, 8)));
    private final InMemoryCheckpoints checkpoints = new InMemoryCheckpoints(new InMemoryDatabase());
    private EngineStatus engine = owned(7);
    private long nanos;
    private boolean areBrokersAway;
    private final SnapshotCache<Object> cache =
            new SnapshotCache<>(1 << 20, Duration.ofHours(1), () -> nanos);
    private final RowsInMemory rows =
            new RowsInMemory(
                    cache,
                    () -> engine,
                    checkpoints,
                    Set.of("payments"),
                    topics::get,
                    () -> areBrokersAway);
    private int source;

    @BeforeEach
    void introduce() {
        source = introduced(TOPIC);
        rows.learn();
        cache.put(row("{}", 4712), new Object(), 7);
    }

    private int introduced(Uuid topic) {
        return checkpoints
                .introduce(
                        List.of(
                                new NewSource(
                                        HOME, topic, 0, new NextOffset(0, 0), 0, Set.of(TOPIC))))
                .sources()
                .stream()
                .filter(it -> it.topicId().equals(topic))
                .findFirst()
                .orElseThrow()
                .number();
    }

    private static EngineStatus owned(long epoch) {
        return new EngineStatus(
                0, true, 1, true, "", List.of(), List.of(DirectoryTest.Statuses.of(HOME, epoch)));
    }

    private Snapshot row(@Nullable String state, long nextOffset) {
        return new Snapshot(
                "a",
                5,
                state == null ? null : state.getBytes(UTF_8),
                Marks.NONE.advance(source, new NextOffset(nextOffset, 0)),
                null,
                0);
    }

    private Optional<RowsInMemory.Found> plain() {
        return rows.find("a", HOME, null, -1);
    }

    private Optional<RowsInMemory.Found> atLeast(long offset) {
        return rows.find("a", HOME, HOME, offset);
    }

    @Test
    void aRowThatWasSavedJustNowIsToldAndStaysWithItsWorker() {
        nanos = RowsInMemory.FRESH.toNanos();

        assertThat(plain())
                .hasValueSatisfying(
                        it -> {
                            assertThat(it.state()).asString().isEqualTo("{}");
                            assertThat(it.version()).isEqualTo(5);
                            assertThat(it.nextOffsets()).isEqualTo(Map.of(HOME, 4712L));
                            assertThat(it.age()).isEqualTo(RowsInMemory.FRESH);
                        });
        SnapshotCache.Hit<Object> hit = cache.take("a", 7);
        assertThat(hit).isNotNull();
        assertThat(hit.live()).as("was not taken").isNotNull();
    }

    /** Another process may have carried out an operator's request meanwhile. */
    @Test
    void anOlderRowIsNotToldButForAnOffsetThatItHas() {
        nanos = RowsInMemory.FRESH.toNanos() + 1;

        assertThat(plain()).isEmpty();
        assertThat(atLeast(4711)).isPresent();
        assertThat(atLeast(4712)).isEmpty();
    }

    /** The partition was elsewhere meanwhile, or the database was another. */
    @Test
    void aRowOfAnEarlierEpochIsNotTold() {
        engine = owned(8);
        assertThat(plain()).isEmpty();
        assertThat(atLeast(4711)).isEmpty();
    }

    @Test
    void whatIsNotOursIsNotTold() {
        assertThat(rows.find("a", new TopicPartition("payments", 4), null, -1)).isEmpty();
        engine = owned(0); // its position is being looked for
        assertThat(plain()).isEmpty();
        assertThat(rows.find("b", HOME, null, -1)).isEmpty();
    }

    /** The topic may have been made again. */
    @Test
    void whileTheBrokersDoNotAnswerNoOffsetIsSaidToBePassed() {
        areBrokersAway = true;

        assertThat(plain()).isPresent();
        assertThat(atLeast(4711)).isEmpty();
    }

    /** A truncation was accepted, and its source is not known here yet. */
    @Test
    void aRowWithAMarkOfAnUnknownLogIsNotJudged() {
        Snapshot row = row("{}", 4712);
        Marks marks = row.marks().advance(source + 1, new NextOffset(851, 0));
        cache.put(new Snapshot("a", 6, row.state(), marks, null, 0), new Object(), 7);

        assertThat(atLeast(900)).isEmpty();
        assertThat(plain()).isPresent();
    }

    @Test
    void aDeletedKeyIsReadInTheDatabase() {
        cache.put(row(null, 4713), null, 7);

        assertThat(plain()).isEmpty();
    }

    /** Its offsets mean other records. */
    @Test
    void theOffsetsOfATopicThatWasMadeAgainAreNotJudgedByTheFormersMarks() {
        topics.put("payments", new Topic(new Uuid(2, 2), 8));

        assertThat(atLeast(4711)).isEmpty();
        assertThat(plain()).hasValueSatisfying(it -> assertThat(it.nextOffsets()).isEmpty());
    }

    @Test
    void anUnknownLogIsLearnt() {
        Uuid again = new Uuid(2, 2);
        topics.put("payments", new Topic(again, 8));
        source = introduced(again);
        cache.put(row("{}", 10), null, 7);

        assertThat(atLeast(9)).isEmpty();
        rows.learn();
        assertThat(atLeast(9)).isPresent();
    }
}
