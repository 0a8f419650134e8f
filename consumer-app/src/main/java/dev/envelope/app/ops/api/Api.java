package dev.envelope.app.ops.api;

import static dev.envelope.app.ops.api.Route.get;
import static dev.envelope.app.ops.api.Route.post;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The API of a process: JSON over HTTP. It is described in {@code openapi.json} beside this class.
 *
 * <p>Threads: thread-safe; requests run on the server's threads, and block only on the database.
 */
public final class Api {

    private static final int MOST_WORKERS = 4_096;
    private static final String ALL = "all"; // all partitions of this process
    private static final Set<String> LEVELS = Set.of("trace", "debug", "info", "warn", "error");

    private final Supplier<ProcessStatus> status;
    private final Supplier<Optional<Engine>> engine;
    private final Rows rows;
    private final RowsApi ofRows;
    private final BulkApi bulk;
    private final OutputsApi outputs;
    private final HeldSettings settings;
    private final Live live;
    private final Timeline timeline;
    private final Changes changes;
    private final Supplier<List<String>> reload;
    private final Supplier<Map<String, Object>> inspected;

    /**
     * The API of a process.
     *
     * @param engine empty until there is one
     * @param settings in effect, with changes since the start
     * @param timeline records what callers have changed
     * @param reload reads the settings again and returns what has changed
     */
    public Api(
            Supplier<ProcessStatus> status,
            Supplier<Optional<Engine>> engine,
            Rows rows,
            HeldSettings settings,
            Live live,
            Timeline timeline,
            Supplier<List<String>> reload) {
        this.status = status;
        this.engine = engine;
        this.changes = new Changes(timeline);
        this.rows = rows;
        this.ofRows = new RowsApi(engine, rows, changes);
        this.bulk = new BulkApi(rows, changes);
        this.outputs = new OutputsApi(rows, changes);
        this.settings = settings;
        this.live = live;
        this.timeline = timeline;
        this.reload = reload;
        this.inspected = Remembered.of(() -> StatusDocument.inspected(status.get()));
    }

    /** All routes of the API. */
    public List<Route> routes() {
        return Stream.of(ofTheProcess(), ofRows.routes(), bulk.routes(), outputs.routes())
                .flatMap(List::stream)
                .toList();
    }

    private List<Route> ofTheProcess() {
        return List.of(
                get("/api/openapi.json", Api::description),
                get("/api/status", Remembered.json(() -> StatusDocument.status(status.get()))),
                get("/api/live", live::stream),
                get("/api/live/now", Remembered.json(live::now)),
                get("/api/partitions", Remembered.json(this::partitions)),
                get("/api/stuck", Remembered.json(live::stuck)),
                get("/api/pool", Remembered.json(() -> StatusDocument.pool(status.get()))),
                get("/api/pool/inspect", this::inspect),
                get("/api/config", this::config),
                get("/api/drain", this::drained),
                get("/api/pauses", this::pauses),
                post("/api/pool/add", call -> resize(call, 1)),
                post("/api/pool/remove", call -> resize(call, -1)),
                post("/api/pause", this::pause),
                post("/api/resume", this::resume),
                post("/api/drain", this::drain),
                post("/api/keys/pause", this::pauseKey),
                post("/api/keys/resume", this::resumeKey),
                post("/api/reload", call -> Answer.json(Map.of("changes", reload.get()))),
                post("/api/log-level", this::logLevel));
    }

    private static Answer description(Call call) throws IOException {
        try (InputStream file = Api.class.getResourceAsStream("openapi.json")) {
            if (file == null) {
                throw new IllegalStateException("the program is packed without openapi.json");
            }
            return Answer.of(200, "application/json", file.readAllBytes());
        }
    }

    private Engine engine() {
        return engine.get()
                .orElseThrow(() -> new Refused(503, "the process is " + status.get().state()));
    }

    // --- looking

    /** Why the lag is stuck, in sentences. */
    public List<String> findings() {
        return live.stuck().findings();
    }

    /** The events of the timeline, newest first. */
    public List<Timeline.Event> events() {
        return timeline.newestFirst();
    }

    private Map<String, Object> partitions() {
        return Map.of("partitions", StatusDocument.partitions(status.get()));
    }

    private Answer config(Call call) {
        return Answer.json(Map.of("settings", settings.all().stream().map(Shown::of).toList()));
    }

    private record Shown(String name, String value, String origin) {

        static Shown of(Setting setting) {
            return new Shown(setting.name(), setting.shown(), setting.origin().describe());
        }
    }

