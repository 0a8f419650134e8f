package dev.envelope.app.database;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.database.SlotDatabase.Presence;
import dev.envelope.app.start.DatabaseCheck;
import dev.envelope.app.start.Verdict;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.postgres.place.SlotSchemas;
import dev.envelope.idempotency.store.postgres.place.SlotSearch;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where the slots are. Each place is asked, also where the settings name only one: a slot is where
 * its schema is, and may have been moved to a place that they don't name. The settings say where it
 * is made by the first start.
 *
 * <p>Threads: thread-safe (a volatile reference).
 */
final class SlotLocations implements DatabaseCheck {

    private final Settings settings;
    private final StoreDivision asSet;
    private final String instance;
    private final Map<String, SlotSite> sites;
    private volatile @Nullable Found found;

    /**
     * The slots, as found.
     *
     * @param left those that can't be used: they are being moved, or their place is away
     * @param away why each place that was asked in vain did not answer, in a sentence
     * @param remark how the settings differ from that; empty if they don't
     */
    record Found(
            StoreDivision division,
            List<SlotDatabase> slots,
            List<SlotWatch.Away> left,
            List<String> away,
            Optional<String> remark) {

        SlotDatabase first() {
            return slots.get(0);
        }

        /** Tells it from what is found at another time. */
        List<String> texts() {
            return slots.stream().map(SlotDatabase::text).toList();
        }

        /** Those that can be used. */
        List<SlotDatabase> present() {
            return slots.stream().filter(SlotDatabase::isPresent).toList();
        }
    }

    SlotLocations(Settings settings, String instance) {
        this.settings = settings;
        this.asSet = StoreDivision.of(settings);
        this.instance = instance;
        this.sites = StoreWiring.sites(settings, asSet, instance);
        this.found =
                asSet.isDivided()
                        ? null
                        : found(asSet, it -> Presence.WANTED, List.of(), List.of());
    }

    /** The slots where the settings have them; nobody is asked. */
    List<SlotDatabase> asSet() {
        return StoreWiring.slots(settings, asSet, instance, it -> Presence.WANTED);
    }

    /** The places that the settings name. */
    Map<String, SlotSite> sites() {
        return sites;
    }

    /**
     * The slots, as found last.
     *
     * @throws RefusedException if one is at two places, or at none
     * @throws UnavailableException if that can't be said now
     */
    Found get() {
        Found last = found;
        if (last != null) {
            return last;
        }
        Verdict verdict = ask();
        if (verdict instanceof Verdict.Refused refused) {
            throw new RefusedException(String.join("; ", refused.sentences()));
        } else if (verdict instanceof Verdict.Waiting waiting) {
            throw new UnavailableException(waiting.why());
        }
        return get();
    }

    /**
     * Looks where they are now. A place that is away is done without, as long as it is known which
     * slots it has: all slots were made, and no other place says otherwise.
     */
    @Override
    public Verdict ask() {
        if (!asSet.isDivided()) {
            return new Verdict.Ready();
        }
        SlotSearch search = SlotSearch.ofThoseThatAnswer(sites.values());
        OptionalInt made = search.count(sites.values());
        if (made.isPresent() && made.getAsInt() != asSet.slots()) {
            return new Verdict.Refused(
                    List.of(
                            "store.slots is %d, but the rows are in %d slots: they would not be found"
                                    .formatted(asSet.slots(), made.getAsInt())));
        } else if (made.isEmpty() && !search.away().isEmpty()) {
            return away(search); // it may have what was made
        }
        List<String> placeOfSlot = new ArrayList<>();
        Map<Integer, SlotWatch.Away> left = new TreeMap<>();
        for (int slot = 0; slot < asSet.slots(); slot++) {
            String set = asSet.placeOf(slot).name();
            List<String> at = search.placesOf(slot, set);
            if (at.size() > 1) {
                return atSeveral(slot, at);
            } else if (at.size() == 1) {
                placeOfSlot.add(at.get(0));
            } else if (made.isEmpty() && !search.hasLeft(slot)) {
                placeOfSlot.add(set); // where it is made
            } else {
                Optional<Left> its = left(search, slot);
                if (its.isEmpty()) {
                    return nowhere(search, slot);
                }
                placeOfSlot.add(its.get().place());
                left.put(slot, its.get().away());
            }
        }
        Presence usual = made.isPresent() ? Presence.FOUND : Presence.WANTED;
        found =
                found(
                        asSet.with(placeOfSlot),
                        slot -> left.containsKey(slot) ? Presence.LEFT : usual,
                        List.copyOf(left.values()),
                        List.copyOf(search.away().values()));
        return new Verdict.Ready();
    }

