package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.Signal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The whole program over a topic that is there, while somebody uses its page and API. All of them
 * are asked for a while before that, and while they read the first records: a process that runs for
 * weeks has long compiled what answers.
 *
 * <p>Threads: one at a time.
 */
final class WatchedRun implements Run {

    private static final String MAIN = "dev.envelope.app.Main";
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final long LOOK_MILLIS = 20;
    private static final Duration PAUSED = Duration.ofSeconds(45);
    private static final double WARM_SHARE = 0.6;
    private static final String TOKEN = "of-a-benchmark-on-loopback";

    private final Stage stage;
    private String last = "run_0";

    WatchedRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        if (!contestant.name().startsWith(Contestant.PROGRAM.name())) {
            throw new Disqualified("it has no page");
        }
        stage.meter().clear(last);
        last = stage.newName();
        int port = Ports.free();
        ChildProcess process = start(scenario, port);
        try {
            await(process, contestant, 1);
            post(port, "/api/pause?partition=all");
            long warm = (long) (WARM_SHARE * scenario.workload().records());
            long first;
            long begun;
            double cpuBefore;
            try (Crowd crowd = Crowd.of(Contestant.PROGRAM_ASKED, port)) {
                Thread.sleep(PAUSED.toMillis());
                requireAnswers(
                        Contestant.PROGRAM_ASKED, crowd.answered(), (double) PAUSED.toSeconds());
                post(port, "/api/resume?partition=all");
                first = await(process, contestant, warm);
                begun = System.nanoTime();
                cpuBefore = CpuTime.of(process);
            }
            try (Crowd crowd = Crowd.of(contestant, port)) {
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

    private static void post(int port, String path) throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Authorization", "Bearer " + TOKEN)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
        int status =
                HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.discarding())
                        .statusCode();
        if (status != 202) {
            throw new IllegalStateException(path + " was answered with " + status);
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
                http.token=%s
                """
                        .formatted(
                                last,
                                stage.stack().broker().bootstrapServers(),
                                Preload.topicOf(scenario.workload()),
                                stage.database().url(),
                                stage.database().user(),
                                stage.database().password(),
                                port,
                                TOKEN));
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
