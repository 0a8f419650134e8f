package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The whole program over a topic that is there, while somebody uses its page and API. The clock
 * runs from the first rows that are seen to the last.
 *
 * <p>Threads: one at a time.
 */
final class WatchedRun implements Run {

    private static final String MAIN = "dev.envelope.app.Main";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final long LOOK_MILLIS = 20;

    private final Stage stage;
    private String last = "run_0";

    WatchedRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        stage.meter().clear(last);
        last = stage.newName();
        int port = Ports.free();
        ChildProcess process = start(scenario, port);
        try {
            await(process, contestant, 1);
            try (Crowd crowd = Crowd.of(contestant, port)) {
                long first = await(process, contestant, 1);
                long begun = System.nanoTime();
                double cpuBefore = CpuTime.of(process);
                long records = await(process, contestant, scenario.workload().records());
                double seconds = (System.nanoTime() - begun) / 1e9;
                double cpu = CpuTime.of(process) - cpuBefore;
                requireAnswers(contestant, crowd.answered(), seconds);
                stage.requireRightRows(contestant, scenario.workload(), last, records);
                return new Measurement(
                        records - first, seconds, new Cost(cpu, 0, 0, 0, 0, 0, 0), Map.of());
            }
        } finally {
            process.stop(Signal.TERM, PATIENCE);
        }
    }

    /** A crowd that is not served costs nothing. */
    private static void requireAnswers(Contestant contestant, int answered, double seconds)
            throws Disqualified {
        if (contestant.equals(Contestant.PROGRAM_ASKED) && answered < 100 * seconds) {
            throw new Disqualified(answered + " requests in " + seconds + " s");
        }
    }

    private long await(ChildProcess process, Contestant contestant, long records)
            throws SQLException, InterruptedException, Disqualified {
        String sum =
                "SELECT coalesce(sum(count), 0) FROM (%s) r(k, b, count, l, h)"
                        .formatted(contestant.rows().sql(last));
        String exists = "SELECT count(to_regclass('" + last + ".state'))";
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            long durable = stage.meter().number(exists) == 0 ? 0 : stage.meter().number(sum);
            if (durable >= records) {
                return durable;
            }
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new Disqualified("after " + durable + " records:\n" + process.logTail(40));
            }
            Thread.sleep(LOOK_MILLIS); // rows of another process: they can only be counted
        }
    }

    private ChildProcess start(Scenario scenario, int port) throws IOException {
        Path file = stage.file(last);
        Files.writeString(
                file,
                """
                application.id=%s
                bootstrap.servers=%s
                topics=%s
                handler=fold
                handler.fold.balance=sum(/amount)
                handler.fold.count=count()
                store.url=%s
                store.user=%s
                store.password=%s
                http.listen=127.0.0.1:%d
                """
                        .formatted(
                                last,
                                stage.stack().broker().bootstrapServers(),
                                Preload.topicOf(scenario.workload()),
                                stage.database().url(),
                                stage.database().user(),
                                stage.database().password(),
                                port));
        return stage.stack()
                .workspace()
                .start(
                        last,
                        new JavaCommand(
                                MAIN,
                                System.getProperty("java.class.path", ""),
                                BenchOptions.jvm(BenchOptions.HEAP),
                                List.of("run", "-c", file.toString())));
    }
}
