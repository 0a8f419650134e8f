package dev.envelope.app.ops.api;

import static dev.envelope.app.ops.api.Parameters.required;
import static dev.envelope.app.ops.api.Route.get;
import static dev.envelope.app.ops.api.Route.post;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.StatusDocument;
import dev.envelope.app.ops.recent.Timeline;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.ConflictResponse;
import io.javalin.http.Context;
import io.javalin.http.NotFoundResponse;
import io.javalin.http.ServiceUnavailableResponse;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * What can be asked of a process, and done to it, as JSON over HTTP. What it answers is described
 * in {@code openapi.json} beside this class.
 *
 * <p>Threads: thread-safe; requests come on the server's threads, and wait for the database at
 * most.
 */
public final class Api {

    private static final int MOST_WORKERS = 4_096;
    private static final String ALL = "all"; // partitions, of this process
    private static final Set<String> LEVELS = Set.of("trace", "debug", "info", "warn", "error");

    private final Supplier<ProcessStatus> status;
    private final Supplier<Optional<Engine>> engine;
    private final RowsApi rows;
    private final BulkApi bulk;
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
     * @param settings that hold, those included that were changed meanwhile
     * @param timeline where it is written down what callers have changed
     * @param reload reads the settings again and says what has changed
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
        this.rows = new RowsApi(engine, rows, changes);
        this.bulk = new BulkApi(rows, changes);
        this.settings = settings;
        this.live = live;
        this.timeline = timeline;
        this.reload = reload;
        this.inspected = Remembered.of(() -> StatusDocument.inspected(status.get()));
    }

    /** Everything that it answers. */
    public List<Route> routes() {
        List<Route> routes = new ArrayList<>(ofTheProcess());
        routes.addAll(rows.routes());
        routes.addAll(bulk.routes());
        return routes;
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
                post("/api/pool/add", context -> resize(context, count(context))),
                post("/api/pool/remove", context -> resize(context, -count(context))),
                post("/api/pause", this::pause),
                post("/api/resume", this::resume),
                post("/api/drain", this::drain),
                post("/api/keys/pause", this::pauseKey),
                post("/api/keys/resume", this::resumeKey),
                post("/api/reload", context -> context.json(Map.of("changes", reload.get()))),
                post("/api/log-level", this::logLevel));
    }

    /** Adds what it answers. */
    public void addTo(RoutesConfig to) {
        to.exception(UnavailableException.class, Api::unavailable);
        routes().forEach(it -> to.addHttpHandler(it.method(), it.path(), it.handler()));
    }

    private static void description(Context context) throws IOException {
        try (InputStream file = Api.class.getResourceAsStream("openapi.json")) {
            if (file == null) {
                throw new IllegalStateException("the program is packed without openapi.json");
            }
            context.contentType("application/json").result(file.readAllBytes());
        }
    }

    private ProcessStatus.Pool pool() {
        return status.get().pool();
    }

    private static void unavailable(UnavailableException e, Context context) {
        Problem.answer(context, 503, String.valueOf(e.getMessage()));
    }

    private Engine engine() {
        return engine.get()
                .orElseThrow(
                        () ->
                                new ServiceUnavailableResponse(
                                        "the process is " + status.get().state()));
    }

    // --- looking

    private Map<String, Object> partitions() {
        return Map.of("partitions", StatusDocument.partitions(status.get()));
    }

    /** Why the lag is stuck, in sentences; one that says that it is not, if it is not. */
    public List<String> findings() {
        return live.findings();
    }

    /** What happened, newest first. */
    public List<Timeline.Event> events() {
        return timeline.newestFirst();
    }

    private void config(Context context) {
        context.json(Map.of("settings", settings.all().stream().map(Api::setting).toList()));
    }

    private record Shown(String name, String value, String origin) {}

    private static Shown setting(Setting setting) {
        return new Shown(setting.name(), setting.shown(), setting.origin().describe());
    }

    // --- changing

    private void resize(Context context, int change) {
        Engine running = engine();
        int before = pool().size();
        int wanted = before + change;
        if (wanted < 1 || wanted > MOST_WORKERS) {
            throw new BadRequestResponse(
                    "there are %d workers, and there may be 1 to %d"
                            .formatted(before, MOST_WORKERS));
        }
        running.resize(wanted);
        show(LimitKeys.POOL_SIZE, Integer.toString(wanted), context);
        changes.note("pool.size %d -> %d".formatted(before, wanted), context);
        context.json(StatusDocument.pool(status.get()));
    }

    private void inspect(Context context) {
        Map<String, Object> items = new LinkedHashMap<>(inspected.get());
        String wanted = context.queryParam("item");
        if (wanted != null) {
            List<String> names = List.of(wanted.split(","));
            if (!items.keySet().containsAll(names)) {
                throw new BadRequestResponse("item may be of " + items.keySet());
            }
            items.keySet().retainAll(names);
        }
        context.json(items);
    }

    private void pause(Context context) {
        String partition = required(context, "partition");
        Optional<Duration> time = Parameters.time(context, "for");
        if (!partition.equals(ALL)) {
            hold(Kind.PARTITION, partition, time, context);
        } else if (time.isPresent()) {
            throw new BadRequestResponse(
                    "for is of a partition or a key; all are paused until they are resumed");
        } else {
            engine().pauseAll();
        }
        changes.note("paused: " + partition, context);
        context.status(202).json(Map.of("paused", partition));
    }

    private void hold(Kind kind, String name, Optional<Duration> time, Context context) {
        Answer answer = engine().pause(kind, name, time, Changes.by(context));
        if (answer == Answer.NO_SUCH_PARTITION) {
            throw new NotFoundResponse(PauseDocument.inWords(answer));
        } else if (answer == Answer.TOO_MANY) {
            throw new ConflictResponse(PauseDocument.inWords(answer));
        }
    }

    private void resume(Context context) {
        String partition = required(context, "partition");
        if (partition.equals(ALL)) {
            engine().resumeAll();
        } else if (!engine().resume(Kind.PARTITION, partition, Changes.by(context))) {
            throw new NotFoundResponse(PauseDocument.NOT_PAUSED);
        }
        changes.note("resumed: " + partition, context);
        context.status(202).json(Map.of("resumed", partition));
    }

    private void pauses(Context context) {
        context.json(PauseDocument.of(engine().pauses()));
    }

    private void drain(Context context) {
        engine().pauseAll();
        changes.note("drains: nothing more is fetched", context);
        context.status(202).json(StatusDocument.drain(status.get()));
    }

    private void drained(Context context) {
        var unused = engine(); // without one nothing is known
        context.json(StatusDocument.drain(status.get()));
    }

    private void pauseKey(Context context) {
        String key = required(context, "key");
        hold(Kind.KEY, key, Parameters.time(context, "for"), context);
        changes.note("a key was paused", context);
        context.json(Map.of("paused", key));
    }

    private void resumeKey(Context context) {
        String key = required(context, "key");
        if (!engine().resume(Kind.KEY, key, Changes.by(context))) {
            throw new NotFoundResponse(PauseDocument.NOT_PAUSED);
        }
        changes.note("a key was resumed", context);
        context.json(Map.of("resumed", key));
    }

    private void logLevel(Context context) {
        String level = required(context, "level").toLowerCase(Locale.ROOT);
        if (!LEVELS.contains(level)) {
            throw new BadRequestResponse("level is one of " + LEVELS.stream().sorted().toList());
        }
        LogLevels.set(level);
        show(OperationKeys.LOG_LEVEL, level, context);
        changes.note("log.level -> " + level, context);
        context.json(Map.of("level", level));
    }

    private void show(Key<?> key, String value, Context context) {
        settings.change(new Setting(key.name(), value, new Origin.Operator(Changes.by(context))));
    }

    // --- parameters

    private static int count(Context context) {
        return Parameters.number(context, "count", 1, 1, MOST_WORKERS);
    }
}
