package dev.envelope.idempotency.store.place.operator;

import dev.envelope.idempotency.store.operator.ParkedCatalog;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The parked messages of all slots. Their positions are distinct among all slots; what is asked for
 * in their order comes nearly in the order of time.
 */
record DividedParked(Catalogs<ParkedCatalog> slots) implements ParkedCatalog {

    private static ParkedKey numbered(ParkedKey key, int slot) {
        return new ParkedKey(
                key.key(),
                key.messages(),
                SlotNumber.of(key.position(), slot),
                key.first(),
                key.reason(),
                key.attempts(),
                key.error(),
                key.since());
    }

    private static Entry numbered(Entry entry, int slot) {
        return new Entry(
                SlotNumber.of(entry.position(), slot),
                entry.rowKey(),
                entry.place(),
                entry.timestampMillis(),
                entry.reason(),
                entry.attempts(),
                entry.error(),
                entry.since(),
                entry.failedAgain(),
                entry.valueBytes(),
                entry.key(),
                entry.value(),
                entry.headers());
    }

    /** The first of all slots behind a number. */
    private <T> List<T> merged(
            BiFunction<ParkedCatalog, Long, List<T>> behind,
            BiFunction<T, Integer, T> numbered,
            ToLongFunction<T> number,
            long after,
            int most) {
        return slots.slots()
                .boxed()
                .flatMap(
                        slot ->
                                behind.apply(slots.at(slot), SlotNumber.upTo(after, slot)).stream()
                                        .map(it -> numbered.apply(it, slot)))
                .sorted(Comparator.comparingLong(number))
                .limit(most)
                .toList();
    }

    @Override
    public List<ParkedKey> keys(@Nullable String reason, long after, int most) {
        return merged(
                (slot, from) -> slot.keys(reason, from, most),
                DividedParked::numbered,
                ParkedKey::position,
                after,
                most);
    }

    @Override
    public long countKeys() {
        return slots.all().stream().mapToLong(ParkedCatalog::countKeys).sum();
    }

    @Override
    public List<ParkedKey> selected(Selection which, int most) {
        return slots.slots()
                .boxed()
                .flatMap(
                        slot ->
                                slots.at(slot).selected(which, most).stream()
                                        .map(it -> numbered(it, slot)))
                .sorted(Comparator.comparing(ParkedKey::since))
                .limit(most)
                .toList();
    }

    @Override
    public Reasons reasons() {
        List<Reasons> all = slots.all().stream().map(ParkedCatalog::reasons).toList();
        return new Reasons(sum(all, Reasons::withRow), sum(all, Reasons::withoutRow));
    }

    private static Map<String, Long> sum(
            List<Reasons> all, Function<Reasons, Map<String, Long>> part) {
        Map<String, Long> sum = new TreeMap<>();
        all.forEach(it -> part.apply(it).forEach((why, count) -> sum.merge(why, count, Long::sum)));
        return sum;
    }

    @Override
    public List<Entry> messages(@Nullable String key, long after, int most) {
        if (key != null) {
            int slot = slots.slotOf(key);
            return slots.at(slot).messages(key, SlotNumber.upTo(after, slot), most).stream()
                    .map(it -> numbered(it, slot))
                    .toList();
        }
        return merged(
                (slot, from) -> slot.messages(null, from, most),
                DividedParked::numbered,
                Entry::position,
                after,
                most);
    }

    @Override
    public List<Entry> messagesWithoutRow(long after, int most) {
        return merged(
                (slot, from) -> slot.messagesWithoutRow(from, most),
                DividedParked::numbered,
                Entry::position,
                after,
                most);
    }

    @Override
    public List<Long> deleteWithoutRow(List<Long> positions, String by) {
        Map<Integer, List<Long>> bySlot =
                positions.stream()
                        .collect(
                                Collectors.groupingBy(
                                        SlotNumber::slot,
                                        TreeMap::new,
                                        Collectors.mapping(
                                                SlotNumber::ofSlot, Collectors.toList())));
        List<Long> deleted = new ArrayList<>();
        bySlot.forEach(
                (slot, its) ->
                        slots.at(slot)
                                .deleteWithoutRow(its, by)
                                .forEach(it -> deleted.add(SlotNumber.of(it, slot))));
        return deleted;
    }

    @Override
    public void export(@Nullable String key, Consumer<Entry> to) {
        slots.slots()
                .filter(slot -> key == null || slot == slots.slotOf(key))
                .forEach(
                        slot ->
                                slots.at(slot)
                                        .export(key, entry -> to.accept(numbered(entry, slot))));
    }

    @Override
    public void close() {
        slots.close();
    }
}
