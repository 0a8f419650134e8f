package dev.envelope.idempotency.store.postgres.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.place.SlotMove.Step;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/** Moves of one slot between two databases. */
class SlotMoveTest {

    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int SLOT = 3;
    private static final int ROWS = Integer.getInteger("moves.rows", 1_000);

    private static final TestServer SERVER = TestServer.shared();
    private static final List<String> MADE = new ArrayList<>(); // databases
    private final String schema = "mv" + NUMBERS.incrementAndGet();
    private final String slot = schema + "_03";
    private final Map<String, SlotSite> sites = new LinkedHashMap<>();
    private final TestServer main = database("main");
    private final TestServer b = database("b");

    /** One of the shared server, with the same roles; all tests have it, each with a schema. */
    private TestServer database(String name) {
        String database = "moves_" + name;
        if (!MADE.contains(database)) {
            SERVER.execute("CREATE DATABASE " + database);
            MADE.add(database);
        }
        String url = SERVER.url().replaceFirst("/[^/]*$", "/" + database);
        TestServer its = TestServer.at(url, "postgres", "");
        sites.put(name, new SlotSite(name, its.settings(schema, "worker"), its.owner()));
        return its;
    }

    private SlotSite site(String place) {
        return Objects.requireNonNull(sites.get(place));
    }

    @BeforeEach
    void aSlotWithRows() {
        site("main").migrator(SLOT).migrate();
        main.execute(
                """
                INSERT INTO %1$s.source (topic, partition, topic_id, start_offset, start_epoch)
                SELECT 't', p, gen_random_uuid(), 0, 0 FROM generate_series(0, 4) AS p;
                INSERT INTO %1$s.checkpoint (source, next_offset, leader_epoch)
                SELECT number, 100 + number, 0 FROM %1$s.source;
                INSERT INTO %1$s.state (key, state, version, marks, ids)
                SELECT 'key-' || i, json_build_object('i', i), i, '1:' || i, decode('00ff', 'hex')
                FROM generate_series(1, %2$d) AS i;
                INSERT INTO %1$s.parked (row_key, source, record_offset, leader_epoch, record_timestamp,
                    key, value, headers, reason, error, attempts, instance)
                SELECT 'key-1', 1, i, 0, 0, 'k', NULL, '[]', 'r', 'e', 1, 'me' FROM generate_series(1, 7) AS i;
                SELECT nextval('%1$s.output_position') FROM generate_series(1, 9);
                """
                        .formatted(slot, ROWS));
    }

    @AfterAll
    static void dropDatabases() {
        MADE.forEach(it -> SERVER.execute("DROP DATABASE " + it + " WITH (FORCE)"));
        MADE.clear();
    }

    /** A mover who dies where the test wants it. */
    private record Mortal(Step at) implements SlotMove.Progress {

        @Override
        public void done(Step step, String words) {
            if (step == at) {
                throw new Died();
            }
        }
    }

    private static final class Died extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static final SlotMove.Progress QUIETLY = (step, words) -> {};

    private SlotMove move(SlotMove.Progress progress) {
        return new SlotMove(
                sites, SLOT, InstantSource.system(), () -> UUID.randomUUID().toString(), progress);
    }

    private String run() {
        return move(QUIETLY).run("b", "tester");
    }

    private void assertIsAt(TestServer there, TestServer elsewhere) {
        assertThat(there.query("SELECT count(*) FROM " + slot + ".state")).isEqualTo("" + ROWS);
        assertThat(elsewhere.query("SELECT to_regclass('" + slot + ".state') IS NULL"))
                .isEqualTo("t");
    }

