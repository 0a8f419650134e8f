package dev.envelope.idempotency.store.postgres.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryTable;
import dev.envelope.idempotency.store.postgres.Plans;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.TestServer;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.store.save.Fate;
import dev.envelope.idempotency.store.save.GroupSave;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.store.table.TableStore.Most;
import dev.envelope.idempotency.store.table.TableStore.Page;
import dev.envelope.idempotency.store.table.TableStore.Part;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A user's table: what is read of it, in which order, and what is refused. */
class PostgresTableTest {

    private static final Part ALL = new Part(0, 1);
    private static final Most PAGE = new Most(100, 1 << 20);

    private final TestServer server = TestServer.shared();
    private final PostgresSettings settings = server.newMigratedSettings();
    private final String table = settings.schema() + ".work";
    private final List<TableStore> stores = new ArrayList<>();

    @AfterEach
    void close() {
        stores.forEach(TableStore::close);
        server.execute("DROP SCHEMA " + settings.schema() + " CASCADE");
    }

    private void create(String columns) {
        server.execute("CREATE TABLE " + table + " (" + columns + ")");
        server.execute("GRANT SELECT, DELETE, UPDATE ON " + table + " TO worker");
    }

    private void createUsual() {
        create("id bigint PRIMARY KEY, key text NOT NULL, amount int");
    }

    private void insert(String values) {
        server.execute("INSERT INTO " + table + " VALUES " + values);
    }

    private TableStore store(TableSettings of) {
        TableStore store = new PostgresTableStore(settings, new TableSql(of));
        stores.add(store);
        return store;
    }

    private TableSettings usual() {
        return new TableSettings(table, "key", "id");
    }

    private TableSettings with(
            @Nullable String value, @Nullable String where, @Nullable String done) {
        return new TableSettings(table, "key", "id", value, where, null, done, null, null);
    }

    private static List<String> ids(Page page) {
        return page.rows().stream().map(TableRow::id).toList();
    }

    private static String text(TableRow row) {
        return new String(Objects.requireNonNull(row.value()), StandardCharsets.UTF_8);
    }

    @Test
    void rowsComeByKeyAndIdPageByPage() {
        createUsual();
        insert("(7, 'b', 1), (3, 'b', 2), (10, 'a', 3), (9, 'a', 4), (1, 'c', 5)");
        TableStore store = store(usual());

        Page first = store.read(ALL, null, new Most(3, 1 << 20));
        Page second = store.read(ALL, first.rows().get(2).place(), new Most(3, 1 << 20));

        assertThat(ids(first)).containsExactly("9", "10", "3");
        assertThat(first.isLast()).isFalse();
        assertThat(ids(second)).containsExactly("7", "1");
        assertThat(second.isLast()).isTrue();
        assertThat(text(first.rows().get(0))).isEqualTo("{\"id\":9,\"key\":\"a\",\"amount\":4}");
    }

    @Test
    void keysOfATypeWithALengthGoOnBehindTheLastOne() {
        create("id numeric(6, 2) PRIMARY KEY, key char(4) NOT NULL");
        insert("(1.25, 'abc'), (2.5, 'abcd'), (3, 'b')");
        TableStore store = store(usual());
        List<String> all = new ArrayList<>();
        Page page = store.read(ALL, null, new Most(1, 100));
        while (!page.rows().isEmpty() && all.size() < 9) { // it would go on for ever
            all.addAll(ids(page));
            page = store.read(ALL, page.rows().get(0).place(), new Most(1, 100));
        }

        assertThat(all).containsExactly("1.25", "2.50", "3.00");
    }

    @Test
    void aRowThatBecomesVisibleBehindOthersIsRead() throws SQLException {
        createUsual();
        TableStore store = store(usual());
        try (Connection late = server.connect();
                Statement statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute("INSERT INTO " + table + " VALUES (1, 'a', 1)");
            insert("(2, 'a', 2)");
            assertThat(ids(store.read(ALL, null, PAGE))).containsExactly("2");
            server.execute("DELETE FROM " + table + " WHERE id = 2");
            late.commit();
        }

        assertThat(ids(store.read(ALL, null, PAGE))).containsExactly("1");
    }

