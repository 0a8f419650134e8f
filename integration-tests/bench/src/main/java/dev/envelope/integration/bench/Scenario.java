package dev.envelope.integration.bench;

import dev.envelope.core.WorkerThreads;
import dev.envelope.integration.bench.client.Workload;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A question to the contestants: which records, in which way, and who is asked.
 *
 * <p>Threads: immutable.
 *
 * @param name as on the command line
 * @param contestants who is asked unless the command line says otherwise
 * @param hardship what makes it harder
 */
record Scenario(
        String name,
        String title,
        Mode mode,
        Workload workload,
        List<Contestant> contestants,
        Hardship hardship) {

    /** In which way. */
    enum Mode {
        /** A topic that is there, as fast as it goes. */
        SPEED,
        /** The same with a handler that blocks, for a fixed time. */
        BLOCKING,
        /** Records that come at a fixed rate. */
        LATENCY,
        /** A topic whose every record has been applied before. */
        REPLAY,
        /** How much of the heap lives. */
        LIVE_HEAP,
        /** Whether a small heap is enough. */
        SMALL_HEAP,
        /** From the start of the process. */
        START,
        /** Two instances of which one is killed. */
        TAKEOVER,
        /** A second instance that joins. */
        REBALANCE,
        /** The whole program, whose page and API somebody uses. */
        WATCHED
    }

    static final int BLOCK_MILLIS = 5;

    private static final int MILLION = 1_000_000;

    private static final String MOST =
            "envelope,loop,fold,loop-copy,spring,pc-batch,streams,streams-eos,record,pc16,pc64,poll,"
                    + "memfold,upsert";

    static final List<Scenario> EVERY =
            List.of(
                    speed("1000", "1,000 keys", "1000", MILLION, MOST),
                    speed(
                            "4m",
                            "1,000 keys, 4,000,000 records",
                            "1000",
                            4 * MILLION,
                            "envelope,loop,fold,poll,memfold"),
                    speed("100k", "100,000 keys", "100k", MILLION, MOST),
                    speed(
                            "100k4m",
                            "100,000 keys, 4,000,000 records",
                            "100k",
                            4 * MILLION,
                            "envelope,loop,fold"),
                    speed(
                            "zipf",
                            "Zipf over 1,000,000 keys",
                            "zipf",
                            MILLION,
                            "envelope,loop,fold,spring,streams,record,pc64,poll,memfold"),
                    speed("unique", "all unique", "unique", MILLION, MOST),
                    speed(
                            "single",
                            "one single key",
                            "single",
                            MILLION,
                            "envelope,loop,fold,record,pc16,poll,memfold"),
                    of(
                            "blocking",
                            "handler that blocks 5 ms, 10,000 keys",
                            Mode.BLOCKING,
                            "10k",
                            2 * MILLION,
                            "envelope,pool64,pc64"),
                    of(
                            "virtual",
                            "handler that blocks 5 ms, 256 virtual threads",
                            Mode.BLOCKING,
                            "10k",
                            2 * MILLION,
                            "virtual256,pool256"),
                    of(
                            "latency1000",
                            "1,000 records/s",
                            Mode.LATENCY,
                            "10k",
                            1_000,
                            "envelope,loop,pc16"),
                    of(
                            "latency5000",
                            "5,000 records/s",
                            Mode.LATENCY,
                            "10k",
                            5_000,
                            "envelope,loop,pc16"),
                    speed(
                            "emit",
                            "100,000 keys, 4,000,000 records, with an output for each message and without",
                            "100k",
                            4 * MILLION,
                            "envelope,emit"),
                    steady("steady1000", "1,000 keys, 8,000,000 records", "1000"),
                    steady("steady100k", "100,000 keys, 8,000,000 records", "100k"),
                    steady("steadyzipf", "Zipf over 1,000,000 keys, 8,000,000 records", "zipf"),
                    steady("steadyunique", "all unique, 8,000,000 records", "unique"),
                    away("0", Duration.ZERO),
                    away("1", Duration.ofMillis(1)),
                    away("2.5", Duration.ofNanos(2_500_000)),
                    away("12", Duration.ofMillis(12)),
                    beside("1000", "1,000 keys, 4,000,000 records"),
                    beside("100k", "100,000 keys, 4,000,000 records"),
                    speed(
                            "layers",
                            "100,000 keys, with its layers and without",
                            "100k",
                            MILLION,
                            "envelope,no-cache,no-envelopes"),
                    of(
                            "emit-latency",
                            "1,000 outputs/s, from the save to the commit in Kafka",
                            Mode.LATENCY,
                            "10k",
                            1_000,
                            "emit"),
                    of(
                            "replay1000",
                            "replay of duplicates, 1,000 keys",
                            Mode.REPLAY,
                            "1000",
                            MILLION,
                            "envelope,fold,poll"),
                    of(
                            "replay100k",
                            "replay of duplicates, 100,000 keys",
                            Mode.REPLAY,
                            "100k",
                            MILLION,
                            "envelope,fold,poll"),
                    of(
                            "heap100k",
                            "live heap, 100,000 keys",
                            Mode.LIVE_HEAP,
                            "100k",
                            2 * MILLION,
                            "envelope"),
                    of(
                            "heap10m",
                            "live heap, 10,000,000 keys",
                            Mode.LIVE_HEAP,
                            "unique",
                            10 * MILLION,
                            "envelope"),
                    of(
                            "small10m",
                            "10,000,000 keys with `-Xmx256m`",
                            Mode.SMALL_HEAP,
                            "unique",
                            10 * MILLION,
                            "envelope"),
                    of("start", "start", Mode.START, "1000", 20_000, "envelope,loop,spring"),
                    of(
                            "takeover",
                            "takeover after kill -9, 2,000 records/s",
                            Mode.TAKEOVER,
                            "10k",
                            2_000,
                            "envelope"),
                    of(
                            "rebalance",
                            "a second instance joins, 5,000 records/s",
                            Mode.REBALANCE,
                            "10k",
                            5_000,
                            "envelope"),
                    of(
                            "watched",
                            "1,000 keys, page and API in use",
                            Mode.WATCHED,
                            "1000",
                            60 * MILLION,
                            "program-alone,program-stuck,program-asked"));

    private static Scenario speed(
            String name, String title, String keys, int records, String contestants) {
        return of(name, title, Mode.SPEED, keys, records, contestants);
    }

    /** So many records that their second half finds everything warm. */
    private static Scenario steady(String name, String title, String keys) {
        return speed(name, title, keys, 8 * MILLION, "envelope,loop,loop-copy");
    }

    /** With a round trip to Postgres of so many milliseconds. */
    private static Scenario away(String millis, Duration roundTrip) {
        return speed(
                        "away" + millis,
                        "100,000 keys, 4,000,000 records, Postgres %s ms away".formatted(millis),
                        "100k",
                        4 * MILLION,
                        "envelope,loop,spring")
                .under(Hardship.away(roundTrip));
    }

    /** Beside something else that takes one of the cores. */
    private static Scenario beside(String keys, String title) {
        return speed(
                        "beside" + keys,
                        title + ", beside a neighbour that keeps one core busy",
                        keys,
                        4 * MILLION,
                        "envelope,loop")
                .under(Hardship.NEIGHBOUR);
    }

    private Scenario under(Hardship other) {
        return new Scenario(name, title, mode, workload, contestants, other);
    }

    /**
     * One of the list.
     *
     * @param records how many there are, or for those that come at a rate, how many a second
     */
    private static Scenario of(
            String name, String title, Mode mode, String keys, int records, String contestants) {
        return new Scenario(
                name, title, mode, Workload.of(keys, records), named(contestants), Hardship.NONE);
    }

    static List<Contestant> named(String contestants) {
        return Arrays.stream(contestants.split(","))
                .map(String::strip)
                .map(
                        name ->
                                Contestant.find(name)
                                        .orElseThrow(
                                                () ->
                                                        new IllegalArgumentException(
                                                                "no such contestant: " + name)))
                .toList();
    }

    static Optional<Scenario> find(String name) {
        return EVERY.stream().filter(each -> each.name.equals(name)).findFirst();
    }

    /** The same with at most so many records, or so many a second. */
    Scenario atMost(int records) {
        return new Scenario(
                name,
                title,
                mode,
                Workload.of(workload.name(), Math.min(records, workload.records())),
                contestants,
                hardship);
    }

    /** The same with these of its contestants, and others that are asked for by name. */
    Scenario among(List<Contestant> asked) {
        return new Scenario(name, title, mode, workload, asked, hardship);
    }

    /** Whether its records are there before a run begins. */
    boolean isPreloaded() {
        return switch (mode) {
            case LATENCY, TAKEOVER, REBALANCE -> false;
            default -> true;
        };
    }

    /**
     * Whether it is asked without being named: what takes long, and says nothing of others, is not.
     */
    boolean isUsual() {
        return mode != Mode.WATCHED
                && !name.startsWith("emit")
                && !isLong()
                && hardship.equals(Hardship.NONE)
                && !name.equals("layers")
                && (!name.equals("virtual") || WorkerThreads.VIRTUAL.areThere());
    }

    /** Whether records per second are what it asks for. */
    boolean asksForSpeed() {
        return switch (mode) {
            case SPEED, BLOCKING, REPLAY -> true;
            default -> false;
        };
    }

    /** Whether its second half says what a process does that has run for a while. */
    boolean isLong() {
        return mode == Mode.SPEED && name.startsWith("steady");
    }

    /** Whether more than one round says more. */
    boolean isRepeated() {
        return mode != Mode.LIVE_HEAP && mode != Mode.SMALL_HEAP;
    }
}
