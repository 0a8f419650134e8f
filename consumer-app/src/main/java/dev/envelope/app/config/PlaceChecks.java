package dev.envelope.app.config;

import static dev.envelope.app.config.key.Family.PLACE;
import static dev.envelope.app.config.key.Family.PLACE_SLOTS;
import static dev.envelope.app.config.key.StoreKeys.SLOTS;
import static dev.envelope.app.config.key.StoreKeys.URL;

import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.TableKeys;
import dev.envelope.app.config.key.TableKeys.Source;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.SlotRanges;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Finds slots that are nowhere or at two places, and what rows that are divided can't have. */
final class PlaceChecks {

    private final Settings settings;
    private final Findings findings;
    private final Map<Integer, String> placeOf = new HashMap<>();

    PlaceChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        Set<String> places = names(PLACE);
        settings.ofFamily(PLACE).forEach(this::place);
        settings.ofFamily(PLACE_SLOTS).forEach(setting -> slots(setting, places));
        if (settings.find(SLOTS).isEmpty()) {
            return;
        }
        int count = settings.get(SLOTS);
        if (count > 1 && placeOf.size() == count) {
            findings.error(
                    URL,
                    "has no slot left: all are at other places",
                    "leave one out of store.slots.<place>");
        }
        if (count > 1) {
            table(places);
        }
        int all = places.size() + 1; // with that of store.url
        if (settings.has(LimitKeys.POOL_SIZE, it -> it < all)) {
            findings.doubt(
                    LimitKeys.POOL_SIZE,
                    "is less than the number of places, " + all,
                    "with fewer workers than places, one that does not answer holds up others");
        }
    }

    private Set<String> names(Family family) {
        Set<String> names = new HashSet<>();
        settings.ofFamily(family).forEach(setting -> names.add(family.restOf(setting.name())));
        return names;
    }

    /** One without slots may get some later. */
    private void place(Setting setting) {
        if (PLACE.restOf(setting.name()).equals(StoreDivision.MAIN)) {
            findings.error(setting, "is the name of the place of store.url: give it another");
        }
    }

    private void slots(Setting setting, Set<String> places) {
        String name = PLACE_SLOTS.restOf(setting.name());
        String text = settings.family(PLACE_SLOTS).get(name);
        if (text == null) {
            return;
        }
        try {
            for (int slot : SlotRanges.parse(text)) {
                String other = placeOf.putIfAbsent(slot, name);
                if (other != null) {
                    findings.error(setting, "has slot " + slot + ", which " + other + " has, too");
                }
                if (settings.has(SLOTS, count -> slot >= count)) {
                    findings.error(
                            setting,
                            "has slot "
                                    + slot
                                    + ", which there is not"
                                    + findings.seen(SLOTS, setting.origin()));
                    return;
                }
            }
        } catch (BadValueException e) {
            findings.error(setting, e.reason());
        }
        if (!places.contains(name)) {
            findings.error(setting, "is of no place: add " + PLACE.prefix() + name);
        }
    }

    /** A row of the table is done in the transaction of its effect. */
    private void table(Set<String> places) {
        if (!places.isEmpty() && settings.has(TableKeys.SOURCE, Source.TABLE::equals)) {
            findings.error(
                    TableKeys.SOURCE,
                    "needs all slots in the database of store.url, where the table is: no"
                            + " transaction saves the effect of a row at another place and has the"
                            + " row done",
                    "take out store.place.* and store.slots.<place>",
                    "or publish the rows to a topic by an application of their own, and read that");
        }
    }
}
