package dev.envelope.integration.bench;

/**
 * What a run took and cost.
 *
 * <p>Threads: immutable.
 *
 * @param seconds from the first poll with records to the last durable record
 * @param clientCpu CPU seconds of the contestant in that time
 * @param brokerCpu CPU seconds of the broker, over the run with its start
 * @param postgresCpu the same of Postgres
 * @param transactions that Postgres has committed
 * @param rows inserted and updated in the contestant's schema
 * @param walBytes written by Postgres
 * @param peakResident most memory of the contestant, in bytes
 * @param liveHeap left of its heap by a full collection at the end of the run, in bytes
 * @param peakLiveHeap the most that full collections during the run have left; 0 if none was made
 */
record Measurement(
        long records,
        double seconds,
        double clientCpu,
        double brokerCpu,
        double postgresCpu,
        long transactions,
        long rows,
        long walBytes,
        long peakResident,
        long liveHeap,
        long peakLiveHeap) {

    double recordsPerSecond() {
        return records / seconds;
    }

    /** A quantity as it would be for a million records, so that runs of any size compare. */
    double perMillion(double quantity) {
        return quantity * 1e6 / records;
    }
}
