package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.bench.Measurement.Extra;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.ChildProcess;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Properties;

/**
 * From the moment at which a record should have been sent to its commit, at a fixed rate. The first
 * seconds warm up and do not count, nor does the start.
 *
 * <p>Threads: one at a time.
 */
final class LatencyRun implements Run {

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Stage stage;

    LatencyRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        int perSecond = scenario.workload().records();
        int warmUp = perSecond * stage.options().warmUp();
        Workload workload =
                Workload.of(
                        scenario.workload().name(), warmUp + perSecond * stage.options().seconds());
        String name = stage.newName();
        stage.meter().clear();
        ClientSpec spec = spec(contestant, workload, name);
        stage.makeTables(contestant, spec);
        Properties result;
        try (OpenLoop load = OpenLoop.start(stage.stack(), name, workload, perSecond, warmUp)) {
            ChildProcess process = stage.start(spec, BenchOptions.HEAP);
            stage.awaitDurable(contestant, name, 1);
            load.begin();
            load.awaitEnd();
            result = stage.result(process, spec, PATIENCE);
        }
        stage.requireRightRows(contestant, workload, name, workload.records());
        stage.meter().clear(name);
        return new Measurement(
                workload.records(),
                Double.parseDouble(result.getProperty("seconds")),
                new Cost(
                        Double.parseDouble(result.getProperty("cpuSeconds")),
                        0,
                        0,
                        0,
                        0,
                        0,
                        Long.parseLong(result.getProperty("peakResident"))),
                Map.of(
                        Extra.P50, millis(result, "p50Micros"),
                        Extra.P99, millis(result, "p99Micros"),
                        Extra.P999, millis(result, "p999Micros"),
                        Extra.MAX, millis(result, "maxMicros")));
    }

    private static double millis(Properties result, String name) {
        return Long.parseLong(result.getProperty(name)) / 1e3;
    }

    private ClientSpec spec(Contestant contestant, Workload workload, String name) {
        return new ClientSpec(
                contestant.name(),
                new ClientSpec.Source(
                        stage.stack().broker().bootstrapServers(), name, workload.name(), name, 0),
                new ClientSpec.Target(stage.database(), name),
                new ClientSpec.Stop(workload.records(), 0),
                new ClientSpec.Watch(0, false, true, false, false),
                0,
                stage.file(name));
    }
}
