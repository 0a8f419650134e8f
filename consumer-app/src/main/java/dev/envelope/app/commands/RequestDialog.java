package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.InDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.idempotency.redrive.Answers;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** Asks for something, and waits for whoever carries it out. Threads: one thread. */
final class RequestDialog {

    /** An instance looks for requests twice a second. */
    private static final Duration SEEN = Duration.ofSeconds(15);

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_EVERY_MILLIS = 100;
    private static final int NOT_DONE = 1;

    private final Terminal terminal;
    private final JsonOption json;

    RequestDialog(Terminal terminal, JsonOption json) {
        this.terminal = terminal;
        this.json = json;
    }

    /**
     * Does it.
     *
     * @param ask writes the request down, in somebody's name, and returns its number
     * @param nothing what is said if there was nothing to ask for
     * @return the code to exit with
     */
    int run(
            ConfigOptions config,
            BiFunction<RequestCatalog, String, Optional<Long>> ask,
            String nothing) {
        return InDatabase.work(
                config.load(),
                store -> {
                    try (RequestCatalog catalog = store.requests()) {
                        return run(catalog, ask, nothing);
                    }
                });
    }

    private int run(
            RequestCatalog catalog,
            BiFunction<RequestCatalog, String, Optional<Long>> ask,
            String nothing) {
        Optional<Long> request = ask.apply(catalog, System.getProperty("user.name", ""));
        if (request.isPresent()) {
            return follow(catalog, request.get());
        }
        say(0, false, false, nothing);
        return NOT_DONE;
    }

    private int follow(RequestCatalog catalog, long request) {
        if (!catalog.isAnybodyThere(SEEN)) {
            say(
                    request,
                    false,
                    false,
                    "request %d is queued: no instance is running; the next that starts carries it out"
                            .formatted(request));
            return NOT_DONE;
        }
        Optional<String> answer = await(catalog, request);
        boolean isDone = answer.filter(Answers::isDone).isPresent();
        say(
                request,
                answer.isPresent(),
                isDone,
                answer.orElse(
                        "request %d is still under way; see the log of the instance"
                                .formatted(request)));
        return isDone ? ExitCode.OK : NOT_DONE;
    }

    /** What became of it; request 0: nothing was asked for. */
    private void say(long request, boolean isAnswered, boolean isCarriedOut, String words) {
        if (json.isWanted()) {
            Map<String, Object> document = new LinkedHashMap<>();
            document.put("request", request);
            document.put("done", isAnswered);
            document.put("carriedOut", isCarriedOut);
            document.put("answer", words);
            JsonOption.print(terminal, document);
        } else {
            terminal.out().println(words);
        }
    }

    private static Optional<String> await(RequestCatalog catalog, long request) {
        CountDownLatch never = new CountDownLatch(1);
        try {
            for (long waited = 0; waited < PATIENCE.toMillis(); waited += LOOK_EVERY_MILLIS) {
                Optional<String> answer = catalog.answerTo(request);
                if (answer.isPresent() || never.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                    return answer;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.empty();
    }
}
