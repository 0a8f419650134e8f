package dev.envelope.app.ops.api;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Refused;
import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Selection;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The part of the API for bulk requests: select keys with parked messages, start a run, show its
 * progress, stop it. There is one run at a time.
 *
 * <p>Threads: thread-safe (an atomic reference to the last run; each run has a thread of its own).
 */
final class BulkApi {

    /** The most keys of a run, since they are held in the engine's process. */
    static final int MOST_KEYS = 10_000;

    private static final Selection ALL = new Selection(null, null, null, null);
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
                Route.get("/api/parked/bulk", call -> Answer.json(BulkRun.document(last.get()))),
                Route.post("/api/parked/bulk", this::begin),
                Route.post("/api/parked/bulk/stop", this::stop));
    }

    private Answer look(Call call) {
        return Answer.json(ParkedDocument.selected(selected(call), MOST_KEYS));
    }

    private List<ParkedKey> selected(Call call) {
        Selection which =
                new Selection(
                        call.findText("why"),
                        call.findText("partition"),
                        call.instant("since"),
                        call.instant("until"));
        if (call.is("all") != which.equals(ALL)) {
            throw Refused.badRequest(
                    "which keys? all=true, or some of why, partition, since, until");
        }
        return rows
                .look(OperatorStore::parked, catalog -> catalog.selected(which, MOST_KEYS))
                .stream()
                .limit(MOST_KEYS)
                .toList();
    }

    private Answer begin(Call call) {
        String name = call.get("action");
        Action action =
                BulkRequests.action(name)
                        .orElseThrow(
                                () -> Refused.badRequest("action is " + BulkRequests.actions()));
        long expected = Call.number("keys", call.get("keys"));
        int rate = call.number("rate", RATE, 1, MOST_RATE);
        List<ParkedKey> keys = selected(call);
        if (keys.size() != expected) {
            throw Refused.conflict(
                    "there are %,d keys by now, not %,d: look again"
                            .formatted(keys.size(), expected));
        } else if (!rows.ask(OperatorStore::requests, it -> it.isAnybodyThere(SEEN))) {
            throw new UnavailableException("no instance is running: nothing was asked for");
        }
        String by = call.by();
        BulkRun run = new BulkRun(name, action, requests(by), keys, rate);
        if (!last.compareAndSet(before(), run)) {
            throw Refused.conflict("another run has just begun");
        }
        changes.note(
                "%s what is parked of %s".formatted(name, Words.count(keys.size(), "key")), call);
        run.begin();
        return Answer.json(202, BulkRun.document(run));
    }

    private @Nullable BulkRun before() {
        @Nullable BulkRun before = last.get();
        if (before != null && !before.isEnded()) {
            throw Refused.conflict("another run is under way: wait for it, or stop it");
        }
        return before;
    }

    private BulkRequests.Requests requests(String by) {
        return new BulkRequests.Requests() {
            @Override
            public Optional<Long> ask(String key, Action action) {
                return rows.ask(OperatorStore::requests, it -> it.ask(key, action, by));
            }

            @Override
            public Map<Long, String> answersTo(Collection<Long> numbers) {
                return rows.ask(OperatorStore::requests, it -> it.answersTo(numbers));
            }
        };
    }

    private Answer stop(Call call) {
        @Nullable BulkRun run = last.get();
        if (run == null || run.isEnded()) {
            throw Refused.conflict("nothing is under way");
        }
        run.stop();
        changes.note("stopped a run over many keys", call);
        return Answer.json(202, BulkRun.document(run));
    }
}
