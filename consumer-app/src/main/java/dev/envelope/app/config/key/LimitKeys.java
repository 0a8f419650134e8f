package dev.envelope.app.config.key;

import static dev.envelope.app.config.key.Group.LIMITS;
import static dev.envelope.app.config.key.Key.Trait.MATTERS;
import static dev.envelope.app.config.key.Key.Trait.OF_ROWS;
import static dev.envelope.app.config.key.Key.Trait.RELOADABLE;
import static dev.envelope.app.config.key.Relation.notLargerThan;
import static dev.envelope.app.config.key.Relation.shorterThan;
import static dev.envelope.app.config.value.Quantities.bytes;
import static dev.envelope.app.config.value.Quantities.duration;
import static dev.envelope.app.config.value.Quantities.wholeNumber;
import static dev.envelope.app.config.value.Types.oneOf;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.WorkerThreads;
import dev.envelope.core.api.PoolSizing;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The settings that say how much is done at once. */
public final class LimitKeys {

    private static final int SHARDS_PER_WORKER = 4;
    private static final int LEAST_POOL = 2;
    private static final int MOST_POOL = 1_024;

    static final Keys KEYS = new Keys(LIMITS);

    public static final Key<Long> PREFETCH_MAX_BYTES =
            KEYS.add("prefetch.max.bytes", bytes("1MiB", "64GiB"), LimitKeys::prefetch)
                    .orElse("an eighth of the heap, 16MiB to 256MiB")
                    .example("64MiB")
                    .raiseIf(
                            "workers run dry while the consumer lags, or rows are written for few"
                                    + " messages each")
                    .lowerIf("memory is short")
                    .is(MATTERS)
                    .means(
                            "How many bytes of records the process fetches ahead of its"
                                    + " work, over all partitions; at the limit it pauses them.");

    public static final Key<Integer> AHEAD_MAX_RECORDS =
            KEYS.add("ahead.max.records", wholeNumber(1_000, 100_000_000), "1000000")
                    .raiseIf("one waiting key must not stop its partition for longer")
                    .lowerIf("less may be read again after a crash")
                    .means(
                            "How many offsets of a partition may be done ahead of its first"
                                    + " undone one; at the limit the partition pauses.");

    public static final Key<Integer> ENVELOPE_MAX_MESSAGES =
            KEYS.add("envelope.max.messages", wholeNumber(1, 1_000_000), "10000")
                    .raiseIf("a few hot keys bring most messages")
                    .lowerIf("hot keys make the others wait")
                    .is(MATTERS)
                    .must(notLargerThan(() -> LimitKeys.TURN_MAX_MESSAGES))
                    .means("The most messages that one key's envelope takes in a turn.");

    public static final Key<Long> ENVELOPE_MAX_BYTES =
            KEYS.add("envelope.max.bytes", bytes("64KiB", "1GiB"), "8MiB")
                    .must(notLargerThan(() -> LimitKeys.PREFETCH_MAX_BYTES))
                    .means("The most bytes that one key's envelope takes in a turn.");

    public static final Key<Integer> TURN_MAX_MESSAGES =
            KEYS.add("turn.max.messages", wholeNumber(1, 10_000_000), "20000")
                    .raiseIf("the database takes larger transactions well")
                    .lowerIf("latency matters more than writes")
                    .means("The most messages that are handled and saved in one transaction.");

    public static final Key<Duration> TURN_MAX_TIME =
            KEYS.add("turn.max.time", duration("1ms", "10s"), "250ms")
                    .lowerIf("latency matters more than writes")
                    .must(shorterThan(() -> OperationKeys.REVOKE_DRAIN_TIMEOUT))
                    .must(shorterThan(() -> HandlerKeys.HANDLER_TIMEOUT))
                    .means(
                            "How long a turn handles messages before it saves what it has; a"
                                    + " handler that takes longer is left behind with its key.");

    public static final Key<Integer> POOL_SIZE =
            KEYS.add("pool.size", wholeNumber(1, MOST_POOL), LimitKeys::cores)
                    .orElse("number of cores, at least 2")
                    .example("4")
                    .raiseIf("handlers wait for something else than the processor")
                    .lowerIf("the machine is shared")
                    .is(MATTERS, RELOADABLE)
                    .means("How many workers handle and save messages.");

