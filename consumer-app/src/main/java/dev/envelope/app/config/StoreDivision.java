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

/** How the settings divide the rows: the databases, and which slots each has. */
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
                            NavigableSet<Integer> its =
                                    parsed(() -> SlotRanges.parse(slots.getOrDefault(name, "")));
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

    /** The same for the engine, with the places in their order here. */
    public Division division() {
        return isDivided()
                ? new Division(IntStream.range(0, slots()).mapToObj(this::placeOf).toList())
                : Division.NONE;
    }

    private int placeOf(int slot) {
        return IntStream.range(0, places.size())
                .filter(place -> places.get(place).slots().contains(slot))
                .findFirst()
                .orElseThrow();
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
