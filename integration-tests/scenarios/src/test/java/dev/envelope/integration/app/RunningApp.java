package dev.envelope.integration.app;

import dev.envelope.app.Main;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * A consumer as a process of its own, seen from outside.
 *
 * <p>Threads: one thread.
 */
public final class RunningApp {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final String SESSION = "kafka.consumer.session.timeout.ms";
    private static final String BROKERS_SAY = "kafka.consumer.group.protocol=consumer";
    private static final String NO_BROKERS = "source=table";
    private static final Pattern URL = Pattern.compile("operations (http://127\\.0\\.0\\.1:\\d+)");

    private final HttpClient http = HttpClient.newHttpClient();
    private final ChildProcess process;

    private RunningApp(ChildProcess process) {
        this.process = process;
    }

    /** Starts {@code run} with these lines as its file. */
    public static RunningApp start(Workspace workspace, String name, List<String> settings) {
        return start(workspace, name, "512m", settings);
    }

    /** The same with this much heap. */
    static RunningApp start(Workspace workspace, String name, String heap, List<String> settings) {
        try {
            Path file = workspace.folder().resolve(name + ".properties");
            Files.write(file, withSession(settings));
            return new RunningApp(
                    workspace.start(
                            name,
                            JavaCommand.of(Main.class)
                                    .heap(heap)
                                    // The tests' own layout stands before it on our class path.
                                    .with("logback.configurationFile", "logback.xml")
                                    .arguments("run", "-c", file.toString())));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One that is killed is not missed for longer than six seconds. */
    private static List<String> withSession(List<String> settings) {
        boolean isSet = settings.stream().anyMatch(it -> it.startsWith(SESSION));
        if (isSet || settings.contains(BROKERS_SAY) || settings.contains(NO_BROKERS)) {
            return settings;
        }
        List<String> all = new ArrayList<>(settings);
        all.add(SESSION + "=6000");
        return all;
    }

    /** All that it has written so far. */
    public String log() {
        return process.logTail(1_000);
    }

    public int awaitExit() {
        return process.awaitExit(PATIENCE);
    }

    public void signal(Signal signal) {
        process.signal(signal);
    }

    public ChildProcess process() {
        return process;
    }

    public void awaitReady() {
        await(() -> get("/readyz").statusCode() == 200);
    }

    public void awaitLine(String text) {
        await(() -> log().contains(text));
    }

    public HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(URI.create(url() + path)).build());
    }

    /** A change, as whoever has the token. */
    HttpResponse<String> post(String path, String token) {
        return send(
                HttpRequest.newBuilder(URI.create(url() + path))
                        .header("Authorization", "Bearer " + token)
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build());
    }

    private HttpResponse<String> send(HttpRequest request) {
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Where it listens, since it started or started anew. */
    public String url() {
        return URL.matcher(log())
                .results()
                .reduce((first, last) -> last)
                .orElseThrow(() -> new IllegalStateException("no address in the log yet"))
                .group(1);
    }

    public void await(Callable<Boolean> condition) {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .conditionEvaluationListener(
                            seen -> {
                                if (!process.isAlive() && !seen.isSatisfied()) {
                                    throw new AssertionError("it has ended:\n" + log());
                                }
                            })
                    .until(condition);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + " It has said:\n" + log(), e);
        }
    }
}
