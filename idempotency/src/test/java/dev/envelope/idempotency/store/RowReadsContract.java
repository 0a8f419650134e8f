package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.RowReads.Log;
import dev.envelope.idempotency.store.row.RowReads.Look;
import dev.envelope.idempotency.store.row.RowReads.Progress;
import dev.envelope.idempotency.store.row.RowReads.Row;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store owes callers outside who read rows. */
public abstract class RowReadsContract {

    private static final Uuid TOPIC = new Uuid(-3, 4);
    private static final long MOST = RowReads.MOST_BYTES;
    private static final Uuid FORMER = new Uuid(5, 6);

    private StoreFixture fixture;
    private RowReads reads;

    /** A store without rows. */
    protected abstract StoreFixture open();

    @BeforeEach
    void openStore() {
        fixture = open();
        reads = fixture.reads();
    }

    @AfterEach
    void closeStore() {
        fixture.close();
    }

    private void save(String key, long fromVersion, @Nullable String state, Marks marks) {
        Change change =
                new Change(
                        key,
                        fromVersion,
                        state == null ? null : state.getBytes(StandardCharsets.UTF_8),
                        marks,
                        null,
                        0,
                        new Change.Beside(List.of(), List.of(), HandlerEffects.NONE));
        boolean[] saved =
                fixture.states()
                        .save(List.of(change), Patience.WAIT, fixture.checkpoints().incarnation());
        assertThat(saved).containsExactly(true);
    }

    private static Marks marks(int source, long next) {
        return Marks.NONE.advance(source, new NextOffset(next, 1));
    }

    private Source introduce(Uuid topicId, int partition, int generation, long start) {
        NewSource source =
                new NewSource(
                        new TopicPartition("orders", partition),
                        topicId,
                        generation,
                        new NextOffset(start, 0),
                        0,
                        Set.of(TOPIC, FORMER));
        return fixture.checkpoints().introduce(List.of(source)).sources().stream()
                .filter(it -> it.topicId().equals(topicId))
                .filter(it -> it.partition().partition() == partition)
                .filter(it -> it.generation() == generation)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theRowsThatThereAreAreReadWithVersionMarksAndAge() {
        save("a", 0, "{\"n\": 1}", marks(3, 7));
        save("a", 1, "{\"n\": 2}", marks(3, 9));
        save("Ä b", 0, null, marks(4, 1));

        Map<String, Row> rows =
                reads.read(List.of("a", "missing", "Ä b"), List.<Log>of(), MOST).rows();

        assertThat(rows).containsOnlyKeys("a", "Ä b");
        Row a = Objects.requireNonNull(rows.get("a"));
        assertThat(a.state()).asString(StandardCharsets.UTF_8).isEqualTo("{\"n\": 2}");
        assertThat(a.version()).isEqualTo(2);
        assertThat(a.marks().nextOffset(3)).isEqualTo(9);
        assertThat(a.isLeftOut()).isFalse();
        assertThat(Duration.between(a.updatedAt(), Instant.now()))
                .isLessThan(Duration.ofMinutes(1));
        assertThat(a.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
        Row deleted = Objects.requireNonNull(rows.get("Ä b"));
        assertThat(deleted.state()).isNull();
        assertThat(deleted.version()).isEqualTo(1);
    }

    @Test
    void aCheckpointIsThatOfTheTopicsIdAndOfTheLastGeneration() {
        Checkpoints checkpoints = fixture.checkpoints();
        Source former = introduce(FORMER, 1, 0, 0);
        Source first = introduce(TOPIC, 1, 0, 0);
        Source second = introduce(TOPIC, 1, 1, 40);
        Source other = introduce(TOPIC, 2, 0, 5);
        checkpoints.save(
                Map.of(
                        former.number(), new NextOffset(900, 1),
                        first.number(), new NextOffset(50, 1),
                        second.number(), new NextOffset(45, 2)),
                checkpoints.incarnation());

        Look look =
                reads.read(
                        List.of(),
                        List.of(new Log(TOPIC, 2), new Log(TOPIC, 1), new Log(TOPIC, 3)),
                        MOST);

        assertThat(look.rows()).isEmpty();
        assertThat(look.logs())
                .isEqualTo(
                        Map.of(
                                new Log(TOPIC, 1), new Progress(second.number(), 45, false),
                                new Log(TOPIC, 2), new Progress(other.number(), 5, false)));
    }

    @Test
    void aLogOfWhichALaterOneIsKnownIsAFormerOne() {
        introduce(FORMER, 2, 0, 0);
        Source former = introduce(FORMER, 1, 0, 0);
        Source present = introduce(TOPIC, 1, 0, 0);

        assertThat(
                        reads.read(
                                        List.of(),
                                        List.of(
                                                new Log(FORMER, 1),
                                                new Log(FORMER, 2),
                                                new Log(TOPIC, 1)),
                                        MOST)
                                .logs())
                .containsEntry(new Log(FORMER, 1), new Progress(former.number(), 0, true))
                .containsEntry(new Log(TOPIC, 1), new Progress(present.number(), 0, false))
                .hasEntrySatisfying(new Log(FORMER, 2), it -> assertThat(it.isFormer()).isFalse());
    }

    @Test
    void onlyTheMarksOfRowsAreReadWithoutTheirStates() {
        save("a", 0, "{}", marks(3, 7));

        Map<String, Marks> marks = reads.marks(List.of("a", "b"));

        assertThat(marks).containsOnlyKeys("a");
        assertThat(Objects.requireNonNull(marks.get("a")).format()).isEqualTo("3:7@1");
    }
}
