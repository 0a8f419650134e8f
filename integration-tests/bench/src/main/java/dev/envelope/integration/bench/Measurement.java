package dev.envelope.integration.bench;

import java.util.Map;
import java.util.Optional;

/**
 * What a run took and cost.
 *
 * <p>Threads: immutable.
 *
 * @param records that were durable in that time
 * @param seconds from the first poll with records to the last durable record
 * @param cost what it cost
 * @param more what else was asked for
 */
record Measurement(long records, double seconds, Cost cost, Map<Extra, Double> more) {

    Measurement {
        more = Map.copyOf(more);
    }

    /**
     * What a run cost.
     *
     * @param clientCpu CPU seconds of the contestant in the time that was measured
     * @param brokerCpu CPU seconds of the broker, over the run with its start
     * @param postgresCpu the same of Postgres
     * @param transactions that Postgres has committed
     * @param rows inserted and updated in the contestant's schema
     * @param walBytes written by Postgres
     * @param peakResident most memory of the contestant, in bytes
     */
    record Cost(
            double clientCpu,
            double brokerCpu,
            double postgresCpu,
            long transactions,
            long rows,
            long walBytes,
            long peakResident) {

        static final Cost UNKNOWN = new Cost(0, 0, 0, 0, 0, 0, 0);
    }

    /** What only some scenarios ask for. */
    enum Extra {
        SECOND_HALF("thousand records/s, second half"),
        SECOND_HALF_CPU("CPU s client per million, second half"),
        SECOND_HALF_PAUSES("pauses of the collector, % of the second half"),
        P50("p50, ms"),
        P99("p99, ms"),
        P999("p99.9, ms"),
        MAX("longest, ms"),
        LIVE_HEAP("most live heap, MiB"),
        PEAK_RESIDENT("peak resident memory, MiB"),
        START_TO_POLL("start to the first records, ms"),
        START_TO_ROW("start to the first row, ms"),
        TAKEOVER("takeover beyond the session timeout, ms"),
        USUAL_GAP("longest gap before, ms"),
        REBALANCE_GAP("longest gap in the rebalance, ms"),
        PACE("pace, % of the same process' with nobody there"),
        ASKERS_CPU("CPU of those who ask, % of a core");

        private final String title;

        Extra(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    double recordsPerSecond() {
        return records / seconds;
    }

    Optional<Double> more(Extra extra) {
        return Optional.ofNullable(more.get(extra));
    }

    /** A quantity as it would be for a million records, so that runs of any size compare. */
    double perMillion(double quantity) {
        return quantity * 1e6 / records;
    }
}
