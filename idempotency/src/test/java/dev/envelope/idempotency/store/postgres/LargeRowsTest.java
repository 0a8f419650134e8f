package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Rows of which a turn can't hold all. */
class LargeRowsTest {

    private static final int ROWS = 1_200;
    private static final int BYTES = 40_000;

    private PostgresFixture fixture;
    private Incarnation now;

    @BeforeEach
    void fill() {
        fixture = new PostgresFixture();
        now = fixture.checkpoints().incarnation();
        byte[] state = ("\"" + "x".repeat(BYTES) + "\"").getBytes(StandardCharsets.UTF_8);
        for (int from = 0; from < ROWS; from += 300) {
            List<Change> changes = new ArrayList<>();
            for (int i = from; i < from + 300; i++) {
                changes.add(new Change(key(i), 0, state, Marks.NONE, null, 0, List.of()));
            }
            assertThat(fixture.states().save(changes, Patience.WAIT, now)).doesNotContain(false);
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String key(int number) {
        return "key " + number;
    }

    private static List<String> keys(int from, int to) {
        List<String> keys = new ArrayList<>();
        for (int i = from; i < to; i++) {
            keys.add(key(i));
        }
        return keys;
    }

    private static long bytes(Map<String, Snapshot> rows) {
        return rows.values().stream().mapToLong(Snapshot::bytes).sum();
    }

    @Test
    void aLoadBringsSoManyBytesAndSaysOfTheRestThatItWasLeftOut() {
        StateStore store = fixture.states();
        for (int round = 0; round < 3; round++) { // also once it knows how large they are
            Map<String, Snapshot> rows = store.load(keys(0, ROWS + 50), now);

            assertThat(bytes(rows))
                    .isBetween(
                            PostgresStateStore.MAX_LOADED_BYTES / 2,
                            PostgresStateStore.MAX_LOADED_BYTES + BYTES + 2);
            assertThat(rows.values().stream().filter(Snapshot::isLeftOut).count())
                    .isBetween(200L, (long) ROWS);
            assertThat(rows).as("a key without a row").doesNotContainKey(key(ROWS));
        }
    }

    @Test
    void largeRowsThatComeAfterManySmallOnesAreBoundedAllTheSame() {
        StateStore store = fixture.states();
        store.load(keys(0, 10), now);
        for (int i = 0; i < 200; i++) {
            store.load(List.of("nobody's key"), now);
        }

        assertThat(bytes(store.load(keys(0, ROWS), now)))
                .isLessThan(PostgresStateStore.MAX_LOADED_BYTES + BYTES + 3);
    }

    @Test
    void thoseThatAreAskedForFirstFitFirst() {
        StateStore store = fixture.states();
        List<String> asked = new ArrayList<>(keys(0, ROWS));
        Collections.shuffle(asked, new Random(1));

        Map<String, Snapshot> rows = store.load(asked, now);

        List<Boolean> fit = asked.stream().map(key -> !row(rows, key).isLeftOut()).toList();
        assertThat(fit.lastIndexOf(true)).isPositive().isLessThan(fit.indexOf(false));
    }

    private static Snapshot row(Map<String, Snapshot> rows, String key) {
        return rows.getOrDefault(key, Snapshot.absent(key));
    }

    @Test
    void whatWasLeftOutComesWhenItIsAskedForByItself() {
        StateStore store = fixture.states();
        List<String> open = keys(0, ROWS);
        int loads = 0;
        while (!open.isEmpty()) {
            Map<String, Snapshot> rows = store.load(open, now);
            open.removeIf(key -> !row(rows, key).isLeftOut());
            assertThat(++loads).isLessThan(10);
        }
        Snapshot single = store.load(List.of(key(7)), now).get(key(7));
        assertThat(single).isNotNull();
        assertThat(single.bytes()).isEqualTo(BYTES + 2);
    }

    @Test
    void smallRowsAreLoadedAllAtOnceAgain() {
        StateStore store = fixture.states();
        List<Change> small = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            byte[] state = "1".getBytes(StandardCharsets.UTF_8);
            small.add(new Change("small " + i, 0, state, Marks.NONE, null, 0, List.of()));
        }
        assertThat(store.save(small, Patience.WAIT, now)).doesNotContain(false);
        List<String> keys = small.stream().map(Change::key).toList();
        for (int round = 0; round < 3; round++) {
            assertThat(store.load(keys, now).values())
                    .hasSize(2_000)
                    .noneMatch(Snapshot::isLeftOut);
        }
    }
}
