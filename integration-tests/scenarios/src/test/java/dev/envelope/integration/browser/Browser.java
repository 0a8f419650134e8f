package dev.envelope.integration.browser;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A Chromium without a window, told what to do by the protocol of its own developer tools: it needs
 * no driver beside it.
 *
 * <p>Threads: one thread; answers come on the web socket's.
 */
final class Browser implements AutoCloseable {

    private static final List<String> NAMES =
            List.of("chromium", "chromium-browser", "google-chrome", "chrome");
    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger commands = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> answers = new ConcurrentHashMap<>();
    private final Queue<String> complaints = new ConcurrentLinkedQueue<>();

    private Browser(Process process, String pageSocket) {
        this.process = process;
        this.socket =
                HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .buildAsync(URI.create(pageSocket), new Listener())
                        .join();
    }

    /** Where one is installed; empty if none is. */
    static Optional<Path> installed() {
        return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse(""))
                .flatMap(path -> Arrays.stream(path.split(File.pathSeparator)))
                .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts it with an empty page.
     *
     * @param profile an empty folder for what it keeps
     */
    static Browser start(Path executable, Path profile) throws IOException {
        Process process =
                new ProcessBuilder(
                                executable.toString(),
                                "--headless=new",
                                "--no-sandbox", // a build may run as root
                                "--disable-gpu",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--hide-scrollbars",
                                "--remote-debugging-port=0",
                                "--user-data-dir=" + profile,
                                "about:blank")
                        .redirectErrorStream(true)
                        .start();
        try {
            return new Browser(process, page(address(process)));
        } catch (RuntimeException | IOException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private static String address(Process process) throws IOException {
        BufferedReader words =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        List<String> seen = new ArrayList<>();
        for (String line = words.readLine(); line != null; line = words.readLine()) {
            seen.add(line);
            Matcher listening = LISTENING.matcher(line);
            if (listening.find()) {
                Thread rest = new Thread(() -> words.lines().forEach(it -> {}), "browser-words");
                rest.setDaemon(true);
                rest.start();
                return listening.group(1);
            }
        }
        throw new IllegalStateException("the browser has ended: " + seen);
    }

    private static String page(String address) {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://" + address + "/json/list")).build();
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> socketOfPage(request), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<String> socketOfPage(HttpRequest request)
            throws IOException, InterruptedException {
        String list =
                HttpClient.newHttpClient()
                        .send(request, HttpResponse.BodyHandlers.ofString())
                        .body();
        for (JsonNode target : MAPPER.readTree(list)) {
            if (target.at("/type").asString().equals("page")) {
                return Optional.of(target.at("/webSocketDebuggerUrl").asString());
            }
        }
        return Optional.empty();
    }

    /** Opens a page of this size, in light or dark. */
    void open(String url, int width, int height, String scheme) {
        send("Page.enable", Map.of());
        send("Runtime.enable", Map.of());
        send("Log.enable", Map.of());
        send(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        send(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        send("Page.navigate", Map.of("url", url));
    }

    /** What a piece of script says. */
    JsonNode ask(String script) {
        JsonNode answer =
                send(
                        "Runtime.evaluate",
                        Map.of("expression", script, "returnByValue", true, "awaitPromise", true));
        if (!answer.at("/exceptionDetails").isMissingNode()) {
            throw new IllegalStateException(script + ": " + answer.at("/exceptionDetails"));
        }
        return answer.at("/result/value");
    }

    /** Waits until a piece of script says true. */
    void await(String script) {
        Awaitility.await(script)
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> ask(script).asBoolean(false));
    }

    /** What stands in it now, as a picture. */
    byte[] picture() {
        JsonNode answer = send("Page.captureScreenshot", Map.of("format", "png"));
        return Base64.getDecoder().decode(answer.at("/data").asString());
    }

    /** Throws away what nothing of the page holds any more. */
    void collectGarbage() {
        send("HeapProfiler.collectGarbage", Map.of());
    }

    /** How many nodes there are, those included that wait to be thrown away. */
    int nodes() {
        return send("Memory.getDOMCounters", Map.of()).at("/nodes").asInt();
    }

    /** What the page or the browser has complained about: exceptions, refused resources. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    private JsonNode send(String method, Map<String, ?> parameters) {
        int id = commands.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        answers.put(id, answer);
        socket.sendText(
                        MAPPER.writeValueAsString(
                                Map.of("id", id, "method", method, "params", parameters)),
                        true)
                .join();
        return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        socket.abort();
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
            process.getInputStream().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Listener implements WebSocket.Listener {

        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence part, boolean isLast) {
            text.append(part);
            if (isLast) {
                take(MAPPER.readTree(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        private void take(JsonNode said) {
            if (said.has("id")) {
                CompletableFuture<JsonNode> answer = answers.remove(said.at("/id").asInt());
                if (answer != null) {
                    answer.complete(said.has("result") ? said.at("/result") : said);
                }
            } else if (said.at("/method").asString().equals("Runtime.exceptionThrown")) {
                complaints.add(said.at("/params/exceptionDetails").toString());
            } else if (said.at("/params/entry/level").asString("").equals("error")) {
                complaints.add(said.at("/params/entry").toString());
            }
        }
    }
}
