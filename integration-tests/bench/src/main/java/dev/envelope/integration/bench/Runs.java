package dev.envelope.integration.bench;

import java.io.IOException;
import java.sql.SQLException;

/**
 * The right kind of run for each scenario.
 *
 * <p>Threads: one at a time.
 */
final class Runs implements Run {

    private final Run timed;
    private final Run latency;
    private final Run pair;
    private final Run watched;

    Runs(Stage stage) {
        timed = new TimedRun(stage);
        latency = new LatencyRun(stage);
        pair = new PairRun(stage);
        watched = new WatchedRun(stage);
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        return switch (scenario.mode()) {
            case LATENCY -> latency.of(contestant, scenario);
            case TAKEOVER, REBALANCE -> pair.of(contestant, scenario);
            case WATCHED -> watched.of(contestant, scenario);
            default -> timed.of(contestant, scenario);
        };
    }
}
