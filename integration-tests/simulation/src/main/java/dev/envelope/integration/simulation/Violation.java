package dev.envelope.integration.simulation;

/** A promise was broken. It carries the anomaly's name, and what was seen. */
final class Violation extends Error {

    private static final long serialVersionUID = 1L;

    private final String anomaly;

    Violation(String anomaly, String seen) {
        super(anomaly + ": " + seen);
        this.anomaly = anomaly;
    }

    String anomaly() {
        return anomaly;
    }
}
