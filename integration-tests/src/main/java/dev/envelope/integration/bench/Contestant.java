package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.ClientSpec.Kind;

/**
 * A way to bring a topic into rows, and where its rows are found.
 *
 * <p>Threads: immutable.
 *
 * @param name as on the command line
 * @param most on how many records of the topic it is measured at the most, because it is slow
 * @param rows key, balance, count and, where it is kept, the sequence of the last booking
 */
record Contestant(String name, String title, Kind kind, int most, String rows) {

    private static final String LEDGER_ROWS = "SELECT key, balance, count, last FROM %s.ledger";

    static final Contestant ENVELOPE =
            new Contestant(
                    "envelope",
                    "Envelope, handler class",
                    Kind.ENVELOPE,
                    Integer.MAX_VALUE,
                    "SELECT key, (state->>'balance')::int8, (state->>'count')::int8,"
                            + " (state->>'last')::int8 FROM %s.state");
    static final Contestant ENVELOPE_FOLD =
            new Contestant(
                    "fold",
                    "Envelope, `handler=fold`",
                    Kind.ENVELOPE_FOLD,
                    Integer.MAX_VALUE,
                    "SELECT key, (state->>'balance')::int8, (state->>'count')::int8, NULL"
                            + " FROM %s.state");
    static final Contestant BATCH_LOOP =
            new Contestant(
                    "loop",
                    "hand-written batch loop",
                    Kind.BATCH_LOOP,
                    Integer.MAX_VALUE,
                    LEDGER_ROWS);
    static final Contestant RECORD_LOOP =
            new Contestant(
                    "record", "one transaction per record", Kind.RECORD_LOOP, 20_000, LEDGER_ROWS);

    boolean isOurs() {
        return kind == Kind.ENVELOPE || kind == Kind.ENVELOPE_FOLD;
    }

    int records(Workload workload) {
        return Math.min(most, workload.records());
    }
}
