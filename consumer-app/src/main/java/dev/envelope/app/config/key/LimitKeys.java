package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.LIMITS;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.config.value.Types;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.WorkerThreads;
import java.time.Duration;
import java.util.List;

/**
 * The settings that say how much is done at once.
 *
 * <p>Threads: stateless.
 */
public final class LimitKeys {

    private static final int LEAST_POOL = 2;
    private static final int MOST_POOL = 1_024;

    public static final Key<Long> PREFETCH_MAX_BYTES =
            Key.named("prefetch.max.bytes", Quantities.bytes("1MiB", "64GiB"))
                    .orElse("an eighth of the heap, 16MiB to 256MiB", LimitKeys::prefetch)
                    .example("64MiB")
                    .raiseIf(
                            "workers run dry while the consumer lags, or rows are written for few"
                                    + " messages each")
                    .lowerIf("memory is short")
                    .matters()
                    .means(
                            LIMITS,
                            "How many bytes of records the process fetches ahead of its work, over"
                                    + " all partitions; at the bound it pauses them.");

    public static final Key<Integer> AHEAD_MAX_RECORDS =
            Key.named("ahead.max.records", Quantities.wholeNumber(1_000, 100_000_000))
                    .orElse("1000000")
                    .raiseIf("one waiting key must not stop its partition for longer")
                    .lowerIf("less may be read again after a crash")
                    .means(
                            LIMITS,
                            "How many offsets of a partition may be done ahead of its first undone"
                                    + " one; at the bound the partition pauses.");

    public static final Key<Integer> ENVELOPE_MAX_MESSAGES =
            Key.named("envelope.max.messages", Quantities.wholeNumber(1, 1_000_000))
                    .orElse("10000")
                    .raiseIf("a few hot keys bring most messages")
                    .lowerIf("hot keys make the others wait")
                    .matters()
                    .means(LIMITS, "The most messages that one key's envelope takes in a turn.");

    public static final Key<Long> ENVELOPE_MAX_BYTES =
            Key.named("envelope.max.bytes", Quantities.bytes("64KiB", "1GiB"))
                    .orElse("8MiB")
                    .means(LIMITS, "The most bytes that one key's envelope takes in a turn.");

    public static final Key<Integer> TURN_MAX_MESSAGES =
            Key.named("turn.max.messages", Quantities.wholeNumber(1, 10_000_000))
                    .orElse("20000")
                    .raiseIf("the database takes larger transactions well")
                    .lowerIf("latency matters more than writes")
                    .means(
                            LIMITS,
                            "The most messages that are handled and saved in one transaction.");

    public static final Key<Duration> TURN_MAX_TIME =
            Key.named("turn.max.time", Quantities.duration("1ms", "10s"))
                    .orElse("250ms")
                    .lowerIf("latency matters more than writes")
                    .means(
                            LIMITS,
                            "How long a turn handles messages before it saves what it has; a handler"
                                    + " that takes longer is left behind with its key.");

    public static final Key<Integer> POOL_SIZE =
            Key.named("pool.size", Quantities.wholeNumber(1, MOST_POOL))
                    .orElse("number of cores, at least 2", LimitKeys::cores)
                    .example("4")
                    .raiseIf("handlers wait for something else than the processor")
                    .lowerIf("the machine is shared")
                    .matters()
                    .reloadable()
                    .means(LIMITS, "How many workers handle and save messages.");

    public static final Key<Integer> POOL_SIZE_MAX =
            Key.named("pool.size.max", Quantities.wholeNumber(0, MOST_POOL))
                    .orElse("0")
                    .example("64")
                    .raiseIf("handlers wait for others, now more and now less")
                    .means(
                            LIMITS,
                            "How many workers there may come to be: beginning with pool.size, more"
                                    + " while keys wait for one and more of them get more done, fewer"
                                    + " when some have nothing to do; 0 keeps to pool.size.");

    public static final Key<Integer> KEY_MAX_RATE =
            Key.named("key.max.rate", Quantities.wholeNumber(0, 1_000_000))
                    .orElse("0")
                    .example("50")
                    .raiseIf("hot keys lag behind for no reason of their own")
                    .lowerIf("one key must not take too much of what handlers call")
                    .reloadable()
                    .means(
                            LIMITS,
                            "How many messages a second of any one key are handled, on average."
                                    + " The key waits, others flow, until what waits of it is its"
                                    + " partition's share of prefetch. 0 is no bound.");

    public static final Key<WorkerThreads> POOL_KIND =
            Key.named("pool.kind", Types.oneOf(WorkerThreads.class))
                    .orElse("platform")
                    .example("virtual")
                    .means(
                            LIMITS,
                            "On which threads workers run: platform, or virtual (Java 21 or later), for"
                                    + " hundreds of workers whose handlers wait for something else.");

    public static final Key<Integer> POOL_SHARDS =
            Key.named("pool.shards", Quantities.wholeNumber(0, 65_536))
                    .orElse("0")
                    .example("64")
                    .means(
                            LIMITS,
                            "Over how many mailboxes the keys are spread: a power of two, or 0 for"
                                    + " at least 16 and at least four for each worker.");

    public static final Key<Long> CACHE_MAX_BYTES =
            Key.named("cache.max.bytes", Quantities.bytes("1MiB", "64GiB"))
                    .orElse("64MiB")
                    .raiseIf("the same keys come back, and are loaded again and again")
                    .lowerIf("memory is short, or keys do not come back")
                    .matters()
                    .means(LIMITS, "How many bytes of states are kept in memory between turns.");

    public static final Key<Long> STATE_MAX_BYTES =
            Key.named("state.max.bytes", Quantities.bytes("1KiB", "4MiB"))
                    .orElse("1MiB")
                    .means(
                            LIMITS,
                            "How large the state of one key may get; a message that makes it larger"
                                    + " has failed.");

    public static final Key<Duration> COMMIT_INTERVAL =
            Key.named("commit.interval", Quantities.duration("10ms", "5m"))
                    .orElse("1s")
                    .raiseIf("commits weigh on the brokers")
                    .lowerIf("less is to be read again after a crash")
                    .means(LIMITS, "How often offsets of saved messages are committed.");

    static final List<Key<?>> ALL =
            List.of(
                    PREFETCH_MAX_BYTES,
                    AHEAD_MAX_RECORDS,
                    ENVELOPE_MAX_MESSAGES,
                    ENVELOPE_MAX_BYTES,
                    TURN_MAX_MESSAGES,
                    TURN_MAX_TIME,
                    POOL_SIZE,
                    POOL_SIZE_MAX,
                    KEY_MAX_RATE,
                    POOL_KIND,
                    POOL_SHARDS,
                    CACHE_MAX_BYTES,
                    STATE_MAX_BYTES,
                    COMMIT_INTERVAL);

    private LimitKeys() {}

    private static String prefetch(Surroundings surroundings) {
        return Quantities.show(ConsumerSettings.prefetchBytes(surroundings.maxHeapBytes()));
    }

    private static String cores(Surroundings surroundings) {
        int workers = Math.min(MOST_POOL, Math.max(LEAST_POOL, surroundings.processors()));
        return Integer.toString(workers);
    }
}