    private Answer inspect(Call call) {
        Map<String, Object> items = new LinkedHashMap<>(inspected.get());
        String wanted = call.find("item");
        if (wanted != null) {
            List<String> names = List.of(wanted.split(","));
            if (!items.keySet().containsAll(names)) {
                throw Refused.badRequest("item may be of " + items.keySet());
            }
            items.keySet().retainAll(names);
        }
        return Answer.json(items);
    }

    private Answer pauses(Call call) {
        var unused = engine(); // refused without an engine, which knows the pauses
        return Answer.json(PauseDocument.of(rows.look(OperatorStore::pauses, PauseCatalog::all)));
    }

    private Answer drained(Call call) {
        var unused = engine();
        return Answer.json(StatusDocument.drain(status.get()));
    }

    // --- changing

    private Answer resize(Call call, int direction) {
        int before = status.get().pool().size();
        int wanted = before + direction * call.number("count", 1, 1, MOST_WORKERS);
        Engine running = engine();
        if (wanted < 1 || wanted > MOST_WORKERS) {
            throw Refused.badRequest(
                    "there are %d workers, and there may be 1 to %d"
                            .formatted(before, MOST_WORKERS));
        }
        running.resize(wanted);
        show(LimitKeys.POOL_SIZE, Integer.toString(wanted), call);
        changes.note("pool.size %d -> %d".formatted(before, wanted), call);
        return Answer.json(StatusDocument.pool(status.get()));
    }

    private Answer pause(Call call) {
        String partition = call.get("partition");
        Optional<Duration> time = call.time("for", PauseDocument.TIME);
        if (!partition.equals(ALL)) {
            hold(Kind.PARTITION, partition, time, call);
        } else if (time.isPresent()) {
            throw Refused.badRequest(
                    "for is of a partition or a key; all are paused until they are resumed");
        } else {
            engine().pauseAll();
        }
        changes.note("paused: " + partition, call);
        return Answer.json(202, Map.of("paused", partition));
    }

    private Answer resume(Call call) {
        String partition = call.get("partition");
        if (partition.equals(ALL)) {
            engine().resumeAll();
        } else {
            letGo(Kind.PARTITION, partition, call);
        }
        changes.note("resumed: " + partition, call);
        return Answer.json(202, Map.of("resumed", partition));
    }

    private Answer pauseKey(Call call) {
        hold(Kind.KEY, call.get("key"), call.time("for", PauseDocument.TIME), call);
        changes.note("a key was paused", call);
        return Answer.json(Map.of("paused", call.get("key")));
    }

    private Answer resumeKey(Call call) {
        letGo(Kind.KEY, call.get("key"), call);
        changes.note("a key was resumed", call);
        return Answer.json(Map.of("resumed", call.get("key")));
    }

    /** Pauses it for all instances of the application. */
    private void hold(Kind kind, String name, Optional<Duration> time, Call call) {
        Engine running = engine();
        PauseCatalog.Answer became =
                rows.ask(OperatorStore::pauses, it -> it.pause(kind, name, time, call.by()));
        running.lookAtPauses();
        if (became != PauseCatalog.Answer.PAUSED) {
            boolean isUnknown = became == PauseCatalog.Answer.NO_SUCH_PARTITION;
            throw new Refused(isUnknown ? 404 : 409, PauseDocument.inWords(became));
        }
    }

    private void letGo(Kind kind, String name, Call call) {
        Engine running = engine();
        boolean wasHeldBack =
                rows.ask(OperatorStore::pauses, it -> it.resume(kind, name, call.by()));
        running.lookAtPauses();
        if (!wasHeldBack) {
            throw Refused.notFound(PauseDocument.NOT_PAUSED);
        }
    }

    private Answer drain(Call call) {
        engine().pauseAll();
        changes.note("drains: nothing more is fetched", call);
        return Answer.json(202, StatusDocument.drain(status.get()));
    }

    private Answer logLevel(Call call) {
        String level = call.get("level").toLowerCase(Locale.ROOT);
        if (!LEVELS.contains(level)) {
            throw Refused.badRequest("level is one of " + LEVELS.stream().sorted().toList());
        }
        LogLevels.set(level);
        show(OperationKeys.LOG_LEVEL, level, call);
        changes.note("log.level -> " + level, call);
        return Answer.json(Map.of("level", level));
    }

    private void show(Key<?> key, String value, Call call) {
        settings.change(new Setting(key.name(), value, new Origin.Operator(call.by())));
    }
}
