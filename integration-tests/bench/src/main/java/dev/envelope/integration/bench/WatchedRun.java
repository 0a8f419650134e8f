package dev.envelope.integration.bench;

import dev.envelope.integration.bench.Measurement.Cost;
import dev.envelope.integration.bench.Measurement.Extra;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

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
    private static final double WARM_SHARE = 0.3;
    private static final long SETTLING_MILLIS = 1_000;
    private static final long WINDOW_MILLIS = 1_500;
    private static final List<Contestant> IN_USE =
            List.of(Contestant.PROGRAM_ALONE, Contestant.PROGRAM_STUCK, Contestant.PROGRAM_ASKED);
    private static final String TOKEN = "of-a-benchmark-on-loopback";

    private final Stage stage;
    private String last = "run_0";

    WatchedRun(Stage stage) {
        this.stage = stage;
    }

    @Override
    public Measurement of(Contestant contestant, Scenario scenario)
            throws Disqualified, SQLException, IOException, InterruptedException {
        if (!IN_USE.contains(contestant)) {
            throw new Disqualified("it has no page");
        }
        stage.meter().clear(last);
        last = stage.newName();
        int port = Ports.free();
        ChildProcess process = start(scenario, port);
        try {
            awaitRows(process, 1);
            post(port, "/api/pause?partition=all");
            try (Crowd crowd = Crowd.of(Contestant.PROGRAM_ASKED, port)) {
                Thread.sleep(PAUSED.toMillis()); // how long is what makes it warm
                requireAnswers(crowd, (double) PAUSED.toSeconds());
                post(port, "/api/resume?partition=all");
                awaitRows(process, (long) (WARM_SHARE * scenario.workload().records()));
            }
            long first = durable();
            long begun = System.nanoTime();
            List<Visit> visits = visits(contestant, port, scenario.workload().records());
            long records = durable() - first;
            double seconds = (System.nanoTime() - begun) / 1e9;
            long all = awaitRows(process, scenario.workload().records());
            stage.requireRightRows(contestant, scenario.workload(), last, all);
            return new Measurement(
                    records,
                    seconds,
                    Cost.UNKNOWN,
                    Map.of(
                            Extra.PACE,
                            100 * median(visits, Visit::pace),
                            Extra.ASKERS_CPU,
                            100 * median(visits, Visit::askersCpu)));
        } finally {
            process.stop(Signal.TERM, PATIENCE);
        }
    }

    /**
     * Turn by turn nobody is there and the crowd is: each time with a crowd compared with the mean
     * of those before and after it, so that it matters little how the machine fares meanwhile.
     */
    private List<Visit> visits(Contestant contestant, int port, long records)
            throws SQLException, IOException, InterruptedException, Disqualified {
        List<Visit> visits = new ArrayList<>();
        double before = perSecond();
        while (true) {
            double crowded;
            double askersCpu;
            try (Crowd crowd = Crowd.of(contestant, port)) {
                long begun = System.nanoTime();
                crowded = perSecond();
                double seconds = (System.nanoTime() - begun) / 1e9;
                askersCpu = crowd.cpuSeconds() / seconds;
                if (contestant.equals(Contestant.PROGRAM_ASKED)) {
                    requireAnswers(crowd, seconds);
                }
            }
            double after = perSecond();
            if (durable() >= records) {
                return visits; // the last one may have had too little to do
            }
            visits.add(new Visit(2 * crowded / (before + after), askersCpu));
            before = after;
        }
    }

    private static double median(List<Visit> visits, ToDoubleFunction<Visit> figure)
            throws Disqualified {
        return Spread.of(visits.stream().mapToDouble(figure).toArray())
                .orElseThrow(() -> new Disqualified("it was done too soon"))
                .median();
    }

    /** What becomes durable in a second, a moment after something has changed. */
    private double perSecond() throws SQLException, InterruptedException {
        Thread.sleep(SETTLING_MILLIS); // what is under way was begun before the change
        long begun = System.nanoTime();
        long before = durable();
        Thread.sleep(WINDOW_MILLIS); // a pace is counted over a time
        return (durable() - before) / ((System.nanoTime() - begun) / 1e9);
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
    private static void requireAnswers(Crowd crowd, double seconds) throws Disqualified {
        if (crowd.asked() < 100 * seconds || crowd.answered() < 20 * seconds) {
            throw new Disqualified(
                    "%d of %d requests were answered in %.1f s"
                            .formatted(crowd.answered(), crowd.asked(), seconds));
        }
    }

    private long awaitRows(ChildProcess process, long records)
            throws SQLException, InterruptedException, Disqualified {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            long durable = durable();
            if (durable >= records) {
                return durable;
            }
            if (!process.isAlive() || System.nanoTime() > deadline) {
                throw new Disqualified("after " + durable + " records:\n" + process.logTail(40));
            }
            Thread.sleep(LOOK_MILLIS); // rows of another process: they can only be counted
        }
    }

    private long durable() throws SQLException {
        String rows = Contestant.PROGRAM_ASKED.rows().sql(last);
        String sum =
                "SELECT coalesce(sum(count), 0) FROM (%s) r(k, b, count, l, h)".formatted(rows);
        String exists = "SELECT count(to_regclass('" + last + ".state'))";
        return stage.meter().number(exists) == 0 ? 0 : stage.meter().number(sum);
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

    /**
     * What a crowd did to the program while it was there.
     *
     * @param pace of what the program does with nobody there
     * @param askersCpu that those who asked took themselves, in cores
     */
    private record Visit(double pace, double askersCpu) {}
}
