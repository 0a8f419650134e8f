package dev.envelope.idempotency.store.postgres;

import dev.envelope.core.key.Division;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.PartitionStops;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.store.directory.DirectoryStore;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.parked.FrozenStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.place.SlotWatch;
import dev.envelope.idempotency.store.postgres.directory.PostgresDirectory;
import dev.envelope.idempotency.store.postgres.output.PostgresOutputStore;
import dev.envelope.idempotency.store.postgres.output.RelayNumber;
import dev.envelope.idempotency.store.postgres.place.PostgresSlotWatch;
import dev.envelope.idempotency.store.postgres.place.PostgresSourceCopies;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.reply.PostgresReplyStore;
import dev.envelope.idempotency.store.postgres.slot.PostgresSlotSessions;
import dev.envelope.idempotency.store.postgres.sql.Database;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.sql.TableSql;
import dev.envelope.idempotency.store.postgres.sql.Tables;
import dev.envelope.idempotency.store.postgres.table.PostgresTableStore;
import dev.envelope.idempotency.store.postgres.timer.PostgresTimerStore;
import dev.envelope.idempotency.store.reply.ReplyStore;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.slot.SlotSessions;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The store in Postgres. It can be opened before the database can be reached.
 *
 * <p>Threads: thread-safe (the pools are).
 */
public final class PostgresStore implements Store {

    private final PostgresSettings settings;
    private final String owner; // of leases
    private final Database database;
    private final Tables tables;
    private final SaveTarget target;
    private final StateStore states;
    private final Checkpoints checkpoints;
    private final SourceCopies sources;
    private final ParkedStore parked;
    private final RequestStore requests;
    private final FrozenStore frozen;
    private final OutboxStore outbox;
    private final OutputStore outputs;
    private final TimerStore timers;
    private final RowReads reads;
    private final ReplyStore replies;
    private final DirectoryStore directory;
    private final CrashStore crashes;
    private final PartitionStops stops;
    private final Optional<TableStore> table;

    private PostgresStore(
            PostgresSettings settings, String startId, Database database, @Nullable TableSql rows) {
        this.settings = settings;
        this.owner = settings.instance() + "/" + startId;
        this.database = database;
        RelayNumber relay = new RelayNumber();
        this.table = Optional.ofNullable(rows).map(it -> new PostgresTableStore(settings, it));
        this.target = new SaveTarget(settings, relay, rows);
        this.states = new PostgresStateStore(database, SaveTargets.of(target), System::nanoTime);
        this.tables = new Tables(database, database.background(), settings);
        this.checkpoints = new PostgresCheckpoints(tables, settings);
        this.sources = new PostgresSourceCopies(tables, settings);
        this.parked = new PostgresParkedStore(tables, relay, owner);
        this.requests = new PostgresRequestStore(tables, settings.instance(), startId, owner);
        this.frozen = new PostgresFrozenStore(tables, settings.schema());
        this.outbox = new PostgresOutboxStore(tables, owner);
        this.outputs =
                new PostgresOutputStore(
                        new Tables(database, database.outputs(), settings),
                        settings.instance(),
                        startId,
                        relay);
        this.timers = new PostgresTimerStore(tables, relay);
        Tables callers = new Tables(database, database.callers(), settings);
        this.reads = new PostgresRowReads(callers);
        this.replies = new PostgresReplyStore(callers, tables);
        this.directory = new PostgresDirectory(tables, settings.instance(), startId);
        this.crashes = new PostgresCrashStore(tables, settings.instance());
        this.stops = new PostgresPartitionStops(tables, settings.instance());
    }

    /** Opens the pools, which connect in the background. */
    public static PostgresStore open(PostgresSettings settings) {
        return open(settings, UUID.randomUUID().toString());
    }

    /**
     * The same for a process that has {@linkplain InstanceName claimed} its name.
     *
     * @param startId an id that is unique for this start of the process; leases are taken under it
     */
    public static PostgresStore open(PostgresSettings settings, String startId) {
        return open(settings, startId, null);
    }

    /**
     * The same where the rows of a table are messages.
     *
     * @param table in this database; null if topics are read
     */
    public static PostgresStore open(
            PostgresSettings settings, String startId, @Nullable TableSettings table) {
        return new PostgresStore(settings, startId, new Database(settings), sql(table));
    }

    /** Opens the stores of slots that never move. */
    public static Place openPlace(
            String name,
            Division division,
            SortedMap<Integer, PostgresSettings> slots,
            String startId) {
        return openPlace(name, division, slots, startId, Map.of(), null);
    }

    /**
     * Opens the stores of all slots that one server has. They share connections, and transactions
     * of saves.
     *
     * @param slots the settings of each slot, by its number; they differ in the schema alone
     * @param sites where slots may be moved to, by the names of the places
     * @param table in this database, whose rows are messages; null if topics are read
     */
    public static Place openPlace(
            String name,
            Division division,
            SortedMap<Integer, PostgresSettings> slots,
            String startId,
            Map<String, SlotSite> sites,
            @Nullable TableSettings table) {
        Database shared = new Database(slots.values().iterator().next());
        @Nullable TableSql rows = sql(table);
        List<@Nullable SaveTarget> targets =
                new ArrayList<>(Collections.nCopies(division.slots(), null));
        SortedMap<Integer, Store> stores = new TreeMap<>();
        slots.forEach(
                (slot, settings) -> {
                    PostgresStore store = new PostgresStore(settings, startId, shared, rows);
                    targets.set(slot, store.target);
                    stores.put(slot, store);
                });
        SaveTargets all = new SaveTargets(division, targets);
        @Nullable SlotSite site = sites.get(name);
        return new Place(
                name,
                new PostgresStateStore(shared, all, System::nanoTime),
                stores,
                site == null
                        ? SlotWatch.NONE
                        : new PostgresSlotWatch(
                                shared,
                                name,
                                site.settings().schema(),
                                List.copyOf(slots.keySet()),
                                sites));
    }

    private static @Nullable TableSql sql(@Nullable TableSettings table) {
        return table == null ? null : new TableSql(table);
    }

    @Override
    public StateStore states() {
        return states;
    }

    @Override
    public Checkpoints checkpoints() {
        return checkpoints;
    }

    @Override
    public SourceCopies sources() {
        return sources;
    }

    @Override
    public ParkedStore parked() {
        return parked;
    }

    @Override
    public RequestStore requests() {
        return requests;
    }

    @Override
    public FrozenStore frozen() {
        return frozen;
    }

    @Override
    public OutboxStore outbox() {
        return outbox;
    }

    @Override
    public OutputStore outputs() {
        return outputs;
    }

    @Override
    public TimerStore timers() {
        return timers;
    }

    @Override
    public RowReads reads() {
        return reads;
    }

    @Override
    public ReplyStore replies() {
        return replies;
    }

    @Override
    public DirectoryStore directory() {
        return directory;
    }

    @Override
    public DeletedKeys deletedKeys(Duration retention, Duration auditRetention) {
        return new DeletedRows(tables, settings, owner, retention, auditRetention);
    }

    @Override
    public SlotSessions slots(Duration timeout) {
        return new PostgresSlotSessions(
                settings, timeout, table.map(TableStore::settings).orElse(null));
    }

    @Override
    public Optional<TableStore> table() {
        return table;
    }

    @Override
    public PartitionStops stops() {
        return stops;
    }

    @Override
    public CrashStore crashes() {
        return crashes;
    }

    /** The present use of the pools. */
    @Override
    public List<PoolUse> pools() {
        return database.pools();
    }

    @Override
    public void close() {
        table.ifPresent(TableStore::close);
        database.close();
    }
}
