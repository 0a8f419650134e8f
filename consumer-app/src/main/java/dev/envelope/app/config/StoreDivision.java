package dev.envelope.app.config;

import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.JdbcUrl;
import dev.envelope.app.config.value.SlotRanges;
import dev.envelope.app.config.value.Types;
import dev.envelope.core.key.Division;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * How the rows are divided: the databases, and which slots each has. The settings say where slots
 * are made; they may be elsewhere since.
 *
 * @param places some of them may have no slots
 */
public record StoreDivision(List<Place> places) {

    /** The place of {@code store.url}. */
    public static final String MAIN = "main";

    /** A database and its slots. */
    public record Place(String name, JdbcUrl url, NavigableSet<Integer> slots) {}

    /** Of settings that were checked. */
    public static StoreDivision of(Settings settings) {
        NavigableSet<Integer> left = new TreeSet<>();
        IntStream.range(0, settings.get(StoreKeys.SLOTS)).forEach(left::add);
        List<Place> others = new ArrayList<>();
        Map<String, String> slots = settings.family(Family.PLACE_SLOTS);
        new TreeMap<>(settings.family(Family.PLACE))
                .forEach(
                        (name, url) -> {
                            @Nullable String text = slots.get(name);
                            NavigableSet<Integer> its =
                                    text == null
                                            ? new TreeSet<>()
                                            : parsed(() -> SlotRanges.parse(text));
                            left.removeAll(its);
                            others.add(
                                    new Place(name, parsed(() -> Types.jdbcUrl().parse(url)), its));
                        });
        List<Place> all = new ArrayList<>();
        all.add(new Place(MAIN, settings.get(StoreKeys.URL), left));
        all.addAll(others);
        return new StoreDivision(all);
    }

    /** Something to parse. */
    private interface Parsing<T> {
        T parse() throws BadValueException;
    }

    private static <T> T parsed(Parsing<T> of) {
        try {
            return of.parse();
        } catch (BadValueException e) {
            throw new IllegalStateException("it was checked before", e);
        }
    }

    /** How many slots there are. */
    public int slots() {
        return places.stream().mapToInt(place -> place.slots().size()).sum();
    }

    /** Whether there is more than one. */
    public boolean isDivided() {
        return slots() > 1;
    }

    /** Whether slots can be elsewhere than the settings say. */
    public boolean hasSeveralPlaces() {
        return isDivided() && places.size() > 1;
    }

    /** The places that have slots. */
    public List<Place> used() {
        return places.stream().filter(place -> !place.slots().isEmpty()).toList();
    }

    /** The same for the engine, with the places that have slots in their order here. */
    public Division division() {
        return isDivided()
                ? new Division(
                        IntStream.range(0, slots())
                                .mapToObj(slot -> used().indexOf(placeOf(slot)))
                                .toList())
                : Division.NONE;
    }

    /** Where a slot is. */
    public Place placeOf(int slot) {
        return places.stream()
                .filter(place -> place.slots().contains(slot))
                .findFirst()
                .orElseThrow();
    }

    /**
     * The same places with other slots.
     *
     * @param placeOfSlot the name of the place of each slot
     */
    public StoreDivision with(List<String> placeOfSlot) {
        return new StoreDivision(
                places.stream()
                        .map(
                                place -> {
                                    NavigableSet<Integer> its = new TreeSet<>();
                                    for (int slot = 0; slot < placeOfSlot.size(); slot++) {
                                        if (placeOfSlot.get(slot).equals(place.name())) {
                                            its.add(slot);
                                        }
                                    }
                                    return new Place(place.name(), place.url(), its);
                                })
                        .toList());
    }

    /**
     * The settings that would have to be other ones for slots to be made as here. That of {@code
     * store.url} has to have a slot.
     */
    public List<String> differingFrom(StoreDivision other) {
        List<String> lines = new ArrayList<>();
        String asMain = "";
        if (places.get(0).slots().isEmpty()) {
            asMain = placeOf(0).name();
            lines.add(
                    "store.url to that of %1$s, without store.place.%1$s and store.slots.%1$s"
                            .formatted(asMain));
        }
        for (int i = 1; i < places.size(); i++) {
            Place place = places.get(i);
            if (!place.name().equals(asMain) && !place.equals(other.places().get(i))) {
                String name = Family.PLACE_SLOTS.prefix() + place.name();
                lines.add(
                        place.slots().isEmpty()
                                ? "no " + name
                                : name + "=" + SlotRanges.text(place.slots()));
            }
        }
        return lines;
    }

    /** The schema of a slot. */
    public String schemaOf(String schema, int slot) {
        return isDivided() ? numbered(schema, slot) : schema;
    }

    /** The schema that the first slot would have. */
    public static String schemaOfFirst(String schema) {
        return numbered(schema, 0);
    }

    private static String numbered(String schema, int slot) {
        return schema + "_%02d".formatted(slot);
    }
}
