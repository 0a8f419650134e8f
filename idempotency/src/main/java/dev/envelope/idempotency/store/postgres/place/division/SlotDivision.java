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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;

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
        T on(UndividedRows undivided, Connection from, List<DividedPlace> places)
                throws SQLException;
    }

    private <T> T run(Work<T> work) {
        SlotSite at = home;
        List<DividedPlace> places = new ArrayList<>();
        try (Connection from = home.open()) {
            Map<String, TreeSet<Integer>> slots = new TreeMap<>();
            for (int slot = 0; slot < placeOfSlot.size(); slot++) {
                slots.computeIfAbsent(placeOfSlot.get(slot), it -> new TreeSet<>()).add(slot);
            }
            for (Map.Entry<String, TreeSet<Integer>> each : slots.entrySet()) {
                at = Objects.requireNonNull(sites.get(each.getKey()));
                places.add(new DividedPlace(at, each.getValue(), placeOfSlot.size()));
            }
            at = home;
            return work.on(new UndividedRows(from, home), from, places);
        } catch (RefusedSqlException e) {
            throw new RefusedException(String.valueOf(e.getMessage()), e);
        } catch (SQLException e) {
            throw at.failed(e);
        } finally {
            places.forEach(DividedPlace::close);
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

    private void requirePossible(
            UndividedRows undivided, Connection from, List<DividedPlace> places)
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

    private void endFormerReader(List<DividedPlace> places) throws SQLException {
        DividedPlace place = atHome(places);
        reader(place.connection()).seize();
        place.commit(); // which frees the lock
    }

    private void claim(List<DividedPlace> places, String by) throws SQLException {
        endFormerReader(places);
        String token = tokens.get();
        boolean mayMake = !isAnyNamed(places);
        for (DividedPlace place : places) {
            place.claim(
                    "of %s, divided by %s since %s"
                            .formatted(schema, Words.line(by), clock.instant()),
                    token,
                    mayMake);
        }
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
                    claim(places, by);
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
                    claim(places, by);
                    if (!isHidden) {
                        hide(places);
                    }
                    progress.done(Step.HIDDEN, "the schema %s has another name".formatted(schema));
                    if (!isAnyNamed(places)) {
                        fill(undivided, from, places);
                    }
                    name(places);
                    return leave(places) + "; the last step took " + since(begun);
                });
    }

    private static void requireSent(UndividedRows undivided, String name) throws SQLException {
        Optional<String> unsent = undivided.unsent(name);
        if (unsent.isPresent()) {
            throw new RefusedSqlException(unsent.get());
        }
    }

    private static boolean isAnyNamed(List<DividedPlace> places) throws SQLException {
        for (DividedPlace place : places) {
            for (int slot : place.slots()) {
                if (place.isNamed(slot)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The undivided rows are where a slot is, too, whose place knows this run. */
    private DividedPlace atHome(List<DividedPlace> places) {
        return places.stream().filter(it -> it.site().equals(home)).findFirst().orElseThrow();
    }

    private void hide(List<DividedPlace> places) throws SQLException {
        DividedPlace place = atHome(places);
        place.begin();
        UndividedRows undivided = new UndividedRows(place.connection(), home);
        Optional<String> live = undivided.live();
        if (live.isPresent()) { // this run may have been suspended for a while
            throw new RefusedSqlException("processes run: end them first: " + live.get());
        }
        undivided.hide();
        place.commit();
    }

    private void fill(UndividedRows undivided, Connection from, List<DividedPlace> places)
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
        progress.done(Step.COUNTED, "all rows are there");
        from.commit();
    }

    /** No process may have made the undivided schema anew. */
    private void name(List<DividedPlace> places) throws SQLException {
        List<String> names = new UndividedRows(atHome(places).connection(), home).names();
        if (names.contains(schema)) {
            throw new RefusedSqlException(
                    "a process was started with the former settings, and has made a schema %s: end it, and drop that"
                            .formatted(schema));
        }
        atHome(places).commit();
        for (DividedPlace place : places) {
            place.begin();
            place.name();
            place.commit();
            progress.done(Step.NAMED, "the slots at " + place.site().place() + " have their names");
        }
    }

    private String leave(List<DividedPlace> places) throws SQLException {
        DividedPlace place = atHome(places);
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
                    for (DividedPlace place : places) {
                        place.revoke(); // from now on nobody gives names
                    }
                    if (isAnyNamed(places)) {
                        throw new RefusedSqlException(
                                "slots have their names: finish it with slots divide --finish");
                    }
                    for (DividedPlace place : places) {
                        place.drop();
                    }
                    if (undivided.stage() == Stage.DIVIDING) {
                        undivided.show();
                    }
                    from.commit();
                    return "the rows are in %s, as before".formatted(schema);
                });
    }
}
