package dev.envelope.app.ops.api;

import static dev.envelope.app.ops.api.Parameters.required;

import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Selection;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.ConflictResponse;
import io.javalin.http.Context;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The same asked for of many keys with parked messages: which, one such run at a time, how far it
 * is, and its end.
 *
 * <p>Threads: thread-safe (a reference to the last run, each of which has a thread of its own).
 */
final class BulkApi {

    /** More of them are not held in memory beside the engine. */
    static final int MOST_KEYS = 10_000;

    private static final int RATE = 20;
    private static final int MOST_RATE = 1_000;
    private static final Duration SEEN = Duration.ofSeconds(15);

    private final Rows rows;
    private final Changes changes;
    private final AtomicReference<@Nullable BulkRun> last = new AtomicReference<>();

    BulkApi(Rows rows, Changes changes) {
        this.rows = rows;
        this.changes = changes;
    }

    List<Route> routes() {
        return List.of(
                Route.get("/api/parked/selected", this::look),
                Route.get(
                        "/api/parked/bulk", context -> context.json(BulkRun.document(last.get()))),
                Route.post("/api/parked/bulk", this::begin),
                Route.post("/api/parked/bulk/stop", this::stop));
    }

    private void look(Context context) {
        context.json(ParkedDocument.selected(selected(context), MOST_KEYS));
    }

    private List<ParkedKey> selected(Context context) {
        @Nullable String why = given(context, "why");
        @Nullable String partition = given(context, "partition");
        Selection which =
                new Selection(
                        why,
                        partition,
                        Parameters.instant(context, "since"),
                        Parameters.instant(context, "until"));
        boolean isSome =
                Stream.of("why", "partition", "since", "until")
                        .anyMatch(it -> given(context, it) != null);
        if (isSome == Boolean.parseBoolean(context.queryParam("all"))) {
            throw new BadRequestResponse(
                    "which keys? all=true, or some of why, partition, since, until");
        }
        return rows.ofParked(catalog -> catalog.selected(which, MOST_KEYS)).stream()
                .limit(MOST_KEYS)
                .toList();
    }

    private static @Nullable String given(Context context, String name) {
        @Nullable String value = context.queryParam(name);
        return value == null || value.isEmpty() ? null : value;
    }

    private void begin(Context context) {
        String name = required(context, "action");
        Action action =
                BulkRequests.action(name)
                        .orElseThrow(
                                () ->
                                        new BadRequestResponse(
                                                "action is " + BulkRequests.actions()));
        long expected = Parameters.number("keys", required(context, "keys"));
        int rate = Parameters.number(context, "rate", RATE, 1, MOST_RATE);
        List<ParkedKey> keys = selected(context);
        if (keys.size() != expected) {
            throw new ConflictResponse(
                    "there are %,d keys by now, not %,d: look again"
                            .formatted(keys.size(), expected));
        } else if (!rows.ofRequests(it -> it.isAnybodyThere(SEEN))) {
            throw new UnavailableException("no instance is running: nothing was asked for");
        }
        String by = Changes.by(context);
        BulkRun run = new BulkRun(name, action, requests(by), keys, rate);
        if (!last.compareAndSet(before(), run)) {
            throw new ConflictResponse("another run has just begun");
        }
        changes.note(
                "%s what is parked of %s".formatted(name, Words.count(keys.size(), "key")),
                context);
        run.begin();
        context.status(202).json(BulkRun.document(run));
    }

    private @Nullable BulkRun before() {
        @Nullable BulkRun before = last.get();
        if (before != null && !before.isEnded()) {
            throw new ConflictResponse("another run is under way: wait for it, or stop it");
        }
        return before;
    }

    private BulkRequests.Requests requests(String by) {
        return new BulkRequests.Requests() {
            @Override
            public Optional<Long> ask(String key, Action action) {
                return rows.ofRequests(it -> it.ask(key, action, by));
            }

            @Override
            public Map<Long, String> answersTo(Collection<Long> numbers) {
                return rows.ofRequests(it -> it.answersTo(numbers));
            }
        };
    }

    private void stop(Context context) {
        @Nullable BulkRun run = last.get();
        if (run == null || run.isEnded()) {
            throw new ConflictResponse("nothing is under way");
        }
        run.stop();
        changes.note("stopped what was under way with many keys", context);
        context.status(202).json(BulkRun.document(run));
    }
}