    @Test
    void aPageOfLargeRowsEndsEarlyAndHasOneAtLeast() {
        createUsual();
        create2("large", "id bigint PRIMARY KEY, key text NOT NULL, body text");
        server.execute(
                "INSERT INTO %s.large SELECT i, 'k' || i, repeat('x', 100000) FROM generate_series(1, 9) i"
                        .formatted(settings.schema()));
        TableStore store =
                store(
                        new TableSettings(
                                settings.schema() + ".large",
                                "key",
                                "id",
                                "body",
                                null,
                                null,
                                null,
                                null,
                                null));

        Page some = store.read(ALL, null, new Most(100, 250_000));

        assertThat(some.rows()).hasSize(3);
        assertThat(some.isLast()).isFalse();
        assertThat(store.read(ALL, null, new Most(100, 1)).rows()).hasSize(1);
    }

    private void create2(String name, String columns) {
        server.execute(
                "CREATE TABLE %1$s.%2$s (%3$s); GRANT SELECT, DELETE ON %1$s.%2$s TO worker"
                        .formatted(settings.schema(), name, columns));
    }

    @Test
    void aConditionAndAColumnSayWhatIsLeft() {
        create("id uuid PRIMARY KEY, key int NOT NULL, body bytea, kind text, taken timestamptz");
        String one = "00000000-0000-0000-0000-000000000001";
        insert(
                """
                ('%s', -7, '\\x00ff', 'order', NULL),
                ('00000000-0000-0000-0000-000000000002', 7, NULL, 'order', now()),
                ('00000000-0000-0000-0000-000000000003', 7, NULL, 'other', NULL)"""
                        .formatted(one));
        TableStore store = store(with("body", "kind = 'order' AND key % 7 = 0", "taken"));

        Page page = store.read(ALL, null, PAGE);

        assertThat(ids(page)).containsExactly(one);
        assertThat(page.rows().get(0).key()).isEqualTo("-7");
        assertThat(page.rows().get(0).value()).containsExactly(0, 0xff);
        assertThat(store.count(ALL, 10)).isEqualTo(1);
        assertThat(store.read(ALL, page.rows().get(0).place(), PAGE).rows()).isEmpty();
    }

