package dev.envelope.app.database;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.config.key.GatewayKeys;
import dev.envelope.app.config.key.OutputKeys;
import dev.envelope.app.config.key.SlotKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.start.DatabaseCheck;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.start.Verdict;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.pin.PinStore;
import dev.envelope.idempotency.store.pin.PinsOfSlots;
import dev.envelope.idempotency.store.place.DividedStore;
import dev.envelope.idempotency.store.place.Place;
import dev.envelope.idempotency.store.place.operator.DividedOperators;
import dev.envelope.idempotency.store.postgres.InstanceName.Feature;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.PostgresWorkStore;
import dev.envelope.idempotency.store.postgres.operator.OperatorConnections;
import dev.envelope.idempotency.store.postgres.place.SlotSite;
import dev.envelope.idempotency.store.postgres.place.division.UndividedRows;
import dev.envelope.idempotency.store.postgres.schema.Pins;
import dev.envelope.idempotency.store.postgres.schema.Preflight;
import dev.envelope.idempotency.store.postgres.schema.StoredStates;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.postgres.table.TablePreflight;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.work.WorkStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The database that the settings name, and what the program does with it. Rows that are divided
 * have several: a schema for each slot.
 */
public final class ApplicationDatabase {

    private final SlotLocations locations;
    private final boolean isDivided;
    private final String undivided; // the schema's name without the number of a slot
    private final Set<Feature> features;
    private final @Nullable TableSettings table; // null where topics are read
    private final int slotsOfTable;
    private final boolean hasRows;

    private ApplicationDatabase(Settings settings, String instance) {
        this.locations = new SlotLocations(settings, instance);
        this.isDivided = StoreDivision.of(settings).isDivided();
        this.undivided = settings.get(StoreKeys.SCHEMA);
        this.features = features(settings);
        this.table = settings.isOfTable() ? TableWiring.of(settings) : null;
        this.hasRows = settings.get(WorkKeys.MODE) == WorkKeys.Mode.ROWS;
        this.slotsOfTable = settings.find(SlotKeys.SLOTS).orElse(1);
    }

    /** What these settings use that no older program may run beside. */
    static Set<Feature> features(Settings settings) {
        Set<Feature> features = EnumSet.noneOf(Feature.class);
        if (settings.get(OutputKeys.TIMERS)) {
            features.add(Feature.TIMERS);
        }
        if (settings.get(GatewayKeys.LISTEN).isPresent()) {
            features.add(Feature.COMMANDS);
        }
        return features;
    }

    /**
     * The database of these settings; nothing is connected yet.
     *
     * @param instance the name of this process, for {@code parked} and the server's session list
     * @throws InvalidConfigException if the store refuses what the settings say
     */
    public static ApplicationDatabase of(Settings settings, String instance) {
        if (!settings.hasStore()) {
            ProblemCollector problems = new ProblemCollector();
            problems.error(
                    settings.origin(WorkKeys.MODE),
                    "mode = work",
                    "keeps nothing in a database: there is none to ask or to change",
                    "ask the process itself: envelope status, envelope stuck");
            throw new InvalidConfigException(problems.problems());
        }
        return new ApplicationDatabase(settings, instance);
    }

    private List<SlotDatabase> slots() {
        return locations.get().slots();
    }

    /** Where the slots are, once the servers have been asked. */
    public StoreDivision division() {
        return locations.get().division();
    }

    /** How that differs from the settings; empty if it does not. */
    public Optional<String> remark() {
        return locations.get().remark();
    }

    /** The databases that the settings name, by the names of the places. */
    public Map<String, SlotSite> sites() {
        return locations.sites();
    }

    /** The only one, or that of the first slot. */
    private PostgresSettings first() {
        return locations.get().first().settings();
    }

    /** Opens the store: the rows and the other tables. */
    public DividedStore open(String startId) {
        StoreDivision division = division();
        if (!division.isDivided()) {
            return DividedStore.of(PostgresStore.open(first(), startId, table));
        }
        List<Place> places =
                division.used().stream()
                        .map(
                                place -> {
                                    SortedMap<Integer, PostgresSettings> its = new TreeMap<>();
                                    place.slots()
                                            .forEach(it -> its.put(it, slots().get(it).settings()));
                                    return PostgresStore.openPlace(
                                            place.name(),
                                            division.division(),
                                            its,
                                            startId,
                                            locations.sites(),
                                            table);
                                })
                        .toList();
        DividedStore store = new DividedStore(division.division(), places, System::nanoTime);
        store.moves().left(locations.get().left());
        return store;
    }

    /**
     * Opens it for a handler that writes what it likes.
     *
     * @param longestCall of the handler
     */
    public WorkStore openForWork(Duration longestCall) {
        return PostgresWorkStore.open(first(), longestCall);
    }

    /** Opens the operators' view of it, on connections of its own. */
    public OperatorStore operators() {
        OperatorStore rows =
                isDivided
                        ? new DividedOperators(this::operatorsOfSlots)
                        : new OperatorConnections(first(), System::nanoTime);
        return hasRows ? rows : WithoutRows.of(rows);
    }

    private DividedOperators.Slots operatorsOfSlots() {
        return new DividedOperators.Slots(
                division().division(),
                slots().stream()
                        .<OperatorStore>map(
                                it -> new OperatorConnections(it.settings(), System::nanoTime))
                        .toList());
    }

    /** The settings that are pinned. */
    public PinStore pins() {
        List<PinStore> all =
                slots().stream()
                        .map(it -> it.isPresent() ? new Pins(it.settings()) : NotAsked.PINS)
                        .toList();
        return isDivided ? new PinsOfSlots(all) : all.get(0);
    }