    /** Where a slot was, or is as far as is known. */
    private record Left(String place, SlotWatch.Away away) {}

    /** A slot that can't be used while others go on; empty if nothing can go on without it. */
    private Optional<Left> left(SlotSearch search, int slot) {
        if (slot == 0) { // sources have their numbers there
            return Optional.empty();
        }
        Optional<SlotSearch.Moving> moving = search.moving(slot);
        if (moving.isPresent()) {
            SlotSearch.Moving its = moving.get();
            return Optional.of(
                    new Left(
                            its.from(),
                            new SlotWatch.Away(slot, its.sentence(), SlotWatch.Reason.MOVES)));
        }
        String place =
                search.moved(slot)
                        .map(it -> it.note().place())
                        .orElseGet(() -> asSet.placeOf(slot).name());
        return Optional.ofNullable(search.away().get(place))
                .map(why -> "not there when this process started: " + why)
                .map(why -> new SlotWatch.Away(slot, why, SlotWatch.Reason.NOT_ASKED))
                .map(away -> new Left(place, away));
    }

    private static Verdict away(SlotSearch search) {
        return new Verdict.Waiting(String.join("; ", search.away().values()));
    }

    /** Whether no place was away when they were found. */
    Verdict allAnswer() {
        List<String> away = get().away();
        return away.isEmpty() ? new Verdict.Ready() : new Verdict.Waiting(String.join("; ", away));
    }

    /** A check of the slots. What it refuses is waited for if one was moved since it was found. */
    Verdict unlessMoved(DatabaseCheck check) {
        List<String> before = get().texts();
        Verdict verdict = check.look();
        if (!(verdict instanceof Verdict.Refused) || !asSet.isDivided()) {
            return verdict;
        }
        Verdict now = ask();
        if (!(now instanceof Verdict.Ready)) {
            return now;
        }
        return get().texts().equals(before)
                ? verdict
                : new Verdict.Waiting("a slot is being moved: it is looked for again");
    }

    private Found found(
            StoreDivision division,
            IntFunction<Presence> presence,
            List<SlotWatch.Away> left,
            List<String> away) {
        List<String> lines = division.differingFrom(asSet);
        return new Found(
                division,
                StoreWiring.slots(settings, division, instance, presence),
                left,
                away,
                lines.isEmpty()
                        ? Optional.empty()
                        : Optional.of(
                                "slots are elsewhere than the settings say, since they were moved; they"
                                        + " are used where they are: set "
                                        + String.join(" and ", lines)));
    }

    private Verdict atSeveral(int slot, List<String> places) {
        return new Verdict.Refused(
                List.of(
                        "slot %d is at %s: each has a schema %s, and only one of them can be right"
                                .formatted(slot, String.join(" and at ", places), schemaOf(slot))));
    }

    private String schemaOf(int slot) {
        return SlotSchemas.of(settings.get(StoreKeys.SCHEMA), slot);
    }

    private Verdict nowhere(SlotSearch search, int slot) {
        Optional<SlotSearch.Moving> moving = search.moving(slot);
        if (moving.isPresent()) {
            return new Verdict.Waiting(
                    moving.get().sentence() + missing(moving.get().note().place()));
        }
        if (!search.away().isEmpty()) {
            return away(search); // it may be there
        }
        return new Verdict.Refused(
                List.of(
                        search.lost(slot)
                                .or(
                                        () ->
                                                search.moved(slot)
                                                        .map(
                                                                it ->
                                                                        it.sentence()
                                                                                + missing(
                                                                                        it.note()
                                                                                                .place())))
                                .orElse(
                                        "slot %d is at no place: none has a schema %s, and there are others; was it renamed, or is a place missing?"
                                                .formatted(slot, schemaOf(slot)))));
    }

    private String missing(String place) {
        return sites.containsKey(place)
                ? ""
                : ", which the settings do not name: add %s%s=jdbc:…"
                        .formatted(Family.PLACE.prefix(), place);
    }
}
