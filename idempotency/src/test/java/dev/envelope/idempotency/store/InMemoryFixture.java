package dev.envelope.idempotency.store;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A store in memory under the contract. */
final class InMemoryFixture implements StoreFixture {

    private final InMemoryDatabase database = new InMemoryDatabase(InMemoryFixture::nanos);
    private final InMemoryOutboxStore.Lease lease = new InMemoryOutboxStore.Lease();

    private static long nanos() {
        return Duration.between(Instant.EPOCH, Instant.now()).toNanos();
    }

    InMemoryDatabase database() {
        return database;
    }

    @Override
    public StateStore states() {
        return new InMemoryStateStore(database);
    }

    @Override
    public Checkpoints checkpoints() {
        return new InMemoryCheckpoints(database);
    }

    @Override
    public SourceCopies sources() {
        return new InMemorySourceCopies(database);
    }

    @Override
    public RowReads reads() {
        return new InMemoryRowReads(database);
    }

    @Override
    public OutboxStore outbox(String process) {
        return new InMemoryOutboxStore(database, lease, process, InMemoryFixture::nanos);
    }

    @Override
    public Started start(String process) {
        InMemoryOutputStore outputs = new InMemoryOutputStore(database);
        InMemoryParkedStore parked =
                new InMemoryParkedStore(database, process, System::nanoTime, outputs::numberIn);
        return new Started(
                new InMemoryStateStore(database, outputs::numberIn),
                parked,
                parked,
                outputs,
                new InMemoryTimerStore(database, outputs::numberIn));
    }

    @Override
    public RequestStore requests(String process) {
        return new InMemoryParkedStore(database, process, System::nanoTime);
    }

    @Override
    public void ask(
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state) {
        new InMemoryParkedStore(database, "operator", System::nanoTime)
                .ask(key, action, position, version, state);
    }

    @Override
    public void deleteRow(String key) {
        database.deleteRow(key);
    }

    @Override
    public List<ParkedRecord> parked() {
        return database.parked().stream()
                .map(
                        parked ->
                                new ParkedRecord(
                                        parked.rowKey() == null ? "" : parked.rowKey(),
                                        parked.message().epoch().source(),
                                        parked.message().offset(),
                                        new String(
                                                parked.message().value(), StandardCharsets.UTF_8),
                                        parked.reason()))
                .toList();
    }

    @Override
    public List<String> skipped() {
        return database.skipped();
    }

    @Override
    public void purgedTo(int source, NextOffset next) {
        database.purgedTo(source, next);
    }

    @Override
    public void dropWithoutRow(int source, long offset) {
        database.dropWithoutRow(
                it -> it.message().epoch().source() == source && it.message().offset() == offset);
    }

    @Override
    public boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        return database.pause(kind, name, time);
    }

    @Override
    public boolean resume(Pauses.Kind kind, String name) {
        return database.resume(kind, name);
    }

    @Override
    public boolean castsToJsonb(String key) {
        byte[] state = database.rows().getOrDefault(key, Snapshot.absent(key)).state();
        return state != null && JsonbText.isAccepted(state);
    }

    @Override
    public void close() {}
}
