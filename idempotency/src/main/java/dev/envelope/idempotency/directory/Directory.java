package dev.envelope.idempotency.directory;

import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.store.directory.DirectoryStore;
import dev.envelope.idempotency.store.directory.DirectoryStore.Claim;
import dev.envelope.idempotency.store.directory.DirectoryStore.Owner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Which process owns which partition, as it was a moment ago. Tells what this process owns.
 *
 * <p>Threads: one thread looks; any may ask (what was seen is one volatile reference).
 */
public final class Directory {

    /** A claim is forgotten after ten seconds. */
    private static final long TELL_AGAIN = Duration.ofSeconds(3).toNanos();

    private final DirectoryStore store;
    private final Supplier<EngineStatus> engine;
    private final String address;
    private final LongSupplier nanoTime;
    private volatile Map<TopicPartition, Owner> owners = Map.of();
    private @Nullable Claim told;
    private long toldAt;

    /**
     * @param address of this process's gateway, as others reach it
     */
    public Directory(
            DirectoryStore store,
            Supplier<EngineStatus> engine,
            String address,
            LongSupplier nanoTime) {
        this.store = store;
        this.engine = engine;
        this.address = address;
        this.nanoTime = nanoTime;
    }

    /** Tells what this process owns, and reads what others have told. May block. */
    public void look() {
        Claim now = claim(engine.get());
        long at = nanoTime.getAsLong();
        if (!now.equals(told) || at - toldAt >= TELL_AGAIN) {
            told = store.tell(now) ? now : null;
            toldAt = at;
        }
        Map<TopicPartition, Owner> seen = new HashMap<>();
        for (Owner owner : store.owners()) {
            for (TopicPartition partition : owner.claim().partitions()) {
                seen.merge(partition, owner, Directory::later);
            }
        }
        owners = Map.copyOf(seen);
    }

    private Claim claim(EngineStatus status) {
        return new Claim(
                address,
                status.generation(),
                status.partitions().stream()
                        .map(PartitionStatus::partition)
                        .collect(Collectors.toSet()));
    }

    /** A process that hangs goes on claiming what it had; its generation stays behind. */
    private static Owner later(Owner one, Owner other) {
        return other.claim().generation() > one.claim().generation() ? other : one;
    }

    /** Who owned the partition a moment ago, if anybody has told so. */
    public Optional<Owner> owner(TopicPartition partition) {
        return Optional.ofNullable(owners.get(partition));
    }
}
