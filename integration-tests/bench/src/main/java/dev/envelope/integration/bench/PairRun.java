package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.bench.Measurement.Extra;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.Micros;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Two instances of a group under load: the second joins, and then the first may be killed. Each
 * writes down when it saved which partition.
 *
 * <p>Threads: one at a time.
 */
final class PairRun implements Run {

    private static final int SESSION_MILLIS = 6_000;

    /** The load is stopped long before that. */
    private static final int MOST_SECONDS = 300;

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final long WARM_MILLIS = 12_000;
    private static final long SETTLED_MILLIS = 4_000;
    private static final long WINDOW_MICROS = 8_000_000;

    private final Stage stage;

    PairRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        int perSecond = scenario.workload().records();
        Workload most = Workload.of(scenario.workload().name(), perSecond * MOST_SECONDS);
        String name = stage.newName();
        stage.meter().clear();
        ClientSpec first = spec(contestant, most, name);
        ClientSpec second = spec(contestant, most, name);
        stage.makeTables(contestant, first);
        List<ChildProcess> started = new ArrayList<>();
        try (OpenLoop load = OpenLoop.start(stage.stack(), name, most, perSecond, 0)) {
            started.add(stage.start(first, BenchOptions.HEAP));
            stage.awaitDurable(contestant, name, 1);
            load.begin();
            Thread.sleep(WARM_MILLIS); // what is measured is a load that has lasted
            long joinedMicros = Micros.now();
            started.add(stage.start(second, BenchOptions.HEAP));
            Members.awaitTwo(stage.stack().topics(), name, PATIENCE);
            Thread.sleep(SETTLED_MILLIS); // the usual gaps are those of this time
            long settledMicros = Micros.now();
            boolean isKilled = scenario.mode() == Scenario.Mode.TAKEOVER;
            if (isKilled) {
                started.get(0).kill();
                Thread.sleep(SESSION_MILLIS + SETTLED_MILLIS); // the load goes on meanwhile
            }
            int sent = load.stop();
            stage.awaitDurable(contestant, name, sent);
            end(started.get(1), second);
            if (!isKilled) {
                end(started.get(0), first);
            }
            Workload workload = Workload.of(scenario.workload().name(), sent);
            stage.requireRightRows(contestant, workload, name, sent);
            return new Measurement(
                    sent,
                    (double) sent / perSecond,
                    Cost.UNKNOWN,
                    isKilled
                            ? Map.of(Extra.TAKEOVER, takeover(second, joinedMicros, settledMicros))
                            : gaps(first, second, joinedMicros, settledMicros));
        } finally {
            started.forEach(ChildProcess::kill);
            stage.meter().clear(name);
        }
    }

    private void end(ChildProcess process, ClientSpec spec) throws Disqualified, IOException {
        process.signal(Signal.TERM);
        stage.result(process, spec, PATIENCE);
    }

    /** Until the last partition of the killed instance was saved by the other, in milliseconds. */
    private static double takeover(ClientSpec second, long joinedMicros, long killedMicros)
            throws IOException, Disqualified {
        SaveTimes times = SaveTimes.read(saves(second));
        Set<Integer> taken = new TreeSet<>(times.byPartition().keySet());
        taken.removeAll(times.savedBetween(joinedMicros, killedMicros));
        long last =
                taken.stream()
                        .mapToLong(it -> times.firstFrom(it, killedMicros).orElse(0))
                        .max()
                        .orElseThrow(() -> new Disqualified("nothing was taken over"));
        return (last - killedMicros) / 1e3 - SESSION_MILLIS;
    }

    /** Of the partitions that the first instance keeps: the longest gaps before and after. */
    private static Map<Extra, Double> gaps(
            ClientSpec first, ClientSpec second, long joinedMicros, long settledMicros)
            throws IOException, Disqualified {
        SaveTimes times = SaveTimes.read(saves(first));
        Set<Integer> moved = SaveTimes.read(saves(second)).byPartition().keySet();
        Set<Integer> staying = new TreeSet<>(times.byPartition().keySet());
        staying.removeAll(moved);
        if (staying.isEmpty() || moved.isEmpty()) {
            throw new Disqualified("no rebalance: " + staying + " stay, " + moved + " move");
        }
        return Map.of(
                Extra.USUAL_GAP,
                times.longestGap(staying, joinedMicros - WINDOW_MICROS, joinedMicros) / 1e3,
                Extra.REBALANCE_GAP,
                times.longestGap(staying, joinedMicros, settledMicros) / 1e3);
    }

    private static Path saves(ClientSpec spec) {
        return spec.result().resolveSibling(spec.result().getFileName() + ".saves");
    }

    private ClientSpec spec(Contestant contestant, Workload workload, String name) {
        return new ClientSpec(
                contestant.name(),
                new ClientSpec.Source(
                        stage.stack().broker().bootstrapServers(),
                        name,
                        workload.name(),
                        name,
                        SESSION_MILLIS),
                new ClientSpec.Target(stage.database(), name),
                new ClientSpec.Stop(Long.MAX_VALUE, 0),
                new ClientSpec.Watch(0, false, false, true, false),
                0,
                stage.file(stage.newName()));
    }
}
