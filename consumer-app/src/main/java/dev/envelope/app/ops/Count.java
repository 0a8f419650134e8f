package dev.envelope.app.ops;

import io.micrometer.core.instrument.Tags;

/** The counters, by the names that dashboards know. */
enum Count {
    FETCHED("envelope.records.fetched", "Records that polls brought"),
    FETCHED_BYTES("envelope.bytes.fetched", "Their bytes"),
    APPLIED("applied"),
    DUPLICATE("duplicate"),
    PARKED("parked"),
    DEAD_LETTERED("dead-lettered"),
    EMITTED("envelope.outputs.emitted", "Outputs of handlers that were saved"),
    WRITES("envelope.writes", "Rows written: one for each envelope"),
    CONFLICTS("envelope.cas.conflicts", "Rows that had moved on before the save"),
    PURGED("envelope.rows.purged", "Rows of deleted keys that were taken away"),
    GAPS("envelope.gap.records", "Offsets that were gone from the log before they were applied"),
    FAILED_ATTEMPTS("envelope.attempts.failed", "Messages that failed an attempt"),
    HANDLER_TIMEOUTS(
            "envelope.handler.timeouts",
            "Handlers that were interrupted because they took too long for one message"),
    WORKER_RESTARTS(
            "envelope.worker.restarts",
            "Workers that took the place of one whose handler ignored the interrupt"),
    STORE_UNAVAILABLE("envelope.store.unavailable", "Envelopes that the database could not serve"),
    COMMITS("envelope.commits", "Partitions whose offset was committed"),
    FULL_COMMITS(
            "envelope.commits.full",
            "Those of them that had no room for all that is done behind their offset"),
    WANTED("envelope.rows.wanted", "Rows that a turn wanted to see"),
    AT_HAND("envelope.cache.hits", "Those of them that were at hand");

    final String meter;
    final String description;
    private final String outcome;

    Count(String meter, String description) {
        this.meter = meter;
        this.description = description;
        this.outcome = "";
    }

    /** A count of messages, by their outcome. */
    Count(String outcome) {
        this.meter = "envelope.records";
        this.description = "Messages, by what became of them";
        this.outcome = outcome;
    }

    Tags tags() {
        return outcome.isEmpty() ? Tags.empty() : Tags.of("outcome", outcome);
    }
}