    /** Whether it has no rows, or no tables yet. */
    public boolean isUnused() {
        return slots().stream().allMatch(it -> it.isPresent() && it.isUnused());
    }

    /** Some of the stored states. */
    public List<byte[]> someStates() {
        return locations.get().present().stream()
                .flatMap(slot -> StoredStates.some(slot.settings()).stream())
                .limit(StoredStates.MOST)
                .toList();
    }

    /**
     * The check before a start, which may create the tables, and claims the instance's name. A
     * place that is away is done without.
     */
    public ServerCheck beforeStart(String startId) {
        return check(List.of(), slot -> slot.beforeStart(startId, features));
    }

    /** The same check without effects: the migration is rolled back, and no name is claimed. */
    public ServerCheck asking() {
        return check(List.of(locations::allAnswer), SlotDatabase::asking);
    }

    /** The check that creates the tables, or brings them up to date. */
    public ServerCheck migration() {
        return check(List.of(locations::allAnswer), SlotDatabase::migration);
    }

    private ServerCheck check(
            List<DatabaseCheck> first, Function<SlotDatabase, DatabaseCheck> ofSlot) {
        Map<String, DatabaseCheck> made = new HashMap<>(); // each keeps what it saw
        DatabaseCheck check =
                () -> {
                    Verdict verdict =
                            firstThatIsNotReady(List.of(this::notBeingDivided, locations));
                    if (!(verdict instanceof Verdict.Ready)) {
                        return verdict;
                    }
                    List<DatabaseCheck> all = new ArrayList<>(first);
                    all.add(this::sameDivision);
                    locations
                            .get()
                            .present()
                            .forEach(
                                    it ->
                                            all.add(
                                                    made.computeIfAbsent(
                                                            it.text(), text -> ofSlot.apply(it))));
                    all.add(this::noTransactionsOverWorkers);
                    return locations.unlessMoved(() -> firstThatIsNotReady(all));
                };
        return check;
    }

    /** A check of what is there, which waits if a slot was moved since it was found. */
    public ServerCheck unlessMoved(DatabaseCheck check) {
        DatabaseCheck made = () -> locations.unlessMoved(check);
        return made;
    }

    private static Verdict firstThatIsNotReady(List<DatabaseCheck> all) {
        Verdict verdict = new Verdict.Ready();
        for (DatabaseCheck each : all) {
            verdict = each.ask();
            if (!(verdict instanceof Verdict.Ready)) {
                return verdict;
            }
        }
        return verdict;
    }

    /** Slots at one place share transactions, and Citus may have them on several workers. */
    private Verdict noTransactionsOverWorkers() {
        for (StoreDivision.Place place : division().used()) {
            SlotDatabase any = slots().get(place.slots().first());
            if (place.slots().size() > 1 && any.isPresent() && any.isOnWorker()) {
                return new Verdict.Refused(
                        List.of(
                                "place %s has %d slots on workers of Citus: give each slot a place of its own, with the same URL"
                                        .formatted(place.name(), place.slots().size())));
            }
        }
        return new Verdict.Ready();
    }

    /** The database of {@code store.url}, with the schema that rows without slots have. */
    private SlotSite undivided() {
        return Objects.requireNonNull(locations.sites().get(StoreDivision.MAIN));
    }

    /** During the last step of a division, and after it, the undivided rows have another name. */
    private Verdict notBeingDivided() {
        UndividedRows.Stage stage = UndividedRows.stage(undivided());
        if (stage == UndividedRows.Stage.DIVIDING) {
            return new Verdict.Refused(
                    List.of(
                            "the rows of the schema %s are being divided into slots: go on with envelope slots divide --finish, or take it back with --abandon"
                                    .formatted(undivided)));
        } else if (stage == UndividedRows.Stage.DIVIDED && !isDivided) {
            return new Verdict.Refused(
                    List.of(
                            "store.slots is 1, but the rows of the schema %s were divided into slots: they would not be found; set store.slots as they were divided"
                                    .formatted(undivided)));
        }
        return new Verdict.Ready();
    }

    /**
     * A start that divides rows which are not divided, or the other way round, would begin with no
     * rows at all.
     */
    private Verdict sameDivision() {
        SlotDatabase first = locations.get().first();
        if (!first.isUnused()) {
            return new Verdict.Ready();
        }
        String other = isDivided ? undivided : StoreDivision.schemaOfFirst(undivided);
        PostgresSettings its = isDivided ? undivided().settings() : first.of(other).settings();
        if (new Preflight(its, SchemaManagement.VALIDATE).isUnused()) {
            return new Verdict.Ready();
        }
        return new Verdict.Refused(
                List.of(
                        "store.slots is %d, but the rows of the schema %s were made %s: they would not be found%s"
                                .formatted(
                                        slots().size(),
                                        other,
                                        isDivided ? "without slots" : "with more slots than one",
                                        isDivided
                                                ? "; divide them with envelope slots divide"
                                                : "")));
    }

    /** The check of the table that is read. */
    public ServerCheck table() {
        TablePreflight preflight =
                new TablePreflight(first(), Objects.requireNonNull(table), slotsOfTable);
        DatabaseCheck check = () -> PostgresCheck.verdict(preflight.problems());
        return check;
    }

    /** What the migration would do in an empty database, as SQL. */
    public String migrationScript() {
        return locations.asSet().stream()
                .map(SlotDatabase::migrationScript)
                .collect(Collectors.joining("\n"));
    }
}
