package dev.envelope.app.ops.api;

import static dev.envelope.app.ops.api.Parameters.required;

import dev.envelope.core.mailbox.Standing;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Reasons;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.javalin.http.NotFoundResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of the API that stands in the database: keys, parked messages, and what is asked for.
 *
 * <p>Threads: thread-safe; requests come on the server's threads, and wait for the database.
 */
final class RowsApi {

    private static final int MOST_KEYS = 200;
    private static final int MOST_MESSAGES = 50;
    private static final int MESSAGES = 10;

    private final Supplier<Optional<Engine>> engine;
    private final Rows rows;
    private final Changes changes;

    /** Counting reads all that is parked: not for each of many pages. */
    private final Remembered<Reasons> counted =
            new Remembered<>(Duration.ofSeconds(2), System::nanoTime);

    /** Of these rows, and of what an engine is doing with them, if there is one. */
    RowsApi(Supplier<Optional<Engine>> engine, Rows rows, Changes changes) {
        this.engine = engine;
        this.rows = rows;
        this.changes = changes;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/keys", context -> key(context, required(context, "key"))),
                Route.get("/api/keys/{key}", context -> key(context, context.pathParam("key"))),
                Route.get("/api/parked", this::parked),
                Route.get("/api/parked/messages", this::messages),
                Route.get("/api/parked/requests/{number}", this::request),
                Route.post("/api/parked/redrive", context -> ask(context, Action.REDRIVE)),
                Route.post("/api/parked/skip", context -> ask(context, Action.SKIP)),
                Route.post("/api/parked/drop", this::drop));
    }

    private void key(Context context, String key) {
        Optional<Standing> standing = engine.get().flatMap(it -> it.standing(key));
        Duration forSoLong =
                standing.flatMap(it -> engine.get().map(of -> of.since(it))).orElse(Duration.ZERO);
        Looked found = rows.ofKeys(catalog -> new Looked(catalog.row(key), catalog.asked(key)));
        Optional<KeyCatalog.Row> row = found.row();
        boolean isPaused = engine.get().map(it -> it.isPaused(key)).orElse(false);
        context.status(row.isEmpty() && standing.isEmpty() ? 404 : 200)
                .json(KeyDocument.of(key, row, found.asked(), standing, forSoLong, isPaused));
    }

    private record Looked(Optional<KeyCatalog.Row> row, List<KeyCatalog.Asked> asked) {}

    private void parked(Context context) {
        int most = Parameters.number(context, "limit", MOST_KEYS, 1, MOST_KEYS);
        long after = Parameters.position(context, "after");
        @Nullable String reason = context.queryParam("reason");
        context.json(
                rows.ofParked(
                        catalog ->
                                ParkedDocument.keys(
                                        catalog.keys(reason, after, most + 1),
                                        counted.get(catalog::reasons),
                                        most)));
    }

    private void messages(Context context) {
        boolean isWithoutRow = Boolean.parseBoolean(context.queryParam("without-row"));
        @Nullable String key = isWithoutRow ? null : required(context, "key");
        int most = Parameters.number(context, "limit", MESSAGES, 1, MOST_MESSAGES);
        long after = Parameters.position(context, "after");
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

    private void ask(Context context, Action action) {
        String key = required(context, "key");
        long request =
                rows.ofRequests(catalog -> catalog.ask(key, action, Changes.by(context)))
                        .orElseThrow(() -> new NotFoundResponse("nothing of this key is parked"));
        changes.note("request %d: %s what is parked of a key".formatted(request, action), context);
        context.status(202).json(Map.of("request", request));
    }

    /** Those of a key, by a request; or, by their positions, some that can't have a row. */
    private void drop(Context context) {
        @Nullable String positions = context.queryParam("id");
        if (positions == null) {
            ask(context, Action.DROP);
            return;
        }
        if (context.queryParam("key") != null) {
            throw new BadRequestResponse("wants key or id, not both");
        }
        List<Long> wanted = Parameters.positions("id", positions);
        List<Long> dropped = rows.deleteWithoutRow(wanted, Changes.by(context));
        changes.note("dropped %d parked messages without a row".formatted(dropped.size()), context);
        List<Long> missing = wanted.stream().filter(it -> !dropped.contains(it)).toList();
        context.json(Map.of("dropped", dropped.size(), "missing", missing));
    }

    private void request(Context context) {
        long number = Parameters.number("number", context.pathParam("number"));
        Optional<String> answer = rows.ofRequests(catalog -> catalog.answerTo(number));
        boolean isCarriedOut = answer.filter(Answers::isDone).isPresent();
        context.json(new Asked(number, answer.isPresent(), isCarriedOut, answer.orElse("")));
    }

    private record Asked(long request, boolean done, boolean carriedOut, String answer) {}
}
