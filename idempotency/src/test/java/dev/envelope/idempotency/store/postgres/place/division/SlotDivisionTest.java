package dev.envelope.idempotency.store.postgres.place.division;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.place.operator.DividedOperators;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.place.division.SlotDivision.Step;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Rows that were not divided are divided into four slots in two databases. */
class SlotDivisionTest extends DivisionBench {

    @Test
    void eachTableHasItsWay() {
        assertThat(DividedTable.ALL)
                .extracting(DividedTable::name)
                .containsExactlyInAnyOrderElementsOf(Migrator.tables());
    }

    @Test
    void theStoresOfTheSlotsReadEverythingBack() {
        Map<String, List<String>> before = undividedRows();
        assertThat(copy()).contains("12,005 rows copied");
        assertThat(finish()).contains("DROP SCHEMA " + schema + "_divided CASCADE");
        assertDivided(before);
        List<OperatorStore> all = new ArrayList<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            all.add(new OperatorConnections(slot(slot), System::nanoTime));
        }
        DividedOperators operators =
                new DividedOperators(() -> new DividedOperators.Slots(DIVISION, all));
        try (var keys = operators.keys();
                var parked = operators.parked();
                var requests = operators.requests();
                var pauses = operators.pauses();
                var stopped = operators.stopped()) {
            for (int slot = 0; slot < SLOTS; slot++) {
                String key = keyOf(slot);
                assertThat(keys.row(key).orElseThrow().state()).contains("\"slot\":" + slot);
                assertThat(keys.timers(key)).hasSize(1);
                assertThat(parked.messages(key, 0, 10))
                        .satisfiesExactly(
                                it -> assertThat(it.place()).endsWith("7"),
                                it -> assertThat(it.place()).endsWith("8"));
            }
            List<ParkedCatalog.Entry> everything = parked.messages(null, 0, 100);
            assertThat(everything)
                    .extracting(ParkedCatalog.Entry::position)
                    .hasSize(12)
                    .doesNotHaveDuplicates();
            assertThat(parked.messagesWithoutRow(0, 100)).hasSize(4);
            assertThat(keys.asked(keyOf(1))).hasSize(1);
            assertThat(keys.asked(keyOf(3))).isNotEmpty();
            assertThat(requests.audit(null, 100))
                    .hasSize(Objects.requireNonNull(before.get("request")).size());
            assertThat(pauses.isPaused(Kind.KEY, keyOf(3))).isTrue();
            assertThat(pauses.isPaused(Kind.PARTITION, "orders-1")).isTrue();
            assertThat(stopped.all()).hasSize(1);
        }
        operators.close();
        theRunningStoreGoesOn();
        theTablesAreAsMigrationsMakeThem();
    }

    private void theRunningStoreGoesOn() {
        List<Place> places = new ArrayList<>();
        for (String name : List.of("b", "main")) {
            SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
            for (int slot = 0; slot < SLOTS; slot++) {
                if (PLACES.get(slot).equals(name)) {
                    its.put(slot, slot(slot));
                }
            }
            places.add(PostgresStore.openPlace(name, DIVISION, its, "start"));
        }
        try (DividedStore store = new DividedStore(DIVISION, places, System::nanoTime)) {
            var bearings = store.checkpoints().read(Set.of("orders"));
            assertThat(bearings.unknown()).isEmpty();
            assertThat(bearings.sources())
                    .hasSize(SLOTS)
                    .allSatisfy(
                            it ->
                                    assertThat(it.checkpoint().offset())
                                            .isEqualTo(10L + it.number()));
            assertThat(store.shelves().stream().flatMap(it -> it.replacements().stream()))
                    .hasSize(8);
            assertThat(store.shelves().stream().mapToLong(it -> it.stops().parked(1)).sum())
                    .isEqualTo(3);
            for (int slot = 0; slot < SLOTS; slot++) {
                var slots = store.slots().get(slot);
                assertThat(slots.sources().all()).hasSize(SLOTS);
                assertThat(slots.parked().first(keyOf(slot), 10)).hasSize(2);
                assertThat(slots.frozen().of(List.of(new TopicPartition("orders", slot))))
                        .hasSize(1);
            }
            assertThat(store.home().sources().fed())
                    .hasSize(SLOTS)
                    .allSatisfy((source, fed) -> assertThat(fed).hasSize(SLOTS));
        }
        for (int slot = 0; slot < SLOTS; slot++) {
            assertThat(new Pins(slot(slot)).stored())
                    .hasEntrySatisfying(
                            "key.scope", it -> assertThat(it.value()).isEqualTo("application"))
                    .hasEntrySatisfying(
                            PinsOfSlots.COUNT, it -> assertThat(it.value()).isEqualTo("4"));
        }
        PinsOfSlots pins =
                new PinsOfSlots(
                        IntStream.range(0, SLOTS).mapToObj(it -> new Pins(slot(it))).toList());
        assertThat(pins.claim(new TreeMap<>(Map.of("key.scope", "application")))).isEmpty();
    }

    @Test
    void whatChangesBetweenTheStepsIsCopiedAgain() {
        copy();
        change();
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @Test
    void theCopyIsGoneOnWithWhereItWasEnded() {
        assertThatThrownBy(
                        () ->
                                division(
                                                new SlotDivision.Progress() {
                                                    @Override
                                                    public void done(Step step, String words) {}

                                                    @Override
                                                    public void seen(long rows) {
                                                        throw new Died();
                                                    }
                                                })
                                        .copy("tester"))
                .isInstanceOf(Died.class);
        assertThat(copy()).contains("2,005 rows copied of 12,005");
        assertThat(copy()).contains("0 rows copied");
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    @Test
    void theLastStepIsForApplicationsThatHaveEnded() throws Exception {
        AtomicBoolean ends = new AtomicBoolean();
        var process =
                CompletableFuture.runAsync(
                        () -> {
                            while (!ends.get()) {
                                main.execute(
                                        "INSERT INTO %s.instance AS i (name) VALUES ('shop-1') ON CONFLICT (name) DO UPDATE SET seen_at = now()"
                                                .formatted(schema));
                            }
                        });
        main.await("EXISTS (SELECT FROM " + schema + ".instance)");
        assertThat(division(QUIETLY).plan().waits()).singleElement().asString().contains("shop-1");
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("shop-1");
        ends.set(true);
        process.get();
        main.execute("DELETE FROM " + schema + ".instance");
        main.execute(
                "INSERT INTO %s.output (relay, lanes, topics, keys, vals, sources, offsets, epochs, ordinals, bytes) VALUES (0, '{1}', '{t}', '{k}', '{v}', '{1}', '{1}', '{1}', '{0}', 1)"
                        .formatted(schema));
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("output has 1 rows");
        assertThat(UndividedRows.stage(Objects.requireNonNull(sites.get("main"))))
                .isEqualTo(UndividedRows.Stage.UNDIVIDED);
        main.execute("DELETE FROM " + schema + ".output");
        Map<String, List<String>> before = undividedRows();
        finish();
        assertDivided(before);
    }

    /** One that nobody has thought of, in the middle of a save. */
    @Test
    void aSaveUnderWayIsWaitedForAndLaterOnesFail() throws Exception {
        copy();
        String save = "UPDATE " + schema + ".state SET version = 77 WHERE key = '" + keyOf(2) + "'";
        try (Connection session = main.connect();
                Statement statement = session.createStatement()) {
            session.setAutoCommit(false);
            statement.execute(save);
            var divider = CompletableFuture.supplyAsync(this::finish);
            main.await(
                    "EXISTS (SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted)");
            session.commit();
            divider.get();
            assertThat(
                            at(2).query(
                                            "SELECT version FROM %s.state WHERE key = '%s'"
                                                    .formatted(slot(2).schema(), keyOf(2))))
                    .isEqualTo("77");
            assertThatThrownBy(() -> statement.execute(save))
                    .extracting(it -> ((SQLException) it).getSQLState())
                    .isEqualTo("42P01");
        }
    }

    @Test
    void whatIsInTheWayIsSaidBefore() {
        assertThat(division(QUIETLY).plan().obstacles()).isEmpty();
        assertThat(division(QUIETLY).plan().slots()).hasSize(4).contains("b " + schema + "_01");
        copy();
        assertThatThrownBy(() -> division(List.of("main", "b"), QUIETLY).copy("tester"))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("of 4: the division was begun with another store.slots");
        Objects.requireNonNull(sites.get("b")).migrator(3).migrate();
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("b: there is a schema " + schema + "_03 with tables");
        b.execute("DROP SCHEMA " + schema + "_03 CASCADE");
        main.execute("CREATE SCHEMA " + schema + "_divided");
        main.execute("CREATE TABLE " + schema + "_divided.application (x int)");
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("one of them has to go");
        main.execute("DROP SCHEMA " + schema + "_divided CASCADE");
        assertThatThrownBy(() -> division(new Mortal(Step.COUNTED)).finish("tester"))
                .isInstanceOf(Died.class);
        new Migrator(undivided(), main.owner()).migrate();
        assertThatThrownBy(this::finish)
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("one of them has to go");
        main.execute("DROP SCHEMA " + schema + " CASCADE");
        finish();
    }

    /** With {@code -Ddivision.rows=1000000} it says how long that takes. */
    @Test
    void manyRowsAreCopiedBeforeTheLastStep() {
        int rows = Integer.getInteger("division.rows", 20_000);
        main.execute(
                "INSERT INTO %s.state (key, state, version, marks) SELECT 'many-' || i, json_build_object('n', i, 'text', repeat('x', 100)), 1, '1:' || i FROM generate_series(1, %d) AS i"
                        .formatted(schema, rows));
        String copied = copy();
        main.execute(
                "UPDATE %s.state SET version = 2, updated_at = now() WHERE key LIKE 'many-%%77'"
                        .formatted(schema));
        String finished = finish();
        System.out.printf("%d rows: %s%n%s%n", rows, copied, finished);
        long there = 0;
        long changed = 0;
        for (int slot = 0; slot < SLOTS; slot++) {
            String state = slot(slot).schema() + ".state WHERE key LIKE 'many-%'";
            there += Long.parseLong(at(slot).query("SELECT count(*) FROM " + state));
            changed += Long.parseLong(at(slot).query("SELECT sum(version) FROM " + state));
        }
        assertThat(there).isEqualTo(rows);
        assertThat(changed).isEqualTo(rows + rows / 100);
    }
}
