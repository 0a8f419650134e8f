package dev.envelope.app.commands.remote;

import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.ops.api.PauseDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Has keys and partitions held back and let go: in the database, or, where one is named by its
 * address, by a process. What holds in one process alone is asked of that process.
 *
 * <p>Threads: one thread.
 */
final class Holding {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int NOT_DONE = 1;

    private final Terminal terminal;
    private final RemoteOptions options;

    Holding(Terminal terminal, RemoteOptions options) {
        this.terminal = terminal;
        this.options = options;
    }

    int pause(PauseTarget target, Optional<Duration> time) {
        if (isAskedOfProcess(target)) {
            String query = time.map(it -> "&for=" + Quantities.show(it)).orElse("");
            return print("paused", options.remote().post(target.path("pause") + query));
        }
        Answer answer = inDatabase(it -> it.pause(target.kind(), target.name(), time, who()));
        if (answer == Answer.TOO_MANY) {
            throw new RefusedStartException(List.of(PauseDocument.inWords(answer)));
        }
        return print("paused", target, answer == Answer.PAUSED, PauseDocument.inWords(answer));
    }

    int resume(PauseTarget target) {
        if (isAskedOfProcess(target)) {
            return print("resumed", options.remote().post(target.path("resume")));
        }
        boolean wasPaused = inDatabase(it -> it.resume(target.kind(), target.name(), who()));
        return print("resumed", target, wasPaused, PauseDocument.NOT_PAUSED);
    }

    private static String who() {
        return System.getProperty("user.name", "");
    }

    private boolean isAskedOfProcess(PauseTarget target) {
        return target.isAll() || options.isOfOneProcess();
    }

    private int print(String done, Remote.Answer answer) {
        if (options.json()) {
            terminal.out().println(answer.json());
        } else if (answer.isThere()) {
            terminal.out().printf("%s: %s%n", done, answer.json().at("/" + done).asString());
        } else {
            terminal.err().println(answer.json().at("/error").asString());
        }
        return answer.isThere() ? ExitCode.OK : NOT_DONE;
    }

    private int print(String done, PauseTarget target, boolean isDone, String otherwise) {
        JsonNode json =
                isDone
                        ? MAPPER.createObjectNode().put(done, target.name())
                        : MAPPER.createObjectNode().put("error", otherwise);
        return print(done, new Remote.Answer(isDone ? 200 : 404, json));
    }

    /** What is held back, in whatever process. */
    int list() {
        JsonNode all =
                options.isOfOneProcess()
                        ? options.remote().get("/api/pauses").json()
                        : inDatabase(it -> MAPPER.valueToTree(PauseDocument.of(it.all())));
        if (options.json()) {
            terminal.out().println(all);
        } else if (all.at("/pauses").isEmpty()) {
            terminal.out().println("nothing is held back");
        } else {
            all.at("/pauses").forEach(this::print);
        }
        return ExitCode.OK;
    }

    private void print(JsonNode pause) {
        String name = pause.at("/name").asString();
        boolean isKey = pause.at("/kind").asString().equals("key");
        JsonNode until = pause.at("/until");
        terminal.out()
                .printf(
                        "%s  until %s; by %s since %s%n",
                        isKey ? "key " + Words.quote(name) : Words.line(name),
                        until.isString() ? until.asString() : "it is resumed",
                        Words.line(pause.at("/by").asString()),
                        pause.at("/since").asString());
    }

    private <T> T inDatabase(Function<PauseCatalog, T> work) {
        return InDatabase.work(
                options.settings().orElseThrow(),
                store -> {
                    try (PauseCatalog catalog = store.pauses()) {
                        return work.apply(catalog);
                    }
                });
    }
}
