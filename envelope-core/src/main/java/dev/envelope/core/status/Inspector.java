package dev.envelope.core.status;

import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.MessageName;
import dev.envelope.core.pool.WorkerPool;
import java.time.Duration;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks at what the engine is at, from outside: it asks nobody, and nobody waits for it. What it
 * sees may be over by the time that it is read.
 *
 * <p>Threads: thread-safe.
 */
public final class Inspector {

    private final Shards shards;
    private final WorkerPool pool;
    private final Ticker ticker;

    public Inspector(Shards shards, WorkerPool pool, Ticker ticker) {
        this.shards = shards;
        this.pool = pool;
        this.ticker = ticker;
    }

    /** What a key is doing, if it is in a turn or something keeps it waiting. */
    public Optional<Standing> standing(String key) {
        return pool.running().standing(key).or(() -> shards.standing(key));
    }

    /** The keys that something keeps waiting, longest first, at most so many. */
    public List<Map.Entry<String, Standing>> longestWaiting(int most) {
        return shards.longestWaiting(most);
    }

    /** The keys that wait for something that is away besides the servers, by what that is. */
    public List<WaitingKeys> waitingForOthers() {
        Map<Doing, WaitingKeys> found = new EnumMap<>(Doing.class);
        shards.waitingKeys()
                .filter(it -> Doing.WAITS_FOR_OTHERS.contains(it.getValue().doing()))
                .forEach(
                        it ->
                                found.merge(
                                        it.getValue().doing(),
                                        waiting(it.getKey(), it.getValue()),
                                        Inspector::together));
        return List.copyOf(found.values());
    }

    private WaitingKeys waiting(String key, Standing standing) {
        return new WaitingKeys(standing.doing(), 1, key, standing, since(standing));
    }

    private static WaitingKeys together(WaitingKeys one, WaitingKeys other) {
        WaitingKeys longer = one.forSoLong().compareTo(other.forSoLong()) >= 0 ? one : other;
        return new WaitingKeys(
                longer.doing(),
                one.keys() + other.keys(),
                longer.key(),
                longer.standing(),
                longer.forSoLong());
    }

    /** How long ago that began. */
    public Duration since(Standing standing) {
        return Duration.ofNanos(Math.max(0, ticker.nanoTime() - standing.sinceNanos()));
    }

    /** What each partition waits for that waits for anything, the longest first. */
    public List<Holdup> holdups(EngineStatus status) {
        return status.partitions().stream()
                .flatMap(partition -> holdup(partition).stream())
                .sorted(
                        Comparator.comparingLong(
                                        (Holdup it) -> it.partition().oldestUnackedMillis())
                                .reversed())
                .toList();
    }

    private Optional<Holdup> holdup(PartitionStatus partition) {
        MessageName first = partition.firstUnackedMessage();
        if (first == null) {
            return Optional.empty();
        }
        Duration age = Duration.ofMillis(partition.oldestUnackedMillis());
        Holdup holdup =
                standing(first.key())
                        .map(it -> new Holdup(partition, first, it, since(it)))
                        .orElseGet(() -> new Holdup(partition, first, queued(age), age));
        return Optional.of(holdup);
    }

    private Standing queued(Duration age) {
        return new Standing(Doing.QUEUED, ticker.nanoTime() - age.toNanos(), 1, 0, "");
    }
}
