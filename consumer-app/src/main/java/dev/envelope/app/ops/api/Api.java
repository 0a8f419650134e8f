package dev.envelope.app.ops.api;

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
import dev.envelope.core.mailbox.Standing;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.postgres.KeyCatalog;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.NotFoundResponse;
import io.javalin.http.ServiceUnavailableResponse;
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
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What can be asked of a process, and done to it, as JSON over HTTP. What it answers is described
 * in {@code openapi.json} beside this class.
 *
 * <p>Threads: thread-safe; requests come on the server's threads, and wait for the database at
 * most.
 */
public final class Api {

    private static final Logger log = LoggerFactory.getLogger(Api.class);

    private static final int MOST_KEYS = 200;
    private static final int MOST_MESSAGES = 50;
    private static final int MOST_WORKERS = 4_096;
    private static final Set<String> LEVELS = Set.of("trace", "debug", "info", "warn", "error");

    private final Supplier<ProcessStatus> status;
    private final Supplier<Optional<Engine>> engine;
    private final Rows rows;
    private final HeldSettings settings;
    private final Live live;
    private final Timeline timeline;
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
        this.rows = rows;
        this.settings = settings;
        this.live = live;
        this.timeline = timeline;
        this.reload = reload;
        this.inspected = Remembered.of(() -> StatusDocument.inspected(status.get()));
    }

    /** Something that it answers. */
    public record Route(HandlerType method, String path, Handler handler) {}

    /** Everything that it answers. */
    public List<Route> routes() {
        return List.of(
                get("/api/openapi.json", Api::description),
                get("/api/status", Remembered.json(() -> StatusDocument.status(status.get()))),
                get("/api/live", live::stream),
                get("/api/live/now", Remembered.json(live::now)),
                get("/api/partitions", Remembered.json(this::partitions)),
                get("/api/stuck", Remembered.json(live::stuck)),
                get("/api/keys", context -> key(context, required(context, "key"))),
                get("/api/keys/{key}", context -> key(context, context.pathParam("key"))),
                get("/api/parked", this::parked),
                get("/api/parked/messages", this::parkedMessages),
                get("/api/parked/requests/{number}", this::request),
                get("/api/pool", Remembered.json(() -> StatusDocument.pool(status.get()))),
                get("/api/pool/inspect", this::inspect),
                get("/api/config", this::config),
                post("/api/parked/redrive", context -> ask(context, Action.REDRIVE)),
                post("/api/parked/skip", context -> ask(context, Action.SKIP)),
                post("/api/parked/drop", this::drop),
                post("/api/pool/add", context -> resize(context, count(context))),
                post("/api/pool/remove", context -> resize(context, -count(context))),
                post("/api/pause", this::pause),
                post("/api/resume", this::resume),
                post("/api/drain", this::drain),
                get("/api/drain", it -> it.json(StatusDocument.drain(status.get()))),
                post("/api/keys/pause", this::pauseKey),
                post("/api/keys/resume", this::resumeKey),
                post("/api/reload", context -> context.json(Map.of("changes", reload.get()))),
                post("/api/log-level", this::logLevel));
    }

    private static Route get(String path, Handler handler) {
        return new Route(HandlerType.GET, path, handler);
    }

    private static Route post(String path, Handler handler) {
        return new Route(HandlerType.POST, path, handler);
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
        context.status(503).json(Map.of("error", String.valueOf(e.getMessage())));
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

    private void key(Context context, String key) {
        Optional<Standing> standing = engine.get().flatMap(it -> it.standing(key));
        Duration forSoLong =
                standing.flatMap(it -> engine.get().map(of -> of.since(it))).orElse(Duration.ZERO);
        Optional<KeyCatalog.Row> row = rows.ofKeys(catalog -> catalog.row(key));
        boolean isPaused = engine.get().map(it -> it.isPaused(key)).orElse(false);
        context.status(row.isEmpty() && standing.isEmpty() ? 404 : 200)
                .json(KeyDocument.of(key, row, standing, forSoLong, isPaused));
    }

    private void parked(Context context) {
        int most = number(context, "limit", MOST_KEYS, 1, MOST_KEYS);
        long after = position(context, "after");
        @Nullable String reason = context.queryParam("reason");
        context.json(
                rows.ofParked(
                        catalog ->
                                ParkedDocument.keys(
                                        catalog.keys(reason, after, most),
                                        catalog.withRow(),
                                        catalog.withoutRow())));
    }

    private void parkedMessages(Context context) {
        boolean isWithoutRow = Boolean.parseBoolean(context.queryParam("without-row"));
        @Nullable String key = isWithoutRow ? null : required(context, "key");
        int most = number(context, "limit", 10, 1, MOST_MESSAGES);
        long after = position(context, "after");
        context.json(
                rows.ofParked(
                        catalog ->
                                ParkedDocument.messages(
                                        key,
                                        key == null
                                                ? catalog.messagesWithoutRow(after, most + 1)
                                                : catalog.messages(key, after, most + 1),
                                        most)));
    }

    private void config(Context context) {
        context.json(Map.of("settings", settings.all().stream().map(Api::setting).toList()));
    }

    private static Map<String, Object> setting(Setting setting) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", setting.name());
        document.put("value", setting.shown());
        document.put("origin", setting.origin().describe());
        return document;
    }

    // --- changing

    private void ask(Context context, Action action) {
        String key = required(context, "key");
        String by = "http " + context.ip();
        Optional<Long> number = rows.ofRequests(catalog -> catalog.ask(key, action, by));
        long request =
                number.orElseThrow(() -> new NotFoundResponse("nothing of this key is parked"));
        changed("request %d: %s what is parked of a key".formatted(request, action), by);
        context.status(202).json(Map.of("request", request));
    }

    /** Those of a key, by a request; or, by their positions, some that can't have a row. */
    private void drop(Context context) {
        @Nullable String ids = context.queryParam("id");
        if (ids == null) {
            ask(context, Action.DROP);
            return;
        }
        List<Long> positions =
                Stream.of(ids.split(",")).map(it -> Long.parseLong(digits(it))).toList();
        int dropped = rows.deleteWithoutRow(positions);
        changed(
                "dropped %d parked messages without a row".formatted(dropped),
                "http " + context.ip());
        context.json(Map.of("dropped", dropped));
    }

    private void request(Context context) {
        long number = Long.parseLong(digits(context.pathParam("number")));
        Optional<String> answer = rows.ofRequests(catalog -> catalog.answerTo(number));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("request", number);
        document.put("done", answer.isPresent());
        document.put("answer", answer.orElse(""));
        context.json(document);
    }

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
        changed("pool.size %d -> %d".formatted(before, wanted), "http " + context.ip());
        show(LimitKeys.POOL_SIZE, Integer.toString(wanted), context);
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
        Optional<TopicPartition> partition = partition(context);
        engine().pause(partition);
        changed("paused: " + named(partition), "http " + context.ip());
        context.status(202).json(Map.of("paused", named(partition)));
    }

    private void resume(Context context) {
        Optional<TopicPartition> partition = partition(context);
        engine().resume(partition);
        changed("resumed: " + named(partition), "http " + context.ip());
        context.status(202).json(Map.of("resumed", named(partition)));
    }

    private void drain(Context context) {
        engine().pause(Optional.empty());
        changed("drains: nothing more is fetched", "http " + context.ip());
        context.status(202).json(StatusDocument.drain(status.get()));
    }

    private void pauseKey(Context context) {
        String key = required(context, "key");
        engine().pauseKey(key);
        changed("a key was paused", "http " + context.ip());
        context.json(Map.of("paused", key));
    }

    private void resumeKey(Context context) {
        String key = required(context, "key");
        if (!engine().resumeKey(key)) {
            throw new NotFoundResponse("the key is not paused in this process");
        }
        changed("a key was resumed", "http " + context.ip());
        context.json(Map.of("resumed", key));
    }

    private static String named(Optional<TopicPartition> partition) {
        return partition.map(TopicPartition::toString).orElse("all");
    }

    private void logLevel(Context context) {
        String level = required(context, "level").toLowerCase(Locale.ROOT);
        if (!LEVELS.contains(level)) {
            throw new BadRequestResponse("level is one of " + LEVELS.stream().sorted().toList());
        }
        LogLevels.set(level);
        changed("log.level -> " + level, "http " + context.ip());
        show(OperationKeys.LOG_LEVEL, level, context);
        context.json(Map.of("level", level));
    }

    private void changed(String what, String by) {
        log.warn("{} (by {})", what, by);
        timeline.add(Timeline.Kind.CHANGE, what);
    }

    private void show(Key<?> key, String value, Context context) {
        settings.change(
                new Setting(key.name(), value, new Origin.Operator("http " + context.ip())));
    }

    // --- parameters

    private static String required(Context context, String name) {
        @Nullable String value = context.queryParam(name);
        if (value == null) {
            throw new BadRequestResponse("wants ?" + name + "=");
        }
        return value;
    }

    private static int count(Context context) {
        return number(context, "count", 1, 1, MOST_WORKERS);
    }

    private static int number(Context context, String name, int otherwise, int least, int most) {
        @Nullable String text = context.queryParam(name);
        if (text == null) {
            return otherwise;
        }
        long value = Long.parseLong(digits(text));
        if (value < least || value > most) {
            throw new BadRequestResponse("%s is from %d to %d".formatted(name, least, most));
        }
        return (int) value;
    }

    /** Of a parked message; 0 if it is not said. */
    private static long position(Context context, String name) {
        @Nullable String text = context.queryParam(name);
        return text == null ? 0 : Long.parseLong(digits(text));
    }

    private static String digits(String text) {
        if (!text.matches("\\d{1,18}")) {
            throw new BadRequestResponse("is not a number");
        }
        return text;
    }

    /** The partition that is named {@code topic-number}; empty for {@code all}. */
    private Optional<TopicPartition> partition(Context context) {
        String name = required(context, "partition");
        if (name.equals("all")) {
            return Optional.empty();
        }
        return Optional.of(
                status.get().partitions().stream()
                        .map(it -> it.partition())
                        .filter(it -> it.toString().equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new NotFoundResponse(
                                                "no partition of this process: it has "
                                                        + status.get().partitions().stream()
                                                                .map(it -> it.partition())
                                                                .toList())));
    }
}