    @Test
    void allRowsAndNumbersAreAtTheNewPlaceAndTheOldCopyIsKept() {
        String before = digest(main);
        String answer = run();
        System.out.println("moves: " + answer);
        assertThat(answer).contains("slot 3 is at b now", "DROP SCHEMA " + slot + "_moved_");
        assertIsAt(b, main);
        assertThat(digest(b)).isEqualTo(before);
        assertThat(b.query("SELECT nextval('" + slot + ".output_position')")).isEqualTo("10");
        assertThat(
                        b.query(
                                "INSERT INTO %s.source (topic, partition, topic_id, start_offset, start_epoch) VALUES ('u', 0, gen_random_uuid(), 0, 0) RETURNING number"
                                        .formatted(slot)))
                .isEqualTo("6");
        assertThat(
                        main.query(
                                "SELECT count(*) FROM pg_namespace WHERE nspname LIKE '"
                                        + slot
                                        + "_moved_%'"))
                .isEqualTo("1");
        assertThat(run()).isEqualTo("slot 3 is at b already");
    }

    private String digest(TestServer at) {
        StringBuilder digest = new StringBuilder();
        for (String table :
                new String[] {
                    "application", "source", "checkpoint", "state", "parked", "relay", "purge"
                }) {
            digest.append(
                    at.query(
                            "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM %s.%s AS t"
                                    .formatted(slot, table)));
        }
        return digest.toString();
    }

    @Test
    void itComesBackByAnotherMove() {
        String before = digest(main);
        for (int times = 0; times < 3; times++) {
            run();
            move(QUIETLY).run("main", "tester");
        }
        assertIsAt(main, b);
        assertThat(digest(main)).isEqualTo(before);
    }

    /** Otherwise a start would be refused, since the slot is at none of them, or at both. */
    @ParameterizedTest
    @ValueSource(strings = {"main", "b"})
    void whoLooksWhileItIsMovedSeesItAtOnePlace(String first) {
        List<SlotSite> looked = new ArrayList<>(List.of(site(first)));
        sites.values().stream().filter(it -> !it.place().equals(first)).forEach(looked::add);
        Collection<SlotSite> moved =
                new AbstractList<>() {
                    @Override
                    public SlotSite get(int place) {
                        if (place == 1
                                && SlotSearch.of(List.of(site("main"))).moved(SLOT).isEmpty()) {
                            run();
                        }
                        return looked.get(place);
                    }

                    @Override
                    public int size() {
                        return looked.size();
                    }
                };

        SlotSearch seen = SlotSearch.ofThoseThatAnswer(moved);

        assertThat(seen.placesOf(SLOT, "")).containsExactly("b");
        assertThat(seen.moved(SLOT)).map(SlotSearch.Moving::from).contains("main");
    }