    public static final Key<Integer> POOL_SIZE_MAX =
            KEYS.add("pool.size.max", wholeNumber(0, MOST_POOL), "0")
                    .example("64")
                    .raiseIf("handlers wait for others, now more and now less")
                    .must(
                            new Relation<>(
                                    "be 0, or at least",
                                    () -> LimitKeys.POOL_SIZE,
                                    (most, size) -> most == 0 || most >= size))
                    .means(
                            "The most workers. The pool starts with pool.size; it adds"
                                    + " workers while keys wait for one and more of them get more"
                                    + " done, and removes idle ones. 0: it stays at pool.size.");

    public static final Key<PoolSizing> POOL_SIZE_BY =
            KEYS.add("pool.size.by", oneOf(PoolSizing.class), "gain")
                    .example("latency")
                    .means(
                            "What decides how many workers there are between pool.size and"
                                    + " pool.size.max. gain: more are kept if they get more done."
                                    + " latency, with mode=work and one message a call: as many as"
                                    + " what the handler calls answers without becoming slower; fewer"
                                    + " when it does.");

    public static final Key<Integer> KEY_MAX_RATE =
            KEYS.add("key.max.rate", wholeNumber(0, 1_000_000), "0")
                    .example("50")
                    .raiseIf("hot keys lag behind for no reason of their own")
                    .lowerIf("one key must not take too much of what handlers call")
                    .is(RELOADABLE)
                    .means(
                            "How many messages a second of any one key are handled, on"
                                    + " average. The key waits, others flow, until its waiting"
                                    + " messages fill its partition's share of prefetch. 0: no limit.");

    public static final Key<WorkerThreads> POOL_KIND =
            KEYS.add("pool.kind", oneOf(WorkerThreads.class), "platform")
                    .example("virtual")
                    .means(
                            "The threads of workers: platform, or virtual (Java 21 or"
                                    + " later) for hundreds of workers whose handlers wait for other"
                                    + " services.");

    public static final Key<Integer> POOL_SHARDS =
            KEYS.add("pool.shards", wholeNumber(0, 65_536), "0")
                    .example("512")
                    .must(beEnoughFor(() -> LimitKeys.POOL_SIZE))
                    .must(beEnoughFor(() -> LimitKeys.POOL_SIZE_MAX))
                    .means(
                            "The number of mailboxes that the keys are spread over: a power"
                                    + " of two, or 0 for at least 256 and at least four for each"
                                    + " worker. Each takes 12 KiB once it was used.");

    public static final Key<Long> CACHE_MAX_BYTES =
            KEYS.add("cache.max.bytes", bytes("1MiB", "64GiB"), "64MiB")
                    .raiseIf("the same keys come back, and are loaded again and again")
                    .lowerIf("memory is short, or keys do not come back")
                    .is(MATTERS, OF_ROWS)
                    .means("How many bytes of states are kept in memory between turns.");

    public static final Key<Long> STATE_MAX_BYTES =
            KEYS.add("state.max.bytes", bytes("1KiB", "4MiB"), "1MiB")
                    .must(notLargerThan(() -> LimitKeys.CACHE_MAX_BYTES))
                    .is(OF_ROWS)
                    .means(
                            "How large the state of one key may get; a message that makes it larger"
                                    + " has failed.");

    public static final Key<Duration> COMMIT_INTERVAL =
            KEYS.add("commit.interval", duration("10ms", "5m"), "1s")
                    .raiseIf("commits weigh on the brokers")
                    .lowerIf("less is to be read again after a crash")
                    .means("How often offsets of saved messages are committed.");

    private LimitKeys() {}

    private static Optional<String> prefetch(Surroundings surroundings) {
        return Optional.of(
                Quantities.show(ConsumerSettings.prefetchBytes(surroundings.maxHeapBytes())));
    }

    private static Relation<Integer> beEnoughFor(Supplier<Key<Integer>> workers) {
        return new Relation<>(
                "be at least " + SHARDS_PER_WORKER + " times",
                workers,
                (shards, count) -> !isPowerOfTwo(shards) || shards >= SHARDS_PER_WORKER * count);
    }

    /** Whether a number of shards, other than 0, is allowed. */
    public static boolean isPowerOfTwo(int shards) {
        return Integer.bitCount(shards) == 1;
    }

    private static Optional<String> cores(Surroundings surroundings) {
        int workers = Math.min(MOST_POOL, Math.max(LEAST_POOL, surroundings.processors()));
        return Optional.of(Integer.toString(workers));
    }
}
