package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.row.OutboxRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The outbox of a database in memory, as one process sees it.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryOutboxStore implements OutboxStore {

    /** Who delivers at the moment; shared by the processes. */
    public static final class Lease {
        private @Nullable String takenBy;
        private long takenUntil;
    }

    private final InMemoryDatabase database;
    private final Lease lease;
    private final String process;
    private final LongSupplier nanoTime;

    public InMemoryOutboxStore(
            InMemoryDatabase database, Lease lease, String process, LongSupplier nanoTime) {
        this.database = database;
        this.lease = lease;
        this.process = process;
        this.nanoTime = nanoTime;
    }

    @Override
    public Depth depth(int most) {
        List<InMemoryDatabase.Written> written = database.written();
        return written.isEmpty()
                ? Depth.NONE
                : new Depth(
                        Math.min(most, written.size()),
                        Duration.ofNanos(nanoTime.getAsLong() - written.get(0).nanos()));
    }

    @Override
    public boolean lead(Duration forSoLong) {
        synchronized (database) {
            long now = nanoTime.getAsLong();
            boolean isFree =
                    lease.takenBy == null
                            || lease.takenBy.equals(process)
                            || lease.takenUntil < now;
            if (isFree) {
                lease.takenBy = process;
                lease.takenUntil = now + forSoLong.toNanos();
            }
            return isFree;
        }
    }

    @Override
    public void leave() {
        synchronized (database) {
            if (process.equals(lease.takenBy)) {
                lease.takenBy = null;
            }
        }
    }

    @Override
    public Batch firstWithout(List<Long> positions, int most, long maxBytes) {
        synchronized (database) {
            List<Waiting> first = new ArrayList<>();
            long bytes = 0;
            for (InMemoryDatabase.Written written : database.written()) {
                if (positions.contains(written.position())) {
                    continue;
                }
                bytes += written.record().bytes();
                if (first.size() == most || (!first.isEmpty() && bytes > maxBytes)) {
                    break;
                }
                first.add(waiting(written));
            }
            return new Batch(database.incarnation(), first);
        }
    }

    private Waiting waiting(InMemoryDatabase.Written written) {
        OutboxRecord record = written.record();
        return new Waiting(
                written.position(),
                database.origin(record.origin(), record.ordinal()),
                record.topic(),
                record.key(),
                record.value(),
                new RecordHeaders(record.headers().toArray()));
    }

    @Override
    public void delete(List<Long> positions, Incarnation incarnation) {
        database.deleteWritten(positions, incarnation);
    }
}
