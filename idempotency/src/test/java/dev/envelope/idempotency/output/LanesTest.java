package dev.envelope.idempotency.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.idempotency.output.Lanes.Selection;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.output.OutputStore.Before;
import dev.envelope.idempotency.store.output.OutputStore.Item;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which rows may be sent, by place and lane. */
class LanesTest {

    private static final long LATER = Duration.ofMillis(200).toNanos();

    private final Lanes lanes = new Lanes();
    private final Map<Place, int @Nullable []> others = new TreeMap<>();

    private static Row row(long position, int... lanes) {
        return row(new Place(position, 0), lanes);
    }

    private static Row row(Place place, int... lanes) {
        List<Item> items =
                IntStream.of(lanes)
                        .mapToObj(
                                lane ->
                                        new Item(
                                                lane,
                                                new Origin(Uuid.ZERO_UUID, 0, 0, 0, 0, 1),
                                                "out",
                                                null,
                                                null,
                                                new RecordHeaders()))
                        .toList();
        return new Row(place, items, 1, Instant.EPOCH);
    }

    private void other(long position, int... itsLanes) {
        others.put(new Place(position, 0), itsLanes);
    }

    private Selection free(long now, Row... rows) {
        return lanes.free(List.of(rows), new Before(others, Set.of(), Long.MAX_VALUE), now);
    }

    private static List<Long> taken(Selection selection) {
        return selection.take().stream().map(row -> row.place().position()).toList();
    }

    private List<Long> leftOut() {
        return lanes.leftOut().stream().map(Place::position).toList();
    }

    @Test
    void aRowWaitsForALowerPlaceOfAnotherRelayInOneOfItsLanesAndForNoHigherOne() {
        other(2, 7);
        other(9, 8);

        Selection selection = free(0, row(1, 7), row(3, 5, 7), row(4, 8), row(5, 6));

        assertThat(taken(selection)).containsExactly(1L, 4L, 5L);
        assertThat(leftOut()).containsExactly(3L);
    }

    @Test
    void whatIsBehindARowThatWaitsWaitsToo() {
        other(1, 7);

        Selection selection = free(0, row(2, 7, 8), row(3, 8), row(4, 9));

        assertThat(taken(selection)).containsExactly(4L);
        assertThat(selection.readOn()).isTrue();
        assertThat(leftOut()).containsExactly(2L, 3L);
        assertThat(taken(free(0, row(5, 8), row(6, 9)))).containsExactly(6L);
    }

    @Test
    void allThatWaitedForOneRowAreReadAgainAtOnceWhenItIsGone() {
        other(1, 7);
        free(0, row(2, 7), row(3, 7), row(4, 7));
        others.clear();

        Selection meanwhile = free(0, row(5, 7));
        assertThat(taken(meanwhile)).as("it may not overtake them").isEmpty();
        assertThat(meanwhile.readOn()).isTrue();
        assertThat(leftOut()).containsExactly(5L);

        assertThat(taken(free(0, row(2, 7), row(3, 7), row(4, 7)))).containsExactly(2L, 3L, 4L);
    }

    @Test
    void aRowOfWhichOnlySomeLanesWaitIsTakenApartAfterAWhile() {
        other(1, 7);
        Row row = row(2, 7, 8, 7, 9);
        assertThat(free(0, row).splits()).isEmpty();
        assertThat(free(LATER - 1).readOn()).isFalse();
        assertThat(free(LATER).readOn()).as("to be read for that").isTrue();
        assertThat(leftOut()).isEmpty();

        Selection selection = free(LATER, row);

        assertThat(selection.splits()).hasSize(1);
        assertThat(selection.splits().get(0).held()).containsExactly(0, 2);
        assertThat(taken(selection)).isEmpty();
    }

    @Test
    void aRowOfWhichAllLanesWaitIsNotTakenApart() {
        other(1, 7);
        free(0, row(2, 7, 7));

        assertThat(free(LATER).readOn()).isFalse();
        assertThat(free(LATER, row(2, 7, 7)).splits()).isEmpty();
    }

    @Test
    void nothingIsTakenFromWhereTheAnswerIsNotComplete() {
        Selection selection =
                lanes.free(List.of(row(1, 7), row(2, 8)), new Before(Map.of(), Set.of(), 2), 0);

        assertThat(taken(selection)).containsExactly(1L);
        assertThat(lanes.leftOut()).isEmpty();
    }

    @Test
    void aRowThatIsDeletedWhileItWaitsHoldsNothingBack() {
        other(1, 7);
        free(0, row(2, 7), row(3, 7));
        others.clear();
        free(0);

        assertThat(taken(free(0, row(3, 7)))).as("2 was not there").containsExactly(3L);
        assertThat(lanes.end(List.of())).isZero();
    }

