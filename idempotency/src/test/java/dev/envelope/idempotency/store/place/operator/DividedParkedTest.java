package dev.envelope.idempotency.store.place.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DividedParkedTest {

    private static final int SLOTS = 4;
    private static final Division DIVISION = new Division(List.of(0, 1, 0, 1));

    private final List<Slot> slots = IntStream.range(0, SLOTS).mapToObj(Slot::new).toList();
    private final ParkedCatalog parked =
            new DividedParked(
                    new Catalogs<>(
                            DIVISION,
                            slots.stream().map(DividedParkedTest::store).toList(),
                            OperatorStore::parked));

    private static OperatorStore store(ParkedCatalog slot) {
        return (OperatorStore)
                Proxy.newProxyInstance(
                        OperatorStore.class.getClassLoader(),
                        new Class<?>[] {OperatorStore.class},
                        (store, method, arguments) -> slot);
    }

    /** The parked messages of one slot, in a list. */
    private static final class Slot implements ParkedCatalog {

        private final int number;
        private final List<Entry> entries = new ArrayList<>();

        Slot(int number) {
            this.number = number;
        }

        void park(@Nullable String key) {
            long position = entries.size() + 1L;
            entries.add(
                    new Entry(
                            position,
                            key,
                            "orders-0@" + position,
                            0,
                            number % 2 == 0 ? "failed" : "behind",
                            1,
                            "",
                            Instant.ofEpochSecond(100 * position - number),
                            null,
                            0,
                            null,
                            null,
                            List.of()));
        }

        private List<Entry> some(boolean isOfRow, @Nullable String key, long after, int most) {
            return entries.stream()
                    .filter(it -> (it.rowKey() != null) == isOfRow)
                    .filter(it -> key == null || key.equals(it.rowKey()))
                    .filter(it -> it.position() > after)
                    .limit(most)
                    .toList();
        }

        private static ParkedKey key(Entry it) {
            return new ParkedKey(
                    String.valueOf(it.rowKey()), 1, it.position(), "", "", 1, "", it.since());
        }

        @Override
        public List<ParkedKey> keys(@Nullable String reason, long after, int most) {
            return some(true, null, after, most).stream().map(Slot::key).toList();
        }

        @Override
        public long countKeys() {
            return some(true, null, 0, Integer.MAX_VALUE).size();
        }

        @Override
        public List<ParkedKey> selected(Selection which, int most) {
            return keys(null, 0, most);
        }

        @Override
        public Reasons reasons() {
            Map<String, Long> all = new TreeMap<>();
            entries.forEach(it -> all.merge(it.reason(), 1L, Long::sum));
            return new Reasons(all, Map.of());
        }

        @Override
        public List<Entry> messages(@Nullable String key, long after, int most) {
            return some(true, key, after, most);
        }

        @Override
        public List<Entry> messagesWithoutRow(long after, int most) {
            return some(false, null, after, most);
        }

        @Override
        public List<Long> deleteWithoutRow(List<Long> positions, String by) {
            List<Long> gone =
                    some(false, null, 0, Integer.MAX_VALUE).stream()
                            .map(Entry::position)
                            .filter(positions::contains)
                            .toList();
            entries.removeIf(it -> gone.contains(it.position()));
            return gone;
        }

        @Override
        public void export(@Nullable String key, Consumer<Entry> to) {
            some(true, key, 0, Integer.MAX_VALUE).forEach(to);
        }

        @Override
        public void close() {}
    }

    private void parkKeys(int count) {
        for (int i = 0; i < count; i++) {
            slots.get(DIVISION.slotOf("key-" + i)).park("key-" + i);
        }
    }

    @Test
    void whoeverPagesSeesEachMessageOfAllSlotsOnce() {
        parkKeys(50);
        for (int page = 1; page < 8; page++) {
            List<String> seen = new ArrayList<>();
            List<Long> positions = new ArrayList<>();
            long after = 0;
            List<ParkedCatalog.Entry> entries = parked.messages(null, after, page);
            while (!entries.isEmpty()) {
                assertThat(entries).hasSizeLessThanOrEqualTo(page);
                for (ParkedCatalog.Entry entry : entries) {
                    seen.add(String.valueOf(entry.rowKey()));
                    positions.add(entry.position());
                }
                after = positions.get(positions.size() - 1);
                entries = parked.messages(null, after, page);
            }
            assertThat(positions).isSorted().doesNotHaveDuplicates();
            assertThat(seen)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 50).mapToObj(i -> "key-" + i).toList());
        }
    }

    @Test
    void whoeverPagesSeesEachKeyOfAllSlotsOnce() {
        parkKeys(50);
        List<String> seen = new ArrayList<>();
        List<ParkedCatalog.ParkedKey> keys = parked.keys(null, 0, 3);
        while (!keys.isEmpty()) {
            keys.forEach(it -> seen.add(it.key()));
            keys = parked.keys(null, keys.get(keys.size() - 1).position(), 3);
        }
        assertThat(seen).hasSize(50).doesNotHaveDuplicates();
        assertThat(parked.countKeys()).isEqualTo(50);
    }

    @Test
    void theMessagesOfAKeyArePagedInItsSlot() {
        parkKeys(5);
        Slot its = slots.get(DIVISION.slotOf("a"));
        IntStream.range(0, 7).forEach(i -> its.park("a"));
        List<String> seen = new ArrayList<>();
        List<ParkedCatalog.Entry> entries = parked.messages("a", 0, 2);
        while (!entries.isEmpty()) {
            entries.forEach(it -> seen.add(it.place()));
            entries = parked.messages("a", entries.get(entries.size() - 1).position(), 2);
        }
        assertThat(seen)
                .containsExactlyElementsOf(
                        its.messages("a", 0, 10).stream().map(ParkedCatalog.Entry::place).toList());
    }

    @Test
    void messagesWithoutARowAreDeletedByTheNumbersThatWereSeen() {
        slots.get(1).park(null);
        slots.get(1).park(null);
        slots.get(3).park(null);
        parkKeys(3);
        List<Long> seen =
                parked.messagesWithoutRow(0, 10).stream()
                        .map(ParkedCatalog.Entry::position)
                        .toList();
        assertThat(seen).hasSize(3).doesNotHaveDuplicates();

        assertThat(parked.deleteWithoutRow(List.of(seen.get(0), seen.get(1)), "me"))
                .containsExactlyInAnyOrder(seen.get(0), seen.get(1));

        assertThat(parked.messagesWithoutRow(0, 10))
                .extracting(ParkedCatalog.Entry::position)
                .containsExactly(seen.get(2));
        assertThat(parked.countKeys()).isEqualTo(3);
    }

    @Test
    void whatIsSelectedComesInTheOrderOfTime() {
        parkKeys(30);

        List<ParkedCatalog.ParkedKey> all =
                parked.selected(new ParkedCatalog.Selection(null, null, null, null), 20);

        assertThat(all).hasSize(20);
        assertThat(all).extracting(ParkedCatalog.ParkedKey::since).isSorted();
        assertThat(parked.reasons().withRow().values().stream().mapToLong(it -> it).sum())
                .isEqualTo(30);
    }
}
