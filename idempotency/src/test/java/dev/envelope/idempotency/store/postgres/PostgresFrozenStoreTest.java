package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much stands parked, as it is told by the sums. */
class PostgresFrozenStoreTest {

    private static final TopicPartition ZERO = new TopicPartition("t", 0);
    private static final TopicPartition ONE = new TopicPartition("t", 1);

    private final PostgresFixture fixture = new PostgresFixture();
    private final StoreFixture.Started redriver = fixture.start("one");
    private final RequestStore asked = fixture.requests();
    private final FrozenStore frozen = fixture.frozen();
    private final Incarnation now = asked.incarnation();
    private final PartitionEpoch zero = introduced(ZERO);
    private final PartitionEpoch one = introduced(ONE);

    @AfterEach
    void close() {
        fixture.close();
    }

    private PartitionEpoch introduced(TopicPartition partition) {
        NewSource source = new NewSource(partition, new Uuid(1, 1), new NextOffset(0, 0));
        int number =
                fixture.checkpoints().introduce(List.of(source)).sources().stream()
                        .filter(it -> it.partition().equals(partition))
                        .findFirst()
                        .orElseThrow()
                        .number();
        return new PartitionEpoch(1, partition, number, now);
    }

    private static ParkedMessage message(PartitionEpoch epoch, String row, long offset) {
        return new ParkedMessage(
                Records.message(epoch, offset, 7, row, "value"), row, "failed", "why", 1);
    }