    @Test
    void lanesThatAreKnownAreNotReadAgain() {
        other(1, 7);
        other(2, 8);
        others.put(new Place(2, 1), new int[] {9});
        free(0, row(3, 7));

        assertThat(lanes.known())
                .as("not the part: another one may get its place")
                .containsExactly(new Place(1, 0), new Place(2, 0));
        Map<Place, int @Nullable []> short_ = new HashMap<>();
        short_.put(new Place(1, 0), null);
        Selection selection =
                lanes.free(
                        List.of(row(4, 7), row(5, 8)),
                        new Before(short_, Set.of(), Long.MAX_VALUE),
                        0);
        assertThat(taken(selection)).containsExactly(5L);
        assertThat(lanes.known()).containsExactly(new Place(1, 0));
    }

    @Test
    void theStoreIsAskedForTheLanesOfTheRowsAndOfThoseThatWait() {
        other(1, 7);
        free(0, row(2, 7, 8), row(3, 5));

        assertThat(lanes.asked(List.of(row(4, 6, 6)))).containsExactlyInAnyOrder(6, 7, 8);
    }

    @Test
    void lanesThatNobodyKnowsAreAnError() {
        Map<Place, int @Nullable []> unknown = new HashMap<>();
        unknown.put(new Place(1, 0), null);

        assertThatThrownBy(
                        () -> lanes.free(List.of(row(2, 7)), new Before(unknown, Set.of(), 9), 0))
                .isInstanceOf(InvariantViolation.class);
    }

    @Test
    void aRefusedRowIsTriedOnlyIfNothingOfItsLanesIsBeforeIt() {
        other(1, 7);

        assertThat(lanes.isFirst(row(2, 7), new Before(others, Set.of(), 3))).isFalse();
        assertThat(lanes.isFirst(row(2, 8), new Before(others, Set.of(), 3))).isTrue();
        assertThat(lanes.isFirst(row(2, 8), new Before(others, Set.of(), 2)))
                .as("not known")
                .isFalse();
        others.clear();
        assertThat(lanes.isFirst(row(2, 7), new Before(others, Set.of(), 3))).isTrue();
    }

    /** Two relays that take turns at random; the rows of both are known in their order. */
    @Test
    void overTwoRelaysTheRowsOfALaneLeaveInTheirOrder() {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            List<Lanes> relays = List.of(new Lanes(), new Lanes());
            List<TreeMap<Place, Row>> rows = List.of(new TreeMap<>(), new TreeMap<>());
            Map<Integer, Place> lastSent = new HashMap<>();
            long now = 0;
            int position = 0;
            for (int step = 0; step < 120 || !rows.stream().allMatch(Map::isEmpty); step++) {
                assertThat(step).as("steps of seed " + seed).isLessThan(5_000);
                int me = random.nextInt(2);
                if (step < 120 && random.nextInt(3) > 0) {
                    int[] its = random.ints(1 + random.nextInt(4), 0, 5).toArray();
                    Row row = row(++position, its);
                    rows.get(me).put(row.place(), row);
                    continue;
                }
                now += random.nextInt(150_000_000);
                for (Row row : step(relays.get(me), rows.get(me), rows.get(1 - me), now, random)) {
                    for (Item item : row.items()) {
                        Place before = lastSent.put(item.lane(), row.place());
                        assertThat(before == null || before.compareTo(row.place()) <= 0)
                                .as("seed %s, lane %s: %s after %s", seed, item.lane(), row, before)
                                .isTrue();
                    }
                }
            }
        }
    }

    private static List<Row> step(
            Lanes relay,
            NavigableMap<Place, Row> mine,
            NavigableMap<Place, Row> others,
            long now,
            Random random) {
        List<Row> read =
                mine.values().stream()
                        .filter(row -> !relay.leftOut().contains(row.place()))
                        .limit(1 + random.nextInt(5))
                        .toList();
        long end = relay.end(read);
        Map<Place, int @Nullable []> before = new HashMap<>();
        others.headMap(new Place(end, 0))
                .forEach(
                        (place, row) ->
                                before.put(
                                        place,
                                        relay.known().contains(place)
                                                ? null
                                                : row.items().stream()
                                                        .mapToInt(Item::lane)
                                                        .toArray()));
        Selection selection = relay.free(read, new Before(before, Set.of(), end), now);
        selection.splits().forEach(split -> takeApart(mine, split));
        if (!selection.splits().isEmpty()) {
            return List.of();
        }
        selection.take().forEach(row -> mine.remove(row.place()));
        return selection.take();
    }

    private static void takeApart(NavigableMap<Place, Row> mine, Lanes.Split split) {
        Place place = split.row().place();
        List<Item> items = split.row().items();
        List<Integer> goes = new ArrayList<>();
        List<Integer> waits = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            (split.held().contains(i) ? waits : goes).add(items.get(i).lane());
        }
        int part = mine.lowerKey(new Place(place.position() + 1, 0)).part() + 1;
        mine.put(place, row(place, ints(goes)));
        Place other = new Place(place.position(), part);
        mine.put(other, row(other, ints(waits)));
    }

    private static int[] ints(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }
}
