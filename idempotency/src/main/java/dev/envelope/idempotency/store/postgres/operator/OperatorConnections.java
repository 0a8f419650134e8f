package dev.envelope.idempotency.store.postgres.operator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Connections for operators' queries to a running process. A closed one is kept for a few seconds
 * for the next caller, since connecting costs ten times a query. Without callers none stays open.
 *
 * <p>Threads: guarded by this; a catalog belongs to its caller until it is closed.
 */
public final class OperatorConnections implements OperatorStore {

    private static final Duration KEPT = Duration.ofSeconds(5);
    private static final int MOST_KEPT = 2;

    private final PostgresSettings settings;
    private final LongSupplier nanoTime;
    private final long keptNanos;
    private final Executor later;

    @GuardedBy("this")
    private final Deque<Kept> idle = new ArrayDeque<>(); // newest last

    @GuardedBy("this")
    private boolean isClosed;

    private record Kept(OperatorConnection connection, long sinceNanos) {}

    /** For this database; opens no connection yet. */
    public OperatorConnections(PostgresSettings settings, LongSupplier nanoTime) {
        this(settings, nanoTime, KEPT);
    }

    OperatorConnections(PostgresSettings settings, LongSupplier nanoTime, Duration kept) {
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.keptNanos = kept.toNanos();
        this.later = CompletableFuture.delayedExecutor(keptNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public KeyCatalog keys() {
        return new PostgresKeyCatalog(take());
    }

    @Override
    public ParkedCatalog parked() {
        return new PostgresParkedCatalog(take());
    }

    @Override
    public RequestCatalog requests() {
        return new PostgresRequestCatalog(take());
    }

    @Override
    public PauseCatalog pauses() {
        return new PostgresPauseCatalog(take());
    }

    @Override
    public StoppedCatalog stopped() {
        return new PostgresStoppedCatalog(take());
    }

    @Override
    public OutputCatalog outputs() {
        return new PostgresOutputCatalog(take());
    }

    @Override
    public LockCatalog locks() {
        return new PostgresLockCatalog(take(), settings);
    }

    private OperatorConnection take() {
        OperatorConnection kept = newestIdle();
        while (kept != null) {
            if (kept.isOfUse()) {
                return kept;
            }
            kept.end(); // the server was restarted
            kept = newestIdle();
        }
        return OperatorConnection.open(settings, this::takeBack);
    }

    private synchronized @Nullable OperatorConnection newestIdle() {
        Kept newest = idle.pollLast();
        return newest == null ? null : newest.connection();
    }

    private synchronized void takeBack(OperatorConnection connection) {
        if (isClosed || idle.size() == MOST_KEPT || connection.hasFailed()) {
            connection.end();
        } else {
            idle.addLast(new Kept(connection, nanoTime.getAsLong()));
            later.execute(this::endOld);
        }
    }

    private synchronized void endOld() {
        long now = nanoTime.getAsLong();
        while (!idle.isEmpty() && now - idle.getFirst().sinceNanos() >= keptNanos) {
            idle.removeFirst().connection().end();
        }
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        idle.forEach(kept -> kept.connection().end());
        idle.clear();
    }
}
