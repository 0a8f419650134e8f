package dev.envelope.app.ops.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run of one action over many keys, under way or ended.
 *
 * <p>Threads: thread-safe (volatile, a copy-on-write list); the run has a thread of its own.
 */
final class BulkRun {

    private static final Logger log = LoggerFactory.getLogger(BulkRun.class);

    private final String action;
    private final BulkRequests requests;
    private final List<String> notDone = new CopyOnWriteArrayList<>();
    private volatile String end = "";

    BulkRun(
            String action,
            Action does,
            BulkRequests.Requests where,
            List<ParkedKey> keys,
            int rate) {
        this.action = action;
        this.requests = new BulkRequests(where, does, keys, rate, notDone::add);
    }

    void begin() {
        Thread thread = new Thread(this::carryOut, "envelope-bulk");
        thread.setDaemon(true);
        thread.start();
    }

    private void carryOut() {
        try {
            BulkRequests.Progress at = requests.carryOut();
            int left = at.keys() - at.done() - at.notDone();
            end = left == 0 ? "ended" : "stopped; %,d are left".formatted(left);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            end = "stopped";
        } catch (RuntimeException e) {
            log.warn("{} of many keys ended early; start again for those that are left", action, e);
            end = "ended early: " + Words.line(String.valueOf(e.getMessage()));
        }
    }

    void stop() {
        requests.stop();
    }

    boolean isEnded() {
        return !end.isEmpty();
    }

    /** The progress of a run; without one, {@code running} is false. */
    static Object document(@Nullable BulkRun run) {
        return run == null ? Map.of("running", false) : run.shown();
    }

    private Shown shown() {
        return new Shown(!isEnded(), action, requests.progress(), List.copyOf(notDone), end);
    }

    private record Shown(
            boolean running,
            String action,
            @JsonUnwrapped BulkRequests.Progress progress,
            List<String> first,
            String end) {}
}
