package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** What is known of a key. Threads: one thread. */
@Command(
        name = "key",
        header = "A key: its state, its marks, and what it is doing now.",
        footer = {
            "  envelope key account-7 -c consumer.properties",
            "  envelope key set account-7 '{\"balance\": 12}' -c consumer.properties",
            "What it is doing now is known by the process that has its partition.",
            "Exit codes: 0 done, 1 there is no such key, 69 nobody answers, or no database."
        })
public final class KeyCommand implements Callable<Integer> {

    private static final int NOT_THERE = 1;

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Parameters(paramLabel = "KEY", arity = "0..1", description = "The row's key.")
    private @Nullable String key;

    @Spec private @Nullable CommandSpec spec;

    public KeyCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        String asked = key;
        if (asked == null) {
            throw new ParameterException(
                    Objects.requireNonNull(spec).commandLine(), "which key? or set, or delete");
        }
        return show(asked);
    }

    private int show(String key) {
        Remote.Answer answer = options.remote().get("/api/keys?key=" + Remote.encoded(key));
        JsonNode json = answer.json();
        if (options.json()) {
            terminal.out().println(json);
        } else if (answer.isThere()) {
            print(key, json);
        } else {
            terminal.out().printf("%s has no row, and nothing of it waits%n", Words.quote(key));
        }
        return answer.isThere() ? ExitCode.OK : NOT_THERE;
    }

    /** Why there is no state, if there is none. */
    private static String without(JsonNode row) {
        if (!row.at("/deleted").asBoolean()) {
            return "";
        }
        return row.at("/parked").asInt() > 0 ? ", no state yet, or deleted" : ", deleted";
    }

    private void print(String key, JsonNode json) {
        JsonNode row = json.at("/row");
        if (row.isNull()) {
            terminal.out().printf("%s has no row yet%n", Words.quote(key));
        } else {
            terminal.out()
                    .printf(
                            "%s  version %d, updated %s%s%n",
                            Words.quote(key),
                            row.at("/version").asLong(),
                            row.at("/updatedAt").asString(),
                            without(row));
            terminal.out().printf("  state    %s%n", row.at("/state"));
            int parked = row.at("/parked").asInt();
            row.at("/marks")
                    .forEach(
                            mark ->
                                    terminal.out()
                                            .printf(
                                                    "  %s  %s-%d below offset %d%s%n",
                                                    parked > 0 ? "passed " : "applied",
                                                    mark.at("/topic").asString(),
                                                    mark.at("/partition").asInt(),
                                                    mark.at("/nextOffset").asLong(),
                                                    parked > 0 ? ", but for what is parked" : ""));
            terminal.out().printf("  parked   %s%n", Words.count(parked, "message"));
        }
        if (json.at("/paused").asBoolean()) {
            terminal.out().println("  paused   envelope resume --key lets it go on");
        }
        json.at("/asked").forEach(this::printAsked);
        JsonNode now = json.at("/now");
        if (now.isNull()) {
            terminal.out().println("  now      nothing of it is under way here");
        } else {
            terminal.out()
                    .printf(
                            "  now      %s, for %.1f s; %s; %s%s%n",
                            now.at("/inWords").asString(),
                            now.at("/forMillis").asLong() / 1000.0,
                            Words.count(now.at("/messagesOfKey").asInt(), "message"),
                            Words.count(now.at("/failedAttempts").asInt(), "failed attempt"),
                            now.at("/trouble").asString().isEmpty()
                                    ? ""
                                    : ", last with " + now.at("/trouble").asString());
        }
    }

    private void printAsked(JsonNode asked) {
        terminal.out()
                .printf(
                        "  asked    %s by %s at %s: %s%n",
                        asked.at("/action").asString(),
                        asked.at("/by").asString("").isEmpty()
                                ? "somebody"
                                : asked.at("/by").asString(),
                        asked.at("/at").asString(),
                        asked.at("/done").isNull()
                                ? "not carried out yet"
                                : asked.at("/answer").asString(""));
    }
}
