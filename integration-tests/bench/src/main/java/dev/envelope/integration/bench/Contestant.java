package dev.envelope.integration.bench;

import java.util.List;
import java.util.Optional;

/**
 * A way to bring a topic into rows, and where its rows are found.
 *
 * <p>Threads: immutable.
 *
 * @param name as on the command line
 * @param settings what it is and how it is tuned, for the page
 * @param most on how many records of a topic it is measured at the most, because it is slow
 * @param rows where its accounts are
 */
record Contestant(String name, String title, String settings, int most, Rows rows) {

    private static final int ALL = Integer.MAX_VALUE;

    /** Where the accounts of a contestant are: key, balance, count, last, hash. */
    enum Rows {
        /** In the table of ours, with every field of the ledger. */
        OURS(
                "SELECT key, (state->>'balance')::int8, (state->>'count')::int8,"
                        + " (state->>'last')::int8, (state->>'hash')::int8 FROM %s.state"),
        /** In the table of ours, with what the built-in fold keeps. */
        OURS_FOLDED(
                "SELECT key, (state->>'balance')::int8, (state->>'count')::int8, NULL::int8,"
                        + " NULL::int8 FROM %s.state"),
        /** In a table with plain columns. */
        LEDGER("SELECT key, balance, count, last, hash FROM %s.ledger"),
        /** Nowhere. */
        NONE("");

        private final String sql;

        Rows(String sql) {
            this.sql = sql;
        }

        String sql(String schema) {
            return sql.formatted(schema);
        }

        boolean areOurs() {
            return this == OURS || this == OURS_FOLDED;
        }
    }

    static final Contestant ENVELOPE =
            new Contestant(
                    "envelope",
                    "Envelope, handler class",
                    "every default of the program; state as a record bound to JSON; 64 workers"
                            + " where the handler blocks",
                    ALL,
                    Rows.OURS);
    static final Contestant NO_CACHE =
            new Contestant(
                    "no-cache",
                    "Envelope without its cache",
                    "as the handler class, with `cache.max.bytes=0`: each row is read before it is"
                            + " written",
                    ALL,
                    Rows.OURS);
    static final Contestant NO_ENVELOPES =
            new Contestant(
                    "no-envelopes",
                    "Envelope without envelopes",
                    "as the handler class, with `envelope.max.messages=1`: a row is written for"
                            + " each message, and the next of its key waits",
                    ALL,
                    Rows.OURS);
    static final Contestant ENVELOPE_EMIT =
            new Contestant(
                    "emit",
                    "Envelope, a handler that emits",
                    "as the handler class, with one output for each message, which is not done"
                            + " before its output is committed in Kafka",
                    ALL,
                    Rows.OURS);
    static final Contestant ENVELOPE_FOLD =
            new Contestant(
                    "fold",
                    "Envelope, `handler=fold`",
                    "every default of the program; `sum(/amount)` and `count()`",
                    ALL,
                    Rows.OURS_FOLDED);
    static final Contestant LOOP =
            new Contestant(
                    "loop",
                    "hand-written loop",
                    "two consumers with half of the partitions each, assigned by hand; 5,000"
                            + " records a poll; streaming JSON parser; states of the last 100,000 to"
                            + " 200,000 keys cached, the others read by `= ANY`; one upsert over"
                            + " `unnest`, sorted by key, with the offsets in the same transaction; the"
                            + " next poll and fold while it is written. No version check, no retry,"
                            + " nothing for a message at fault, no rebalance",
                    ALL,
                    Rows.LEDGER);
    static final Contestant LOOP_COPY =
            new Contestant(
                    "loop-copy",
                    "hand-written loop with `COPY`",
                    "as the loop; keys without a row come in by binary `COPY`, the others by"
                            + " `UPDATE … FROM unnest`",
                    ALL,
                    Rows.LEDGER);
    static final Contestant RECORD =
            new Contestant(
                    "record",
                    "one transaction per record",
                    "one consumer, one connection; upsert and offset in a transaction",
                    20_000,
                    Rows.LEDGER);
    static final Contestant SPRING =
            new Contestant(
                    "spring",
                    "Spring Kafka batch listener",
                    "Spring Kafka 4.1.1, concurrency 2, 5,000 records a poll, acknowledged a batch;"
                            + " in one transaction the records' places into a dedupe table (one `INSERT"
                            + " … ON CONFLICT DO NOTHING RETURNING` over `unnest`), those that are new"
                            + " folded by key, upserts as a JDBC batch sorted by key;"
                            + " `prepareThreshold=1`",
                    ALL,
                    Rows.LEDGER);
    static final Contestant PC_16 = parallel(16);
    static final Contestant PC_64 = parallel(64);
    static final Contestant PC_BATCH =
            new Contestant(
                    "pc-batch",
                    "Parallel Consumer, batches",
                    "Parallel Consumer 0.5.3.3, in the order of keys, `maxConcurrency` 4,"
                            + " `batchSize` 500, a connection each; one upsert over `unnest` a batch."
                            + " No dedupe: what is redelivered counts twice",
                    ALL,
                    Rows.LEDGER);
    static final Contestant STREAMS =
            streams("streams", "Kafka Streams, at least once", "`at_least_once`");
    static final Contestant STREAMS_EOS =
            streams("streams-eos", "Kafka Streams, exactly once", "`exactly_once_v2`");
    static final Contestant POOL_64 =
            new Contestant(
                    "pool64",
                    "hand-written pool of 64 threads",
                    "one consumer, 5,000 records a poll; each thread has its share of the keys and"
                            + " its accounts in memory; two batches under way; writes of the loop",
                    ALL,
                    Rows.LEDGER);
    static final Contestant VIRTUAL_256 =
            new Contestant(
                    "virtual256",
                    "Envelope, 256 virtual threads",
                    "handler class; `pool.kind=virtual`, `pool.size=256` (Java 21 or later)",
                    ALL,
                    Rows.OURS);
    static final Contestant POOL_256 =
            new Contestant(
                    "pool256",
                    "hand-written pool of 256 virtual threads",
                    "as the one of 64 threads (Java 21 or later)",
                    ALL,
                    Rows.LEDGER);
    static final Contestant POLL =
            new Contestant(
                    "poll",
                    "limit: poll only",
                    "one consumer, 5,000 records a poll, thrown away",
                    ALL,
                    Rows.NONE);
    static final Contestant MEMFOLD =
            new Contestant(
                    "memfold",
                    "limit: poll, parse, fold in memory",
                    "two consumers as the loop's; nothing is saved; the accounts are brought into"
                            + " the table after the clock has stopped",
                    ALL,
                    Rows.LEDGER);
    static final Contestant UPSERT =
            new Contestant(
                    "upsert",
                    "limit: Postgres' bulk upsert",
                    "no Kafka, no JSON: the rows that batches of 5,000 records make, prepared"
                            + " beforehand, sorted, upserted over `unnest` on two connections",
                    ALL,
                    Rows.LEDGER);

