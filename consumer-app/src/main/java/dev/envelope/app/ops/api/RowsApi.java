package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Reasons;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The part of the API that uses the database: keys, parked messages, and requests.
 *
 * <p>Threads: thread-safe; requests run on the server's threads, and block on the database.
 */
final class RowsApi {

    private static final int MOST_KEYS = 200;
    private static final int MOST_MESSAGES = 50;
    private static final int MESSAGES = 10;

    private final Supplier<Optional<Engine>> engine;
    private final Rows rows;
    private final Changes changes;

    /** Counting reads all parked messages, so it is not repeated for each open page. */
    private final Remembered<Reasons> counted =
            new Remembered<>(Duration.ofSeconds(2), System::nanoTime);

    /** Makes the API of these rows and, if there is one, of the engine. */
    RowsApi(Supplier<Optional<Engine>> engine, Rows rows, Changes changes) {
        this.engine = engine;
        this.rows = rows;
        this.changes = changes;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/keys", call -> key(call.get("key"))),
                Route.get("/api/keys/{key}", call -> key(call.name())),
                Route.get("/api/parked", this::parked),
                Route.get("/api/parked/messages", this::messages),
                Route.get("/api/parked/requests/{number}", this::request),
                Route.post("/api/parked/redrive", call -> ask(call, Action.REDRIVE)),
                Route.post("/api/parked/skip", this::skip),
                Route.post("/api/parked/drop", this::drop));
    }

    private Answer key(String key) {
        Optional<Standing> standing = engine.get().flatMap(it -> it.standing(key));
        Duration forSoLong =
                standing.flatMap(it -> engine.get().map(of -> of.since(it))).orElse(Duration.ZERO);
        Looked found =
                rows.look(
                        OperatorStore::keys,
                        catalog ->
                                new Looked(
                                        catalog.row(key), catalog.timers(key), catalog.asked(key)));
        Optional<KeyCatalog.Row> row = found.row();
        boolean isPaused =
                engine.get().isPresent()
                        && rows.ask(OperatorStore::pauses, it -> it.isPaused(Kind.KEY, key));
        return Answer.json(
                row.isEmpty() && standing.isEmpty() ? 404 : 200,
                KeyDocument.of(
                        key, row, found.timers(), found.asked(), standing, forSoLong, isPaused));
    }

    private record Looked(
            Optional<KeyCatalog.Row> row,
            List<KeyCatalog.Timer> timers,
            List<KeyCatalog.Asked> asked) {}

    private Answer parked(Call call) {
        int most = call.number("limit", MOST_KEYS, 1, MOST_KEYS);
        long after = call.position("after");
        String reason = call.find("reason");
        return Answer.json(
                rows.look(
                        OperatorStore::parked,
                        catalog ->
                                ParkedDocument.keys(
                                        catalog.keys(reason, after, most + 1),
                                        counted.get(catalog::reasons),
                                        most)));
    }

    private Answer messages(Call call) {
        String key = call.is("without-row") ? null : call.get("key");
        int most = call.number("limit", MESSAGES, 1, MOST_MESSAGES);
        long after = call.position("after");
        return Answer.json(
                rows.look(
                        OperatorStore::parked,
                        catalog ->
                                ParkedDocument.messages(
                                        key,
                                        key == null
                                                ? catalog.messagesWithoutRow(after, most + 1)
                                                : catalog.messages(key, after, most + 1),
                                        most)));
    }

    /** Of the message that the caller has seen, if it names it: a repeated call skips no other. */
    private Answer skip(Call call) {
        String id = call.find("id");
        return id == null
                ? ask(call, Action.SKIP)
                : ask(
                        call,
                        Action.SKIP,
                        Call.number("id", id),
                        () ->
                                new Refused(
                                        409, "the message is not the key's first now: look again"));
    }

    private Answer ask(Call call, Action action) {
        return ask(call, action, null, () -> Refused.notFound("nothing of this key is parked"));
    }

    private Answer ask(
            Call call, Action action, @Nullable Long first, Supplier<Refused> otherwise) {
        String key = call.get("key");
        long request =
                rows.ask(
                                OperatorStore::requests,
                                catalog -> catalog.ask(key, action, first, call.by()))
                        .orElseThrow(otherwise);
        changes.note("request %d: %s what is parked of a key".formatted(request, action), call);
        return Answer.json(202, Map.of("request", request));
    }

    /** Drops a key's messages, by a request; or some that can't have a row, by their positions. */
    private Answer drop(Call call) {
        String positions = call.find("id");
        if (positions == null) {
            return ask(call, Action.DROP);
        }
        if (call.find("key") != null) {
            throw Refused.badRequest("wants key or id, not both");
        }
        List<Long> wanted = Call.numbers("id", positions);
        List<Long> dropped =
                rows.ask(OperatorStore::parked, it -> it.deleteWithoutRow(wanted, call.by()));
        changes.note("dropped %d parked messages without a row".formatted(dropped.size()), call);
        List<Long> missing = wanted.stream().filter(it -> !dropped.contains(it)).toList();
        return Answer.json(Map.of("dropped", dropped.size(), "missing", missing));
    }

    private Answer request(Call call) {
        long number = Call.number("number", call.name());
        Optional<String> answer =
                rows.ask(OperatorStore::requests, catalog -> catalog.answerTo(number));
        boolean isCarriedOut = answer.filter(Answers::isDone).isPresent();
        return Answer.json(new Asked(number, answer.isPresent(), isCarriedOut, answer.orElse("")));
    }

    private record Asked(long request, boolean done, boolean carriedOut, String answer) {}
}