    private static Change change(String key, long version, int before, ParkedMessage... messages) {
        byte[] state = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);
        return new Change(key, version, state, Marks.NONE, null, before, List.of(messages));
    }

    private void save(Change... changes) {
        assertThat(fixture.states().save(List.of(changes), Patience.WAIT, now))
                .doesNotContain(false);
    }

    private List<String> told(TopicPartition... partitions) {
        return frozen.of(List.of(partitions)).stream().map(PostgresFrozenStoreTest::told).toList();
    }

    private static String told(FrozenKeys its) {
        return "%s: %d keys, %d messages, first %s@%d"
                .formatted(
                        its.partition(),
                        its.keys(),
                        its.messages(),
                        its.first().key(),
                        its.first().offset());
    }

    private void takeOut(String key, int most) {
        List<Long> positions = redriver.parked().positions(key, Long.MAX_VALUE, most);
        Snapshot row =
                fixture.states().load(List.of(key), now).getOrDefault(key, Snapshot.absent(key));
        Snapshot next =
                new Snapshot(
                        key,
                        row.version() + 1,
                        row.state(),
                        row.marks(),
                        row.ids(),
                        row.parked() - positions.size());
        assertThat(fixture.redrives(redriver, next, positions, HandlerEffects.NONE)).isTrue();
    }

    @Test
    void whatIsParkedAndTakenOutIsCountedByPartitionAndKey() {
        assertThat(told(ZERO, ONE)).isEmpty();

        save(
                change("a", 0, 0, message(zero, "a", 4), message(zero, "a", 5)),
                change("b", 0, 0, message(zero, "b", 6), message(one, "b", 1)));
        save(change("a", 1, 2, message(zero, "a", 9)));

        assertThat(told(ZERO, ONE))
                .containsExactlyInAnyOrder(
                        "t-0: 2 keys, 4 messages, first a@4", "t-1: 1 keys, 1 messages, first b@1");
        assertThat(told(ONE)).containsExactly("t-1: 1 keys, 1 messages, first b@1");
        assertThat(told(new TopicPartition("other", 0))).isEmpty();

        takeOut("a", 2);
        assertThat(told(ZERO)).containsExactly("t-0: 2 keys, 2 messages, first b@6");
        takeOut("a", 1);
        assertThat(told(ZERO)).containsExactly("t-0: 1 keys, 1 messages, first b@6");
        takeOut("b", 2);
        assertThat(told(ZERO, ONE)).isEmpty();
    }

    @Test
    void whatCanHaveNoRowIsNoKeyAndWhatIsParkedAgainIsNotCountedAgain() {
        Message nobody = Records.withoutRow(zero, 3, "null-key: no key");
        ParkedMessage message = new ParkedMessage(nobody, null, "null-key", "no key", 0);
        save(Change.ofMessagesWithoutRow(List.of(message)));
        save(Change.ofMessagesWithoutRow(List.of(message)));

        assertThat(told(ZERO)).containsExactly("t-0: 0 keys, 1 messages, first null@3");

        fixture.dropWithoutRow(zero.source(), 3);
        assertThat(told(ZERO)).isEmpty();
        assertThat(sums()).isEqualTo("0 0");
    }

    @Test
    void whatLosesAgainstAnotherIsNotCounted() {
        save(change("a", 0, 0, message(zero, "a", 4)));

        assertThat(
                        fixture.states()
                                .save(
                                        List.of(change("a", 0, 0, message(zero, "a", 5))),
                                        Patience.WAIT,
                                        now))
                .containsExactly(false);

        assertThat(told(ZERO)).containsExactly("t-0: 1 keys, 1 messages, first a@4");
    }

    @Test
    void whatAPersonHasDeletedByHandIsFoundWhenItIsCountedAnew() {
        save(change("a", 0, 0, message(zero, "a", 4), message(zero, "a", 5)));
        save(change("b", 0, 0, message(one, "b", 1)));
        fixture.server()
                .execute(
                        "DELETE FROM %s.parked WHERE record_offset = 5"
                                .formatted(fixture.settings().schema()));
        assertThat(told(ZERO)).containsExactly("t-0: 1 keys, 2 messages, first a@4");

        frozen.countAnew(List.of(ZERO));

        assertThat(told(ZERO)).containsExactly("t-0: 1 keys, 1 messages, first a@4");
        assertThat(told(ONE)).containsExactly("t-1: 1 keys, 1 messages, first b@1");
    }

    @Test
    void whileMuchIsParkedAtOnceManyCountAnewAndSumUpAndTheSumsAreRight()
            throws InterruptedException, ExecutionException {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
            int its = thread;
            all.add(threads.submit(() -> IntStream.range(0, 300).forEach(i -> parkOne(its, i))));
            all.add(
                    threads.submit(
                            () -> {
                                for (int i = 0; i < 40; i++) {
                                    frozen.countAnew(List.of(ZERO));
                                    told(ZERO);
                                }
                            }));
        }
        for (Future<?> each : all) {
            each.get();
        }
        threads.shutdown();

        assertThat(told(ZERO)).containsExactly("t-0: 600 keys, 600 messages, first 0-0@0");
        assertThat(sums()).isEqualTo("600 600");
    }

    private void parkOne(int thread, int i) {
        String key = thread + "-" + i;
        save(change(key, 0, 0, message(zero, key, 2L * i + thread)));
    }

    @Test
    void manyDifferencesAreSummedUp() {
        for (int i = 0; i < 300; i++) {
            parkOne(0, i);
        }
        assertThat(rows()).isEqualTo("300");

        told(ZERO);

        assertThat(rows()).isEqualTo("1");
        assertThat(told(ZERO)).containsExactly("t-0: 300 keys, 300 messages, first 0-0@0");
    }

    @Test
    void differencesOfWhatIsRedrivenByNowAreForgotten() {
        for (int i = 0; i < 150; i++) {
            parkOne(0, i);
            takeOut("0-" + i, 1);
        }
        assertThat(rows()).isEqualTo("300");

        assertThat(told(ZERO)).isEmpty();

        assertThat(rows()).isEqualTo("0");
    }

    private String rows() {
        return fixture.server()
                .query("SELECT count(*) FROM " + fixture.settings().schema() + ".parked_tally");
    }

    private String sums() {
        return fixture.server()
                .query(
                        "SELECT coalesce(sum(messages), 0) || ' ' || coalesce(sum(keys), 0) FROM "
                                + fixture.settings().schema()
                                + ".parked_tally");
    }
}