    static final Contestant PROGRAM_ALONE =
            program(
                    "program-alone",
                    "the whole program, nobody there",
                    "measured as with those below: how far the way of measuring is off");
    static final Contestant PROGRAM_STUCK =
            program(
                    "program-stuck",
                    "the whole program, 64 clients that hang",
                    "half of them have sent half a request, half have asked for the live page (eight get it) and"
                            + " read nothing");
    static final Contestant PROGRAM_ASKED =
            program(
                    "program-asked",
                    "the whole program, 200 requests/s, of which 50 are answered",
                    "for status, partitions, stuck keys, a key's row, metrics, the live page's data;"
                            + " who asks takes of the same two cores");

    static final List<Contestant> EVERY =
            List.of(
                    ENVELOPE,
                    ENVELOPE_EMIT,
                    NO_CACHE,
                    NO_ENVELOPES,
                    LOOP,
                    ENVELOPE_FOLD,
                    LOOP_COPY,
                    SPRING,
                    PC_BATCH,
                    STREAMS,
                    STREAMS_EOS,
                    RECORD,
                    PC_16,
                    PC_64,
                    POOL_64,
                    VIRTUAL_256,
                    POOL_256,
                    POLL,
                    MEMFOLD,
                    UPSERT,
                    PROGRAM_ALONE,
                    PROGRAM_STUCK,
                    PROGRAM_ASKED);

    private static Contestant program(String name, String title, String settings) {
        return new Contestant(
                name,
                title,
                "`envelope run`, `handler=fold`, every default; " + settings,
                ALL,
                Rows.OURS_FOLDED);
    }

    private static Contestant parallel(int threads) {
        return new Contestant(
                "pc" + threads,
                "Parallel Consumer, " + threads + " threads",
                "Parallel Consumer 0.5.3.3, in the order of keys, `maxConcurrency` "
                        + threads
                        + ", asynchronous commits, a connection each; one transaction per record."
                        + " No dedupe: what is redelivered counts twice",
                30_000,
                Rows.LEDGER);
    }

    private static Contestant streams(String name, String title, String guarantee) {
        return new Contestant(
                name,
                title,
                guarantee
                        + ", 2 threads, 64 MB of cache, RocksDB with a changelog topic, a commit"
                        + " every second and at the end, state of 32 bytes. **Its state is not in"
                        + " Postgres**, so it does less than the others",
                ALL,
                Rows.LEDGER);
    }

    static Optional<Contestant> find(String name) {
        return EVERY.stream().filter(each -> each.name.equals(name)).findFirst();
    }

    /** On how many records of a scenario it is measured. */
    int records(Scenario scenario) {
        return scenario.mode() == Scenario.Mode.SPEED
                ? Math.min(most, scenario.workload().records())
                : scenario.workload().records();
    }
}
