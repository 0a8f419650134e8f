package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.bench.Measurement.Extra;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/**
 * A run over a topic that is there: an empty schema, or for a replay one that has it all, a process
 * of its own, a look at every row.
 *
 * <p>Threads: one at a time.
 */
final class TimedRun implements Run {

    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration PATIENCE_WITH_MANY = Duration.ofMinutes(15);
    private static final double MIB = 1 << 20;

    private final Stage stage;
    private final Map<String, String> replayed = new HashMap<>();
    private String last = "run_0";

    TimedRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        if (scenario.mode() == Scenario.Mode.REPLAY && contestant.rows().areOurs()) {
            return replay(contestant, scenario);
        }
        stage.meter().clear(last);
        last = stage.newName();
        try (Hardship.Begun hardship = scenario.hardship().begin(stage.database())) {
            ClientSpec spec = spec(contestant, scenario, last, hardship.database(), false);
            stage.makeTables(contestant, spec);
            return measured(contestant, scenario, spec);
        }
    }

    /** The first time all records are applied, untimed; from then on they are known. */
    private Measurement replay(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        String place = scenario.name() + "-" + contestant.name();
        String name = replayed.get(place);
        if (name == null) {
            name = stage.newName();
            ClientSpec first = spec(contestant, scenario, name, stage.database(), false);
            stage.makeTables(contestant, first);
            stage.result(stage.start(first, BenchOptions.HEAP), first, PATIENCE);
            replayed.put(place, name);
        }
        stage.meter().clear();
        GroupOffsets.toStart(stage.stack().topics(), name, Preload.topicOf(scenario.workload()));
        return measured(
                contestant, scenario, spec(contestant, scenario, name, stage.database(), true));
    }

    private Measurement measured(Contestant contestant, Scenario scenario, ClientSpec spec)
            throws Disqualified, SQLException, IOException, InterruptedException {
        DatabaseMeter.Counters before = stage.meter().read(spec.schema());
        double brokerBefore = CpuTime.of(stage.stack().broker().process());
        double postgresBefore = CpuTime.of(stage.stack().postgres().process());
        ChildProcess process =
                stage.start(
                        spec,
                        scenario.mode() == Scenario.Mode.SMALL_HEAP
                                ? BenchOptions.SMALL_HEAP
                                : BenchOptions.HEAP);
        Properties result =
                stage.result(process, spec, scenario.isRepeated() ? PATIENCE : PATIENCE_WITH_MANY);
        DatabaseMeter.Counters after = stage.meter().read(spec.schema());
        Cost cost =
                new Cost(
                        decimal(result, "cpuSeconds"),
                        CpuTime.of(stage.stack().broker().process()) - brokerBefore,
                        CpuTime.of(stage.stack().postgres().process()) - postgresBefore,
                        after.transactions() - before.transactions(),
                        after.rows() - before.rows(),
                        after.walPosition() - before.walPosition(),
                        number(result, "peakResident"));
        long records = number(result, "records");
        stage.requireRightRows(
                contestant,
                scenario.workload(),
                spec.schema(),
                scenario.mode() == Scenario.Mode.REPLAY ? scenario.workload().records() : records);
        return new Measurement(records, decimal(result, "seconds"), cost, extras(scenario, result));
    }

    private static Map<Extra, Double> extras(Scenario scenario, Properties result) {
        Map<Extra, Double> extras = new EnumMap<>(Extra.class);
        if (scenario.isLong()) {
            double records = number(result, "second.records");
            double seconds = decimal(result, "second.seconds");
            extras.put(Extra.SECOND_HALF, records / seconds / 1e3);
            extras.put(Extra.SECOND_HALF_CPU, decimal(result, "second.cpuSeconds") / records * 1e6);
            extras.put(
                    Extra.SECOND_HALF_PAUSES,
                    decimal(result, "second.pausedSeconds") / seconds * 100);
        }
        if (scenario.mode() == Scenario.Mode.LIVE_HEAP) {
            extras.put(Extra.LIVE_HEAP, number(result, "peakLiveHeap") / MIB);
        }
        if (!scenario.isRepeated()) {
            extras.put(Extra.PEAK_RESIDENT, number(result, "peakResident") / MIB);
        }
        if (scenario.mode() == Scenario.Mode.START) {
            extras.put(Extra.START_TO_POLL, number(result, "startToPollMicros") / 1e3);
            extras.put(Extra.START_TO_ROW, number(result, "startToRowMicros") / 1e3);
        }
        return extras;
    }

    private ClientSpec spec(
            Contestant contestant,
            Scenario scenario,
            String name,
            Database database,
            boolean duplicates) {
        boolean blocks = scenario.mode() == Scenario.Mode.BLOCKING;
        return new ClientSpec(
                contestant.name(),
                new ClientSpec.Source(
                        stage.stack().broker().bootstrapServers(),
                        Preload.topicOf(scenario.workload()),
                        scenario.workload().name(),
                        name,
                        0),
                new ClientSpec.Target(database, name),
                new ClientSpec.Stop(
                        contestant.records(scenario), blocks ? stage.options().seconds() : 0),
                new ClientSpec.Watch(
                        0, scenario.mode() == Scenario.Mode.LIVE_HEAP, false, false, duplicates),
                blocks ? Scenario.BLOCK_MILLIS : 0,
                stage.file(stage.newName()));
    }

    private static double decimal(Properties result, String name) {
        return Double.parseDouble(result.getProperty(name));
    }

    private static long number(Properties result, String name) {
        return Long.parseLong(result.getProperty(name, "0"));
    }
}
