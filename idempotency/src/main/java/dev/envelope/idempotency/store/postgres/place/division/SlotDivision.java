package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.postgres.place.RenamedSchema;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import dev.envelope.idempotency.store.postgres.place.TransactionLock;
import dev.envelope.idempotency.store.postgres.place.division.UndividedRows.Stage;
import dev.envelope.idempotency.store.postgres.sql.RefusedSqlException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Divides rows into slots that were not divided.
 *
 * <ol>
 *   <li>{@link #copy}, while the application runs: schemas with working names are made for all
 *       slots, and the table {@code state} is copied into them, each row to the slot of its key.
 *   <li>{@link #finish}, while it is stopped: the undivided schema gets another name, so that
 *       nobody saves there. What has changed since is copied again, and the other tables as a whole
 *       ({@link DividedTable}). When all rows were counted, the slots get their names, place by
 *       place. That is the end of the way back.
 * </ol>
 *
 * <p>Whoever calls one of them again goes on with what he finds. One at a time writes: see {@link
 * DividedPlace}.
 *
 * <p>Threads: one thread.
 */
public final class SlotDivision {

    /** What has been done. */
    public enum Step {
        /** All slots have a schema with a working name. */
        PREPARED,
        /** The rows are copied, as they were some time since then. */
        COPIED,
        /** The undivided schema has its other name. */
        HIDDEN,
        /** Nobody writes there. */
        QUIET,
        /** The rows are copied, as they are. */
        CAUGHT_UP,
        /** All other tables are, too. */
        FILLED,
        /** All rows were counted. */
        COUNTED,
        /** The slots at one place have their names. */
        NAMED,
        /** The undivided schema has its last name. */
        DONE
    }

    /** Is told how far it is. */
    public interface Progress {

        /** A step is done. */
        void done(Step step, String words);

        /** So many rows of the table {@code state} were looked at by now. */
        default void seen(long rows) {}
    }

    private static final String GONE_ON =
            "somebody else has gone on with the division meanwhile: call this again";

    private final Map<String, SlotSite> sites;
    private final List<String> placeOfSlot;
    private final InstantSource clock;
    private final Supplier<String> tokens;
    private final Progress progress;
    private final SlotSite home; // where the undivided rows are
    private final String schema;
    private final Division division;

    /**
     * @param sites all places, by their names; the first has the undivided rows
     * @param placeOfSlot the place where each slot is to be
     * @param tokens makes one that nobody else has
     */
    public SlotDivision(
            Map<String, SlotSite> sites,
            List<String> placeOfSlot,
            InstantSource clock,
            Supplier<String> tokens,
            Progress progress) {
        this.sites = sites;
        this.placeOfSlot = placeOfSlot;
        this.clock = clock;
        this.tokens = tokens;
        this.progress = progress;
        this.home = sites.values().iterator().next();
        this.schema = home.settings().schema();
        List<String> used = List.copyOf(new TreeSet<>(placeOfSlot));
        this.division = new Division(placeOfSlot.stream().map(used::indexOf).toList());
    }

    /** Work on connections to all places and to the undivided rows. */
    private interface Work<T> {
        T on(UndividedRows undivided, Connection from, DividedPlaces places) throws SQLException;
    }

    private <T> T run(Work<T> work) {
        try (Connection from = home.open();
                DividedPlaces places = new DividedPlaces(sites, placeOfSlot, home)) {
            return work.on(new UndividedRows(from, home), from, places);
        } catch (RefusedSqlException e) {
            throw new RefusedException(String.valueOf(e.getMessage()), e);
        } catch (SQLException e) {
            throw home.failed(e);
        }
    }

    /**
     * What a division would find.
     *
     * @throws UnavailableException if a place does not answer
     */
    public DivisionPlan plan() {
        return run(
                (undivided, from, places) -> {
                    DivisionPlan plan = DivisionPlan.of(undivided, from, places);
                    from.commit();
                    return plan;
                });
    }

    private void requirePossible(UndividedRows undivided, Connection from, DividedPlaces places)
            throws SQLException {
        List<String> obstacles = DivisionPlan.of(undivided, from, places).obstacles();
        from.commit();
        if (!obstacles.isEmpty()) {
            throw new RefusedSqlException(String.join("; ", obstacles));
        }
    }

    /**
     * The lock of whoever reads the undivided rows: that of a slot that there is not. It is held
     * while the last step reads.
     */
    private TransactionLock reader(Connection from) {
        return TransactionLock.ofFilling(from, home, placeOfSlot.size());
    }

    private void endFormerReader(DividedPlaces places) throws SQLException {
        DividedPlace place = places.atHome();
        reader(place.connection()).seize();
        place.commit(); // which frees the lock
    }

    /** At home first: where the undivided rows have the name that they are to have. */
    private void claim(DividedPlaces places, String by, Stage expected, boolean isFilled)
            throws SQLException {
        endFormerReader(places);
        String token = tokens.get();
        DividedPlace first = places.atHome();
        first.seize();
        if (new UndividedRows(first.connection(), home).stage() != expected) {
            throw new RefusedSqlException(GONE_ON);
        }
        String words =
                "of %s, divided by %s since %s".formatted(schema, Words.line(by), clock.instant());
        first.claim(words, token, isFilled);
        places.each(
                place -> {
                    if (place != first) {
                        place.seize();
                        place.claim(words, token, isFilled);
                    }
                });
    }

    /**
     * Copies the rows while the application runs. Called again, it copies what has changed since.
     *
     * @param by who wants that
     * @return what was done, in words
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer
     */
    public String copy(String by) {
        return run(
                (undivided, from, places) -> {
                    requirePossible(undivided, from, places);
                    if (undivided.stage() != Stage.UNDIVIDED) {
                        throw new RefusedSqlException(
                                "the last step has begun: go on with --finish, or take it back with --abandon");
                    }
                    from.commit();
                    requireUnused(undivided, places);
                    claim(places, by, Stage.UNDIVIDED, false);
                    progress.done(Step.PREPARED, "all slots have a schema with a working name");
                    Instant begun = clock.instant();
                    RowsCopy copy = new RowsCopy(from, schema, places, division);
                    long[] seen = new long[1];
                    long rows =
                            copy.states(
                                    so -> {
                                        from.commit(); // the next batch is read in another
                                        seen[0] = so;
                                        progress.seen(so);
                                    });
                    String words =
                            "%s copied of %,d in %s"
                                    .formatted(Words.count(rows, "row"), seen[0], since(begun));
                    progress.done(Step.COPIED, words);
                    return words
                            + "; the last step is slots divide --finish, with all processes stopped";
                });
    }

    private String since(Instant begun) {
        return Duration.between(begun, clock.instant()).toMillis() + " ms";
    }

    /**
     * Does the last step, or goes on with it. No process may run.
     *
     * @param by who wants that
     * @return what was done, in words
     * @throws RefusedException if it can't be done
     * @throws UnavailableException if a place does not answer
     */
    public String finish(String by) {
        return run(
                (undivided, from, places) -> {
                    requirePossible(undivided, from, places);
                    boolean isHidden = undivided.stage() == Stage.DIVIDING;
                    if (!isHidden) {
                        undivided.awaitEnd();
                        requireSent(undivided, schema);
                    }
                    Instant begun = clock.instant();
                    boolean isFilled = isHidden && places.areFilled();
                    if (!isFilled) {
                        requireUnused(undivided, places);
                    }
                    claim(places, by, isHidden ? Stage.DIVIDING : Stage.UNDIVIDED, isFilled);
                    if (isFilled && !places.areFilled()) {
                        throw new RefusedSqlException(GONE_ON); // before these were claimed
                    }
                    if (!isHidden) {
                        hide(places);
                    }
                    progress.done(Step.HIDDEN, "the schema %s has another name".formatted(schema));
                    if (!isFilled) {
                        fill(undivided, from, places);
                    }
                    name(places);
                    return leave(places) + "; the last step took " + since(begun);
                });
    }

    /** Slots that have their names, though not all are filled, are filled again. */
    private static void requireUnused(UndividedRows undivided, DividedPlaces places)
            throws SQLException {
        if (places.isAnyNamed()) {
            @Nullable String newest = undivided.newest();
            places.each(place -> place.requireUnused(newest));
        }
    }

    private static void requireSent(UndividedRows undivided, String name) throws SQLException {
        Optional<String> unsent = undivided.unsent(name);
        if (unsent.isPresent()) {
            throw new RefusedSqlException(unsent.get());
        }
    }

    private void hide(DividedPlaces places) throws SQLException {
        DividedPlace place = places.atHome();
        place.begin();
        UndividedRows undivided = new UndividedRows(place.connection(), home);
        Optional<String> live = undivided.live();
        if (live.isPresent()) { // this run may have been suspended for a while
            throw new RefusedSqlException("processes run: end them first: " + live.get());
        }
        undivided.hide();
        place.commit();
    }

    private void fill(UndividedRows undivided, Connection from, DividedPlaces places)
            throws SQLException {
        String hidden = undivided.hidden();
        from.commit();
        new RenamedSchema(from, hidden).awaitQuiet();
        progress.done(Step.QUIET, "nobody writes there any more");
        TableCopies.execute(from, "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
        if (!reader(from).take()) {
            throw new UnavailableException("somebody else has gone on with the division meanwhile");
        }
        requireSent(undivided, hidden);
        RowsCopy copy = new RowsCopy(from, hidden, places, division);
        long changed = copy.states(progress::seen);
        progress.done(
                Step.CAUGHT_UP,
                Words.count(changed, "row") + " had changed since they were copied");
        Map<String, Long> rows = copy.tables();
        progress.done(
                Step.FILLED,
                rows.entrySet().stream()
                        .filter(it -> it.getValue() > 0)
                        .map(it -> it.getKey() + " " + it.getValue())
                        .collect(Collectors.joining(", ")));
        copy.count();
        String token = tokens.get();
        places.each(
                place -> {
                    place.begin();
                    place.filled(token);
                    place.commit();
                });
        progress.done(Step.COUNTED, "all rows are there");
        from.commit();
    }

    /** No process may have made the undivided schema anew. */
    private void name(DividedPlaces places) throws SQLException {
        List<String> names = new UndividedRows(places.atHome().connection(), home).names();
        if (names.contains(schema)) {
            throw new RefusedSqlException(
                    "a process was started with the former settings, and has made a schema %s: end it, and drop that"
                            .formatted(schema));
        }
        places.atHome().commit();
        places.each(
                place -> {
                    place.begin();
                    place.name();
                    place.commit();
                    progress.done(
                            Step.NAMED,
                            "the slots at " + place.site().place() + " have their names");
                });
    }

    private String leave(DividedPlaces places) throws SQLException {
        DividedPlace place = places.atHome();
        place.begin();
        UndividedRows undivided = new UndividedRows(place.connection(), home);
        undivided.leave();
        place.commit();
        String words =
                "the rows are in %d slots; start processes with these settings; what they were copied from stays at %s until you DROP SCHEMA %s CASCADE there"
                        .formatted(placeOfSlot.size(), home.place(), undivided.left());
        progress.done(Step.DONE, words);
        return words;
    }

    /**
     * Takes a division back, as long as no slot has its name.
     *
     * @return what was done, in words
     * @throws RefusedException if one has
     * @throws UnavailableException if a place does not answer
     */
    public String abandon() {
        return run(
                (undivided, from, places) -> {
                    endFormerReader(places);
                    String token = tokens.get();
                    places.atHome().revoke(token); // from now on nobody else claims them
                    places.each(place -> place.revoke(token)); // and gives them their names
                    if (places.isAnyNamed()) {
                        throw new RefusedSqlException(
                                "slots have their names: finish it with slots divide --finish");
                    }
                    boolean isHidden = undivided.stage() == Stage.DIVIDING;
                    from.commit();
                    if (isHidden) {
                        DividedPlace place = places.atHome();
                        place.begin();
                        new UndividedRows(place.connection(), home).show();
                        place.commit();
                    }
                    places.each(DividedPlace::drop);
                    return "the rows are in %s, as before".formatted(schema);
                });
    }
}
