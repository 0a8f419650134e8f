package dev.envelope.idempotency.store.place.operator;

import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The requests of all slots. Each is made in the slot of its key; its number is distinct among all
 * slots.
 */
record DividedRequests(Catalogs<RequestCatalog> slots) implements RequestCatalog {

    private Optional<Long> ask(String key, Function<RequestCatalog, Optional<Long>> request) {
        int slot = slots.slotOf(key);
        return request.apply(slots.at(slot)).map(number -> SlotNumber.of(number, slot));
    }

    @Override
    public Optional<Long> ask(String key, Action action, @Nullable Long first, String by) {
        Long ofSlot = first == null ? null : SlotNumber.ofSlot(first);
        return ask(key, slot -> slot.ask(key, action, ofSlot, by));
    }

    @Override
    public Optional<Long> askToSet(String key, String state, @Nullable Long version, String by) {
        return ask(key, slot -> slot.askToSet(key, state, version, by));
    }

    @Override
    public Optional<Long> askToDelete(String key, @Nullable Long version, String by) {
        return ask(key, slot -> slot.askToDelete(key, version, by));
    }

    @Override
    public Optional<Long> askToEdit(String key, byte @Nullable [] value, String by) {
        return ask(key, slot -> slot.askToEdit(key, value, by));
    }

    @Override
    public Optional<Long> askToQuarantine(String key, String by) {
        return ask(key, slot -> slot.askToQuarantine(key, by));
    }

    @Override
    public Optional<String> answerTo(long number) {
        return slots.at(SlotNumber.slot(number)).answerTo(SlotNumber.ofSlot(number));
    }

    @Override
    public Map<Long, String> answersTo(Collection<Long> numbers) {
        Map<Long, String> answers = new HashMap<>();
        numbers.stream()
                .collect(Collectors.groupingBy(SlotNumber::slot))
                .forEach(
                        (slot, its) ->
                                slots.at(slot)
                                        .answersTo(its.stream().map(SlotNumber::ofSlot).toList())
                                        .forEach(
                                                (number, answer) ->
                                                        answers.put(
                                                                SlotNumber.of(number, slot),
                                                                answer)));
        return answers;
    }

    /** Of a partition they are in the first slot, of a key in its own: all are asked. */
    @Override
    public List<Entry> audit(@Nullable String name, int most) {
        return slots.slots()
                .boxed()
                .flatMap(
                        slot ->
                                slots.at(slot).audit(name, most).stream()
                                        .map(it -> numbered(it, slot)))
                .sorted(Comparator.comparing(Entry::at).reversed())
                .limit(most)
                .toList();
    }

    private static Entry numbered(Entry entry, int slot) {
        return new Entry(
                SlotNumber.of(entry.number(), slot),
                entry.at(),
                entry.who(),
                entry.what(),
                entry.name(),
                entry.done(),
                entry.answer());
    }

    @Override
    public boolean isAnybodyThere(Duration within) {
        return slots.at(Catalogs.HOME).isAnybodyThere(within);
    }

    @Override
    public void close() {
        slots.close();
    }
}
