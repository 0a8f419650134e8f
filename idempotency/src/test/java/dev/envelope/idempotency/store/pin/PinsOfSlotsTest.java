package dev.envelope.idempotency.store.pin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PinsOfSlotsTest {

    private static final SortedMap<String, String> VALUES = new TreeMap<>(Map.of("handler", "a"));

    private final List<Schema> schemas =
            IntStream.range(0, 3).mapToObj(slot -> new Schema(new TreeMap<>())).toList();
    private final PinStore pins = new PinsOfSlots(schemas);

    /** The pins of one schema, which are compared as texts. */
    private record Schema(NavigableMap<String, String> recorded) implements PinStore {

        @Override
        public List<PinMismatch> compare(SortedMap<String, String> values) {
            List<PinMismatch> mismatches = new ArrayList<>();
            values.forEach(
                    (name, value) -> {
                        String before = recorded.getOrDefault(name, value);
                        if (!before.equals(value)) {
                            mismatches.add(new PinMismatch(name, before, value, "rows differ"));
                        }
                    });
            return mismatches;
        }

        @Override
        public List<PinMismatch> claim(SortedMap<String, String> values) {
            List<PinMismatch> mismatches = compare(values);
            if (mismatches.isEmpty()) {
                values.forEach(recorded::putIfAbsent);
            }
            return mismatches;
        }

        @Override
        public void confirm(SortedMap<String, String> values) {
            recorded.putAll(values);
        }

        @Override
        public SortedMap<String, Pin> stored() {
            return new TreeMap<>();
        }
    }

    @Test
    void eachSlotRecordsAllPinsAndWhichOneItIs() {
        assertThat(pins.claim(VALUES)).isEmpty();

        for (int slot = 0; slot < 3; slot++) {
            assertThat(schemas.get(slot).recorded())
                    .isEqualTo(
                            Map.of(
                                    "handler", "a",
                                    "store.slots", "3",
                                    "store.slots.number", Integer.toString(slot)));
        }
        assertThat(pins.claim(VALUES)).isEmpty();
        assertThat(pins.compare(VALUES)).isEmpty();
    }

    @Test
    void schemasThatHaveChangedPlacesAreNotTaken() {
        pins.claim(VALUES);
        PinStore swapped = new PinsOfSlots(List.of(schemas.get(0), schemas.get(2), schemas.get(1)));

        assertThat(swapped.compare(VALUES))
                .extracting(PinMismatch::name, PinMismatch::stored, PinMismatch::configured)
                .containsExactly(tuple("store.slots.number", "2", "1"));
    }

    @Test
    void anotherNumberOfSlotsIsNotTaken() {
        pins.claim(VALUES);

        assertThat(new PinsOfSlots(schemas.subList(0, 2)).claim(VALUES))
                .extracting(PinMismatch::name, PinMismatch::stored, PinMismatch::configured)
                .containsExactly(tuple("store.slots", "3", "2"));
    }

    @Test
    void nothingIsRecordedAnywhereIfOneSlotHasOthers() {
        schemas.get(2).recorded().put("handler", "b");

        assertThat(pins.claim(VALUES)).hasSize(1);

        assertThat(schemas.get(0).recorded()).isEmpty();
        assertThat(schemas.get(1).recorded()).isEmpty();
    }

    @Test
    void whatIsConfirmedIsConfirmedInAllSlots() {
        pins.claim(VALUES);

        pins.confirm(new TreeMap<>(Map.of("handler", "b")));

        assertThat(pins.compare(new TreeMap<>(Map.of("handler", "b")))).isEmpty();
        assertThat(schemas)
                .extracting(it -> it.recorded().get("store.slots.number"))
                .containsExactly("0", "1", "2");
    }
}