    /** The checksum of the nine digits is the one that is published with each definition of it. */
    @Test
    void keysAreDividedByTheChecksumThatEverybodyComputes() {
        assertThat(InMemoryTable.slotOf("123456789", 1 << 30))
                .isEqualTo((int) (0xcbf43926L % (1 << 30)));
        createUsual();
        insert("(1, '123456789', 1), (2, '', 1), (3, 'größer', 1), (4, 'a', 1), (5, 'b', 1)");
        TableStore store = store(usual());
        if (!hasChecksums()) {
            assertThatThrownBy(() -> store.read(new Part(0, 3), null, PAGE))
                    .isInstanceOf(UnavailableException.class)
                    .hasMessageContaining("this server has no crc32");
            return;
        }

        List<String> found = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
            for (TableRow row : store.read(new Part(slot, 3), null, PAGE).rows()) {
                assertThat(InMemoryTable.slotOf(row.key(), 3)).as(row.key()).isEqualTo(slot);
                found.add(row.id());
            }
            assertThat(store.count(new Part(slot, 3), 10)).isLessThan(5);
        }
        assertThat(found).containsExactlyInAnyOrder("1", "2", "3", "4", "5");
    }

    private boolean hasChecksums() {
        return Integer.parseInt(server.query("SELECT current_setting('server_version_num')"))
                >= 180_000;
    }

    @Test
    void numbersAreDividedByThemselvesAndNoneIsLeftOut() {
        create("id bigint PRIMARY KEY, key int NOT NULL");
        insert("(1, -1), (2, 0), (3, 1), (4, -4), (5, 2147483647), (6, -2147483648)");
        TableStore store = store(usual());

        List<String> found = new ArrayList<>();
        for (int slot = 0; slot < 4; slot++) {
            found.addAll(ids(store.read(new Part(slot, 4), null, PAGE)));
        }

        assertThat(found).containsExactlyInAnyOrder("1", "2", "3", "4", "5", "6");
        assertThat(ids(store.read(new Part(3, 4), null, PAGE))).contains("1", "5");
    }

    @Test
    void numbersOfRowsGrow() {
        createUsual();

        long first = store(usual()).numbers();

        assertThat(store(usual()).numbers()).isEqualTo(first + TableStore.NUMBERS);
    }

    @Test
    void aNotificationEndsTheWait() throws SQLException {
        createUsual();
        TableStore store =
                store(
                        new TableSettings(
                                table, "key", "id", null, null, null, null, null, "News of work"));
        assertThat(store.await(Duration.ofMillis(1))).isFalse();
        long begun = System.nanoTime();
        server.execute("NOTIFY \"News of work\"");

        assertThat(store.await(Duration.ofSeconds(30))).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(20));
        assertThat(store(usual()).await(Duration.ofSeconds(30))).isFalse();
    }

    @Test
    void noPageReadsTheWholeTable() throws SQLException {
        createUsual();
        server.execute("CREATE INDEX work_order ON " + table + " (key, id)");
        server.execute(
                "INSERT INTO %s SELECT i, 'k' || i %% 9000, 1 FROM generate_series(1, 100000) i"
                        .formatted(table));
        server.execute("ANALYZE " + table);
        TableStore store = store(usual());
        store.read(ALL, null, PAGE);
        TableSql sql = new TableSql(usual());
        sql.found(new TableSql.Shape("text", "bigint", false, "length(t.key)"));
        try (Connection connection =
                new Connector(settings, Duration.ofSeconds(1)).getConnection()) {
            for (int slots : List.of(1, 4)) {
                for (boolean isFirst : List.of(true, false)) {
                    assertThat(Plans.of(connection, sql.page(0, slots, isFirst)))
                            .contains("Index Scan using work_order on work t")
                            .doesNotContain("Seq Scan", "Sort");
                }
            }
            assertThat(Plans.of(connection, sql.waiting())).contains("using work_pkey on work t");
        }
    }

    /** Two processes have read it, and the checkpoint is past its number for one of them. */
    @Test
    void aRowWithoutAStateIsParkedByTheOneThatDoesIt() {
        createUsual();
        insert("(1, 'a', 1)");
        try (PostgresStore store = PostgresStore.open(settings, "here", usual())) {
            store(usual()).read(ALL, null, PAGE);
            Objects.requireNonNull(store.table().orElseThrow().read(ALL, null, PAGE));
            TopicPartition partition = new TopicPartition(usual().source(), 0);
            Checkpoints.Bearings bearings =
                    store.checkpoints()
                            .introduce(
                                    List.of(
                                            new Checkpoints.NewSource(
                                                    partition,
                                                    usual().sourceId(),
                                                    new NextOffset(0, NextOffset.NO_EPOCH))));
            int source = bearings.sources().get(0).number();
            store.checkpoints()
                    .save(
                            Map.of(source, new NextOffset(10, NextOffset.NO_EPOCH)),
                            bearings.incarnation());
            PartitionEpoch epoch = new PartitionEpoch(1, partition, source, bearings.incarnation());
            assertThat(store.states().waiting(List.of("1", "2"), bearings.incarnation()))
                    .containsExactly("1");

            for (long offset : List.of(5L, 7L)) {
                Message message = Message.withoutRow(epoch, 0, "too long", record(offset));
                ParkedMessage parked = new ParkedMessage(message, null, "key", "too long", 1);
                store.states()
                        .save(
                                List.of(
                                        Change.ofMessagesWithoutRow(
                                                Message.NO_ROW,
                                                List.of(parked),
                                                List.of(),
                                                List.of("1"))),
                                StateStore.Patience.WAIT,
                                bearings.incarnation());
            }
            assertThat(store.states().waiting(List.of("1"), bearings.incarnation())).isEmpty();
        }
        assertThat(
                        server.query(
                                "SELECT string_agg(record_offset::text, ',') FROM %s.parked"
                                        .formatted(settings.schema())))
                .isEqualTo("5");
    }

    /** Otherwise the row would have its effect again and again. */
    @Test
    void whereATriggerKeepsARowItsChangeIsNotSaved() {
        createUsual();
        insert("(1, 'a', 1), (2, 'b', 1)");
        server.execute(
                "CREATE FUNCTION %1$s.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;"
                                .formatted(settings.schema())
                        + "CREATE TRIGGER keep BEFORE DELETE ON %s FOR EACH ROW WHEN (OLD.id = 1) EXECUTE FUNCTION %s.keep()"
                                .formatted(table, settings.schema()));
        try (PostgresStore store = PostgresStore.open(settings, "here", usual())) {
            store.table().orElseThrow().read(ALL, null, PAGE);
            Incarnation life = store.checkpoints().incarnation();
            List<Change> both = List.of(doing("a", "1"), doing("b", "2"));
            for (StateStore.Patience patience : StateStore.Patience.values()) {
                assertThatThrownBy(() -> store.states().save(both, patience, life))
                        .isInstanceOf(StoreException.RowFault.class)
                        .hasMessageContaining("of 2 rows of")
                        .hasMessageContaining("1 can't be done");
            }
            assertThat(store.states().load(List.of("a", "b"), life)).isEmpty();

            assertThat(new GroupSave(store.states()).save(both, life))
                    .satisfiesExactly(
                            its -> assertThat(its).isInstanceOf(Fate.Faulty.class),
                            its -> assertThat(its).isEqualTo(Fate.Saved.SAVED));
            server.execute("DROP TRIGGER keep ON " + table);
            assertThat(store.states().save(both.subList(0, 1), StateStore.Patience.WAIT, life))
                    .containsExactly(true);
            assertThat(store.states().waiting(List.of("1", "2"), life)).isEmpty();
        }
    }

    @Test
    void aRowThatIsGoneSinceItWasLookedForIsSeenByTheNextTry() {
        createUsual();
        try (PostgresStore store = PostgresStore.open(settings, "here", usual())) {
            store.table().orElseThrow().read(ALL, null, PAGE);
            Incarnation life = store.checkpoints().incarnation();
            for (StateStore.Patience patience : StateStore.Patience.values()) {
                assertThatThrownBy(
                                () -> store.states().save(List.of(doing("a", "1")), patience, life))
                        .isInstanceOf(UnavailableException.class)
                        .hasMessageContaining("only 0 are still there");
            }
            assertThat(store.states().load(List.of("a"), life)).isEmpty();
        }
    }

    @Test
    void aRowThatSomebodyHasLockedHoldsUpItsKeyAlone() throws SQLException {
        createUsual();
        insert("(1, 'a', 1), (2, 'b', 1)");
        try (PostgresStore store = PostgresStore.open(settings, "here", usual());
                Connection other = server.connect();
                Statement statement = other.createStatement()) {
            store.table().orElseThrow().read(ALL, null, PAGE);
            Incarnation life = store.checkpoints().incarnation();
            other.setAutoCommit(false);
            statement.execute("SELECT FROM " + table + " WHERE id = 1 FOR UPDATE");
            List<Change> both = List.of(doing("a", "1"), doing("b", "2"));

            assertThatThrownBy(() -> store.states().save(both, StateStore.Patience.WAIT, life))
                    .isInstanceOf(StoreException.RowLocked.class);
            assertThat(store.states().save(both, StateStore.Patience.SKIP, life))
                    .containsExactly(false, true);
            assertThat(store.states().waiting(List.of("1", "2"), life)).containsExactly("1");
        }
    }

    private static Change doing(String key, String row) {
        return new Change(
                key,
                0,
                "1".getBytes(StandardCharsets.UTF_8),
                Marks.NONE,
                null,
                0,
                Change.Beside.of(List.of(), List.of(), HandlerEffects.NONE, List.of(row)));
    }

    @Test
    void aStartSaysWhatIsWrongWithTheTableInItsOwnWords() {
        createUsual();
        assertThat(problems(with("amount", null, null)))
                .contains("the column amount is no value of a message");
        assertThat(problems(with(null, "amuont > 3", null)))
                .contains("look at table.where", "amuont");
        assertThat(problems(usual())).isEmpty();
        server.execute(
                "CREATE TABLE %s.child (work bigint REFERENCES %s)"
                        .formatted(settings.schema(), table));
        assertThat(problems(usual())).contains("can't be deleted while", "child refers to them");
    }

    private String problems(TableSettings of) {
        return new TablePreflight(settings, of, 1)
                .problems().stream()
                        .map(it -> it.cure() + " " + it.sentence())
                        .collect(Collectors.joining("; "));
    }

    private ConsumerRecord<byte @Nullable [], byte @Nullable []> record(long offset) {
        return new ConsumerRecord<>(
                usual().source(),
                0,
                offset,
                0,
                TimestampType.CREATE_TIME,
                1,
                1,
                new byte[] {'a'},
                new byte[] {'x'},
                new RecordHeaders(List.of(new RecordHeader(TableRow.ID, new byte[] {'1'}))),
                Optional.empty());
    }

    private void assertRefused(TableSettings of, String... words) {
        assertThatThrownBy(() -> store(of).read(ALL, null, PAGE))
                .isInstanceOf(UnavailableException.class)
                .message()
                .contains(words);
    }

    @Test
    void whatCantBeReadIsRefusedWithTheCure() {
        assertRefused(usual(), "there is no table", "table.name");
        create("id bigint, key text, amount int, late date");
        assertRefused(
                new TableSettings(table, "nokey", "id"), "has no column nokey", "amount, id, key");
        assertRefused(usual(), "ALTER key SET NOT NULL", "the column id does not name a row");
        assertRefused(with(null, null, "late"), "can't say that a row is done");
        server.execute("REVOKE ALL ON " + table + " FROM worker");
        assertRefused(usual(), "GRANT SELECT, DELETE ON", "TO worker");
        assertRefused(with(null, null, "late"), "GRANT SELECT, UPDATE (late) ON");
    }
}