    @ParameterizedTest
    @EnumSource(Step.class)
    void whoeverCallsItAgainGoesOnWhereAMoverDied(Step at) {
        String before = digest(main);
        assertThatThrownBy(() -> move(new Mortal(at)).run("b", "tester")).isInstanceOf(Died.class);
        run();
        assertIsAt(b, main);
        assertThat(digest(b)).isEqualTo(before);
        assertThat(SlotSearch.of(sites.values()).moving(SLOT)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"RENAMED", "QUIET", "COPIED"})
    void aMoveThatIsNotDoneIsTakenBack(Step at) {
        String before = digest(main);
        assertThatThrownBy(() -> move(new Mortal(at)).run("b", "tester")).isInstanceOf(Died.class);
        assertThat(move(QUIETLY).abandon()).isEqualTo("slot 3 is at main, as before");
        assertIsAt(main, b);
        assertThat(digest(main)).isEqualTo(before);
        run();
        assertIsAt(b, main);
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(
            value = Step.class,
            names = {"RENAMED", "COPIED", "COMMITTED", "DONE"})
    void whatTheNewPlaceHasLostIsMovedOnceMoreFromTheCopyThatWasLeft(Step at) {
        String before = digest(main);
        run();
        b.execute("DROP SCHEMA " + slot + " CASCADE"); // as after a fail-over
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("--again");
        assertThat(move(QUIETLY).planAgain("b").obstacles()).isEmpty();
        assertThatThrownBy(() -> move(new Mortal(at)).again("b", "tester"))
                .isInstanceOf(Died.class);
        if (at == Step.DONE) {
            assertThatThrownBy(() -> move(QUIETLY).again("b", "tester"))
                    .hasMessageContaining("no place has lost it");
        } else {
            move(QUIETLY).again("b", "tester");
        }
        assertIsAt(b, main);
        assertThat(digest(b)).isEqualTo(before);
    }

    /** What has come since the first move is not in the copy. */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(
            value = Step.class,
            names = {"RENAMED", "COPIED"})
    void aMoveFromTheCopyThatIsTakenBackLeavesTheCopyUnused(Step at) {
        run();
        b.execute("DROP SCHEMA " + slot + " CASCADE");
        assertThatThrownBy(() -> move(new Mortal(at)).again("b", "tester"))
                .isInstanceOf(Died.class);

        assertThat(move(QUIETLY).abandon()).isEqualTo("slot 3 is at no place, as before");

        assertThat(SlotSearch.of(sites.values()).placesOf(SLOT, "")).isEmpty();
        move(QUIETLY).again("b", "tester");
        assertIsAt(b, main);
    }

    @Test
    void whoeverUsesASlotSeesThatItsPlaceHasLostIt() {
        run();
        try (Database database = new Database(site("b").of(SLOT))) {
            PostgresSlotWatch watch =
                    new PostgresSlotWatch(database, "b", schema, List.of(SLOT), sites);
            assertThat(watch.look()).isEmpty();

            b.execute("DROP SCHEMA " + slot + " CASCADE");
            assertThat(watch.look())
                    .singleElement()
                    .satisfies(
                            it -> {
                                assertThat(it.reason()).isEqualTo(SlotWatch.Reason.GONE);
                                assertThat(it.why()).contains("slots move 3 --to b --again");
                            });

            move(QUIETLY).again("b", "tester");
            assertIsAway(watch, SlotWatch.Reason.ELSEWHERE); // another schema of that name
        }
    }

    @Test
    void aSlotThatWasMovedThereAndBackAndIsLostIsGoneThoughAnOldCopySaysThatItWasMoved() {
        run();
        move(QUIETLY).run("main", "tester");
        run();
        main.execute("DROP SCHEMA IF EXISTS " + slot + " CASCADE");
        b.execute("DROP SCHEMA " + slot + " CASCADE"); // its copy from the move back is there
        try (Database database = new Database(site("b").of(SLOT))) {
            PostgresSlotWatch watch =
                    new PostgresSlotWatch(database, "b", schema, List.of(SLOT), sites);
            assertIsAway(watch, SlotWatch.Reason.GONE);

            assertThatThrownBy(() -> move(new Mortal(Step.RENAMED)).again("b", "tester"))
                    .isInstanceOf(Died.class);
            assertIsAway(watch, SlotWatch.Reason.MOVES);

            move(QUIETLY).abandon();
            assertIsAway(watch, SlotWatch.Reason.GONE);
        }
    }

    private static void assertIsAway(PostgresSlotWatch watch, SlotWatch.Reason reason) {
        assertThat(watch.look())
                .singleElement()
                .extracting(SlotWatch.Away::reason)
                .isEqualTo(reason);
    }

    @Test
    void whatIsLostAtTheOldPlaceIsNotMovedOnceMore() {
        assertThatThrownBy(() -> move(QUIETLY).again("b", "tester"))
                .hasMessageContaining("slot 3 is at main: no place has lost it");
        run();
        b.execute("DROP SCHEMA " + slot + " CASCADE");
        assertThatThrownBy(() -> move(QUIETLY).again("main", "tester"))
                .hasMessageContaining("if that has gone for good, give the newest schema");
    }

    @Test
    void whoComesLateTakesNoCopyThatALaterMoveHasLeft() throws Exception {
        run();
        b.execute("DROP SCHEMA " + slot + " CASCADE");
        try (Connection old = site("main").open()) {
            MoveNote seen =
                    Objects.requireNonNull(
                            SlotSchemas.read(old, schema)
                                    .getOrDefault(SLOT, SlotSchemas.Here.NOTHING)
                                    .moved());
            old.commit();
            move(QUIETLY).again("b", "faster");
            assertThatThrownBy(
                            () ->
                                    new OldPlace(old, site("main"), SLOT)
                                            .takeAgain(seen.token(), seen))
                    .hasMessageContaining("somebody else has moved slot 3 meanwhile");
        }
        assertIsAt(b, main);
    }

    @Test
    void aMoveWhoseRowsAreThereIsNotTakenBack() {
        assertThatThrownBy(() -> move(new Mortal(Step.COMMITTED)).run("b", "tester"))
                .isInstanceOf(Died.class);
        assertThatThrownBy(() -> move(QUIETLY).abandon())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("slots move 3 --to b");
        run();
        assertThatThrownBy(() -> move(QUIETLY).abandon())
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is not being moved");
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"RENAMED", "QUIET", "COPIED"})
    void aCopierWhoThawsAfterTheMoveWasTakenBackCommitsNothing(Step at) throws Exception {
        Sleeper<Step> sleeper = new Sleeper<>(at);
        var copier =
                CompletableFuture.supplyAsync(
                        () -> move((step, words) -> sleeper.done(step)).run("b", "sleeper"));
        sleeper.awaitSleep();
        move(QUIETLY).abandon();
        main.execute("UPDATE " + slot + ".state SET version = 77 WHERE key = 'key-1'");
        sleeper.wake();
        assertThatThrownBy(copier::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(UnavailableException.class);
        assertIsAt(main, b);
        assertThat(SlotSearch.of(sites.values()).moving(SLOT)).isEmpty();
    }

    @Test
    void ofTwoMoversOneCopiesAndTheOtherFindsThat() throws Exception {
        Sleeper<Step> sleeper = new Sleeper<>(Step.COPIED);
        var first =
                CompletableFuture.supplyAsync(
                        () -> move((step, words) -> sleeper.done(step)).run("b", "first"));
        sleeper.awaitSleep();
        assertThatThrownBy(() -> run())
                .isInstanceOf(UnavailableException.class)
                .hasMessageContaining("somebody else copies slot 3");
        assertThatThrownBy(() -> move(QUIETLY).run("main", "third"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is being moved from main to b");
        sleeper.wake();
        assertThat(first.get()).contains("slot 3 is at b now");
        assertThat(run()).isEqualTo("slot 3 is at b already");
        assertIsAt(b, main);
    }

    @Test
    void whoPlannedBeforeAnotherBeganToAnotherPlaceGoesOnWithThatOneNowhere() {
        database("c");
        AtomicInteger looks = new AtomicInteger();
        Map<String, SlotSite> seen =
                new LinkedHashMap<>(sites) {

                    private static final long serialVersionUID = 1L;

                    @Override
                    public Collection<SlotSite> values() {
                        if (looks.incrementAndGet() == 2) { // the plan is made
                            assertThatThrownBy(() -> move(new Mortal(Step.RENAMED)).run("b", "he"))
                                    .isInstanceOf(Died.class);
                        }
                        return super.values();
                    }
                };
        SlotMove late = new SlotMove(seen, SLOT, InstantSource.system(), () -> "late", QUIETLY);

        assertThatThrownBy(() -> late.run("c", "she"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("is being moved from main to b");

        assertThat(looks).hasValueGreaterThan(1);
        assertThat(run()).contains("slot 3 is at b now");
        assertIsAt(b, main);
    }

    /** What a process that was suspended holds: a session with plans, in or out of transactions. */
    private static PreparedStatement zombie(Connection session, String slot) throws SQLException {
        try (Statement set = session.createStatement()) {
            set.execute("SET plan_cache_mode = force_generic_plan");
        }
        PreparedStatement save =
                session.prepareStatement(
                        "UPDATE " + slot + ".state SET version = version + 1 WHERE key = ?");
        save.unwrap(org.postgresql.PGStatement.class).setPrepareThreshold(1);
        save.setString(1, "key-2");
        save.executeUpdate();
        save.executeUpdate(); // by its plan
        return save;
    }

    @Test
    void whoIsInATransactionIsWaitedForAndSavesNothingAfterIt() throws Exception {
        try (Connection session = main.connect();
                PreparedStatement save = zombie(session, slot)) {
            session.setAutoCommit(false);
            save.executeUpdate();
            var mover = CompletableFuture.supplyAsync(this::run);
            main.await(
                    "EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted)");
            save.executeUpdate(); // it has the lock already, and nobody has read it yet
            session.commit();
            mover.get();
            assertThat(b.query("SELECT version FROM " + slot + ".state WHERE key = 'key-2'"))
                    .isEqualTo("6");
            assertThatThrownBy(save::executeUpdate)
                    .isInstanceOf(SQLException.class)
                    .extracting(it -> ((SQLException) it).getSQLState())
                    .isEqualTo("42P01");
        }
    }

    @Test
    void aPlanThatWasMadeBeforeIsNotUsedAfterTheMove() throws Exception {
        try (Connection session = main.connect();
                PreparedStatement save = zombie(session, slot)) {
            assertThatThrownBy(() -> move(new Mortal(Step.RENAMED)).run("b", "tester"))
                    .isInstanceOf(Died.class);
            assertThatThrownBy(save::executeUpdate)
                    .extracting(it -> ((SQLException) it).getSQLState())
                    .isEqualTo("42P01");
            assertThat(session.unwrap(PGConnection.class).getBackendPID()).isPositive();
        }
    }

    @Test
    void tablesOfAnotherVersionAreNotMoved() {
        main.execute("UPDATE " + slot + ".application SET tables_version = tables_version + 1");
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("version");
        main.execute("UPDATE " + slot + ".application SET tables_version = tables_version - 2");
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("run envelope migrate");
        main.execute("UPDATE " + slot + ".application SET tables_version = tables_version + 1");
        assertIsAt(main, b);
    }

    @Test
    void aTargetWithTablesIsLeftAlone() {
        site("b").migrator(SLOT).migrate();
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("slot 3 is at main and at b");
        b.execute("DROP SCHEMA " + slot + " CASCADE; CREATE SCHEMA " + slot);
        b.execute("CREATE TABLE " + slot + ".own (x int)");
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("with tables (own)");
        b.execute("DROP TABLE " + slot + ".own");
        run();
        assertIsAt(b, main);
    }

    @Test
    void aTargetWithCitusIsRefusedBeforeAnythingIsRenamed() {
        TestServer citus = database("citus");
        citus.execute(
                "SET allow_system_table_mods = on;"
                        + " CREATE TABLE IF NOT EXISTS pg_catalog.pg_dist_schema (schemaid oid)");
        assertThatThrownBy(() -> move(QUIETLY).run("citus", "tester"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("citus: slots are not moved into a database with Citus");
        assertIsAt(main, citus);
    }

    @Test
    void tablesOfOnesOwnAreNotLeftBehindInSilence() {
        main.execute("CREATE TABLE " + slot + ".own (x int)");
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("not ours")
                .hasMessageContaining("own");
        assertIsAt(main, b);
    }

    @Test
    void aPlanSaysWhatWouldBeDone() {
        main.execute("ANALYZE " + slot + ".state");
        MovePlan plan = move(QUIETLY).plan("b");
        assertThat(plan.from()).isEqualTo("main");
        assertThat(plan.rows()).isGreaterThanOrEqualTo(ROWS);
        assertThat(plan.bytes()).isPositive();
        assertThat(plan.obstacles()).isEmpty();
        assertThat(plan.servers()).hasSize(2);
        assertIsAt(main, b);
    }

    @Test
    void thereMustBeSuchASlotAndSuchAPlace() {
        assertThatThrownBy(() -> move(QUIETLY).run("c", "tester"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("store.place.c");
        main.execute("DROP SCHEMA " + slot + " CASCADE");
        assertThatThrownBy(this::run)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("slot 3 is at no place");
    }

    @Test
    void theWorkerMayWriteAtTheNewPlace() throws Exception {
        run();
        PostgresSettings settings = site("b").of(SLOT);
        try (Connection worker =
                        java.sql.DriverManager.getConnection(settings.url(), "worker", "worker");
                Statement statement = worker.createStatement()) {
            assertThat(statement.executeUpdate("UPDATE " + slot + ".state SET version = 1"))
                    .isEqualTo(ROWS);
        }
    }
}
