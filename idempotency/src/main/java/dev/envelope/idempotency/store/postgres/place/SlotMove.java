package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.RefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Moves a slot to another database, while processes run.
 *
 * <ol>
 *   <li>At the old place the schema gets another name, and a note that says where it goes. From
 *       then on nobody saves there: see {@link RenamedSchema#awaitQuiet}.
 *   <li>At the new place, in one transaction, the schema is made, and what the old one has is
 *       copied into it. Its commit is the move.
 *   <li>At the old place the schema gets the name under which it stays until somebody drops it.
 * </ol>
 *
 * <p>Whoever calls {@link #run} again goes on with what he finds at both places. Who copies, and
 * who takes a move back, hold the same lock at the new place, to the end of their transaction
 * there. Before he copies, he looks whether the note at the old place is still that of his move. So
 * a copier who was suspended commits nothing after the move was taken back.
 *
 * <p>Threads: one thread.
 */
public final class SlotMove {

    /** What has been done. */
    public enum Step {
        /** The schema at the old place has its other name. */
        RENAMED,
        /** Nobody writes at the old place. */
        QUIET,
        /** The rows are at the new place, and not committed. */
        COPIED,
        /** They are committed. */
        COMMITTED,
        /** The schema at the old place has its last name. */
        DONE
    }

    /** Is told how far it is. */
    public interface Progress {

        /** A step is done. */
        void done(Step step, String words);

        /** So many rows are copied by now; called for each. */
        default void copied(long rows) {}
    }

    private final Map<String, SlotSite> sites;
    private final int slot;
    private final InstantSource clock;
    private final Supplier<String> tokens;
    private final Progress progress;

    /**
     * @param sites all places, by their names
     * @param tokens makes one that nobody else has
     */
    public SlotMove(
            Map<String, SlotSite> sites,
            int slot,
            InstantSource clock,
            Supplier<String> tokens,
            Progress progress) {
        this.sites = sites;
        this.slot = slot;
        this.clock = clock;
        this.tokens = tokens;
        this.progress = progress;
    }

    /** From where to where. */
    private record Way(SlotSite from, SlotSite to) {}

    private SlotSite site(String place) {
        SlotSite site = sites.get(place);
        if (site == null) {
            throw new RefusedException(
                    "the settings name no place %s: add store.place.%s=jdbc:…, here and for all processes"
                            .formatted(place, place));
        }
        return site;
    }

    private SlotSearch look() {
        return SlotSearch.of(sites.values());
    }

    /**
     * What a move would find.
     *
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer
     */
    public MovePlan plan(String to) {
        SlotSite target = site(to);
        SlotSearch found = look();
        requireOneWay(found, to);
        String from =
                found.moving(slot)
                        .map(SlotSearch.Moving::from)
                        .orElseGet(() -> found.placesOf(slot, to).get(0));
        if (from.equals(to)) {
            return MovePlan.nothing(slot, to);
        }
        if (found.isOne(from, to)) {
            throw new RefusedException(from + " and " + to + " are the same database");
        }
        return found.moving(slot).isPresent()
                ? MovePlan.of(site(from), target, slot, true, OldPlace::hidden)
                : MovePlan.of(site(from), target, slot, false, OldPlace::shown);
    }

    /**
     * What {@link #again} would find.
     *
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer
     */
    public MovePlan planAgain(String to) {
        return planAgain(look(), to);
    }

    private MovePlan planAgain(SlotSearch found, String to) {
        SlotSite target = site(to);
        if (found.moving(slot).isPresent()) {
            return plan(to);
        }
        List<String> at = found.placesOf(slot, to);
        if (!at.isEmpty()) {
            throw new RefusedException(
                    "slot %d is at %s: no place has lost it"
                            .formatted(slot, String.join(" and at ", at)));
        }
        SlotSearch.Moving last = last(found);
        if (!last.note().place().equals(to)) {
            throw new RefusedException(
                    "%s: it is moved there once more if that has lost it; if that has gone for good, give the newest schema %s at %s its name again"
                            .formatted(
                                    last.sentence(),
                                    SlotSchemas.moved(target.of(slot).schema(), "…"),
                                    last.from()));
        }
        return MovePlan.of(site(last.from()), target, slot, false, OldPlace::left);
    }

    private SlotSearch.Moving last(SlotSearch found) {
        return found.moved(slot).orElseThrow(() -> new RefusedException(isNowhere()));
    }

    private String isNowhere() {
        return "slot " + slot + " is at no place";
    }

    private void requireOneWay(SlotSearch found, String to) {
        List<String> at = found.placesOf(slot, to);
        found.moving(slot)
                .ifPresentOrElse(
                        moving -> requireSame(moving, at, to),
                        () -> {
                            if (at.isEmpty()) {
                                throw new RefusedException(
                                        isNowhere()
                                                + found.lost(slot).map(it -> "; " + it).orElse(""));
                            }
                        });
        if (at.size() > 1) {
            throw new RefusedException(
                    "slot %d is at %s: one of them has to go"
                            .formatted(slot, String.join(" and at ", at)));
        }
    }

    private void requireSame(SlotSearch.Moving moving, List<String> at, String to) {
        MoveNote note = moving.note();
        requireTarget(moving.from(), note, to);
        if (!at.isEmpty() && !at.equals(List.of(to))) {
            throw new RefusedException(
                    "%s, and it is at %s, too: one of them has to go"
                            .formatted(moving.sentence(), String.join(" and at ", at)));
        }
    }

    private void requireTarget(String from, MoveNote note, String to) {
        if (!note.place().equals(to)) {
            throw new RefusedException(
                    "slot %d is being moved from %s to %s since %s by %s: finish that, or take it back with --abandon"
                            .formatted(slot, from, note.place(), note.since(), note.by()));
        }
    }

    /**
     * Moves it, or goes on with a move that was begun.
     *
     * @param by who wants that
     * @return what was done, in words
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer; called again, it goes on
     */
    public String run(String to, String by) {
        MovePlan plan = plan(to);
        if (plan.isNothing()) {
            return "slot %d is at %s already".formatted(slot, to);
        }
        plan.requirePossible();
        Way way = new Way(site(plan.from()), site(to));
        MoveNote note =
                look().moving(slot)
                        .map(SlotSearch.Moving::note)
                        .orElseGet(() -> begin(way, by, tokens.get(), OldPlace::hide));
        requireTarget(plan.from(), note, to); // somebody may have begun another since the plan
        progress.done(Step.RENAMED, "the schema at " + plan.from() + " has another name");
        String copied = copy(way, note);
        progress.done(Step.COMMITTED, copied);
        String left = finish(way, note);
        progress.done(Step.DONE, left);
        return "slot %d is at %s now: %s; %s".formatted(slot, to, copied, left);
    }

    /**
     * Moves a slot once more, which the place has lost where it was moved to, from the copy that
     * was left at the old place.
     *
     * @param by who wants that
     * @return what was done, in words
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer; called again, it goes on
     */
    public String again(String to, String by) {
        SlotSearch found = look();
        MovePlan plan = planAgain(found, to);
        plan.requirePossible();
        if (!plan.isBegun()) {
            MoveNote former = last(found).note();
            begin(
                    new Way(site(plan.from()), site(to)),
                    by,
                    MoveNote.again(former.since(), tokens.get()),
                    (place, note) -> place.takeAgain(former.token(), note));
        }
        return run(to, by);
    }

    /** How a move begins. */
    private interface First {
        void at(OldPlace place, MoveNote note) throws SQLException;
    }

    private MoveNote begin(Way way, String by, String token, First first) {
        return way.from()
                .with(
                        old -> {
                            OldPlace place = new OldPlace(old, way.from(), slot);
                            place.lock();
                            @Nullable MoveNote other = place.moving();
                            if (other != null) { // somebody else was faster
                                return other;
                            }
                            MoveNote note =
                                    new MoveNote(
                                            MoveNote.Kind.MOVING,
                                            way.to().place(),
                                            clock.instant(),
                                            Words.line(by),
                                            token);
                            first.at(place, note);
                            old.commit();
                            return note;
                        });
    }

    private String copy(Way way, MoveNote note) {
        return way.to()
                .with(
                        fresh -> {
                            NewPlace target = new NewPlace(fresh, way.to(), slot);
                            if (!target.lock().take()) {
                                throw new UnavailableException(
                                        "somebody else copies slot %d at this time: %s"
                                                .formatted(slot, target.lock().holders()));
                            }
                            return target.isFilled(note)
                                    ? "its rows were there already"
                                    : way.from().with(old -> copy(way, note, old, target));
                        });
    }

    private String copy(Way way, MoveNote note, Connection old, NewPlace target)
            throws SQLException {
        Instant begun = clock.instant();
        OldPlace source = new OldPlace(old, way.from(), slot);
        source.require(note);
        new RenamedSchema(old, source.hidden()).awaitQuiet();
        progress.done(Step.QUIET, "nobody writes at " + way.from().place() + " any more");
        source.beginSnapshot();
        Map<String, Long> rows = target.fill(old, source.hidden(), progress::copied);
        old.commit();
        source.require(note); // somebody may have given it its name by hand
        progress.done(
                Step.COPIED,
                rows.entrySet().stream()
                        .filter(it -> it.getValue() > 0)
                        .map(it -> it.getKey() + " " + it.getValue())
                        .collect(Collectors.joining(", ")));
        target.commit(note.as(MoveNote.Kind.CAME, way.from().place(), clock.instant()));
        return "%s copied in %d ms"
                .formatted(
                        Words.count(rows.values().stream().mapToLong(Long::longValue).sum(), "row"),
                        Duration.between(begun, clock.instant()).toMillis());
    }

    private String finish(Way way, MoveNote note) {
        return way.from()
                .with(
                        old -> {
                            OldPlace place = new OldPlace(old, way.from(), slot);
                            place.lock();
                            return place.leave(note, clock.instant());
                        });
    }

    /**
     * Takes a move back, before it is done.
     *
     * @return what was done, in words
     * @throws RefusedException if the slot is not being moved, or its rows are at the new place
     * @throws UnavailableException if a place does not answer
     */
    public String abandon() {
        SlotSearch.Moving moving =
                look().moving(slot)
                        .orElseThrow(
                                () ->
                                        new RefusedException(
                                                "slot %d is not being moved; a move that is done is"
                                                                .formatted(slot)
                                                        + " taken back by another one"));
        MoveNote note = moving.note();
        Way way = new Way(site(moving.from()), site(note.place()));
        return way.to()
                .with(
                        fresh -> {
                            NewPlace target = new NewPlace(fresh, way.to(), slot);
                            target.lock().seize();
                            requireNotThere(target, note);
                            way.from()
                                    .with(
                                            old ->
                                                    takeBack(
                                                            new OldPlace(old, way.from(), slot),
                                                            target,
                                                            note));
                            fresh.rollback(); // which frees the lock
                            return note.left() == null
                                    ? "slot %d is at %s, as before".formatted(slot, moving.from())
                                    : "slot %d is at no place, as before".formatted(slot);
                        });
    }

    /** What was looked at before the lock is looked at again. */
    private boolean takeBack(OldPlace place, NewPlace target, MoveNote note) throws SQLException {
        place.lock();
        place.require(note);
        requireNotThere(target, note);
        @Nullable Instant left = note.left();
        if (left == null) {
            place.show();
        } else {
            place.leave(note, left); // nobody may use that copy, as before
        }
        return true;
    }

    private void requireNotThere(NewPlace target, MoveNote note) throws SQLException {
        if (target.isFilled(note)) {
            throw new RefusedException(
                    "the rows of slot %1$d are at %2$s: finish it with slots move %1$d --to %2$s"
                            .formatted(slot, note.place()));
        }
    }
}
