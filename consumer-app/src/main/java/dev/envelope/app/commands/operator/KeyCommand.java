package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.KeyOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.remote.Remote;
import dev.envelope.app.commands.remote.RemoteOptions;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Template;
import dev.envelope.core.api.Words;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows a key, and changes its row. Threads: one thread. */
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

    private static final String ASKED =
            "  asked    {action} by {by?somebody} at {at}: {answer?not carried out yet}";

    private static final String TIMER = "  timer    {name}, due {dueAt}";

    private static final String NOW =
            "  now      {inWords}, for {forMillis|seconds}; {messagesOfKey|message};"
                    + " {failedAttempts|failed attempt}";

    private static final String VERSION = "The row's version that you have looked at.";

    @Mixin private RemoteOptions process = new RemoteOptions();

    @Parameters(paramLabel = "KEY", arity = "0..1", description = "The row's key.")
    private @Nullable String key;

    @Override
    public Integer call() {
        String asked = key;
        if (asked == null) {
            throw process.misuse("which key? or set, or delete");
        }
        String name = Words.quote(asked);
        Remote.Answer answer = process.remote().get("/api/keys?key=" + Remote.encoded(asked));
        if (answer.isThere()) {
            process.print(answer.json(), json -> print(name, json));
            return ExitCode.OK;
        }
        process.print(
                answer.json(), json -> process.say("%s has no row, and nothing of it waits", name));
        return Output.NOT_DONE;
    }

    private void print(String name, JsonNode json) {
        JsonNode row = json.at("/row");
        if (row.isNull()) {
            process.say("%s has no row yet", name);
        } else {
            printRow(name, row);
        }
        if (json.at("/paused").asBoolean()) {
            process.say("  paused   envelope resume --key lets it go on");
        }
        json.at("/timers").forEach(it -> process.fill(TIMER, it));
        json.at("/asked").forEach(it -> process.fill(ASKED, it));
        JsonNode now = json.at("/now");
        if (now.isNull()) {
            process.say("  now      nothing of it is under way here");
        } else {
            boolean hasFailed = !now.at("/trouble").asString().isEmpty();
            process.fill(NOW + (hasFailed ? ", last with {trouble}" : ""), now);
        }
    }

    private void printRow(String name, JsonNode row) {
        boolean isParked = row.at("/parked").asInt() > 0;
        String without = isParked ? ", no state yet, or deleted" : ", deleted";
        process.say(
                "%s  %s%s",
                name,
                Template.fill("version {version|%d}, updated {updatedAt}", row),
                row.at("/deleted").asBoolean() ? without : "");
        process.fill("  state    {state|json}", row);
        String mark = "{topic}-{partition|%d} below offset {nextOffset|%d}";
        String line =
                isParked ? "  passed   " + mark + ", but for what is parked" : "  applied  " + mark;
        row.at("/marks").forEach(it -> process.fill(line, it));
        process.fill("  parked   {parked|message}", row);
    }

    @Command(
            name = "set",
            header = "Replace a key's state: a repair, by compare-and-set.",
            footer = {
                "  envelope key set account-7 '{\"balance\": 12}' -c consumer.properties",
                "  envelope key set account-7 @state.json --version 8 -c consumer.properties",
                "",
                "Whoever runs the application carries it out, if the row is still at that",
                "version: what came in since is not overwritten. Its marks stay, so no message",
                "is applied again. Exit codes: 0 done, 1 not done or waiting, 69 no database."
            })
    int set(
            @Mixin KeyOptions key,
            @Parameters(
                            index = "1",
                            paramLabel = "STATE",
                            description = "JSON, " + KeyOptions.OR_FILE)
                    String state,
            @Option(names = "--version", paramLabel = "N", description = VERSION)
                    @Nullable Long version) {
        String json = new String(key.bytes(state), StandardCharsets.UTF_8);
        return key.request(
                (requests, by) -> requests.askToSet(key.key(), json, version, by),
                noRow(key, version));
    }

    @Command(
            name = "delete",
            header = "Delete a key's state, its event ids and its parked messages.",
            footer = {
                "  envelope key delete account-7 -c consumer.properties",
                "  envelope key delete account-7 --version 8 -c consumer.properties",
                "",
                "Whoever runs the application carries it out; with --version, if the row is",
                "still at that. The row keeps the key and its marks, so that no message is",
                "applied again, and goes after deleted.keys.retention. What the topic holds is",
                "yours to delete. Exit codes: 0 done, 1 not done or waiting, 69 no database."
            })
    int delete(
            @Mixin KeyOptions key,
            @Option(names = "--version", paramLabel = "N", description = VERSION)
                    @Nullable Long version) {
        return key.request(
                (requests, by) -> requests.askToDelete(key.key(), version, by),
                noRow(key, version));
    }

    @Command(
            name = "quarantine",
            header = "Park whatever comes of a key, until it is redriven or dropped.",
            footer = {
                "  envelope key quarantine account-7 -c consumer.properties",
                "  envelope parked redrive account-7 -c consumer.properties   ends it",
                "",
                "It holds whoever reads the partition, and over restarts. Whoever runs the",
                "application carries it out. For a while and one process: envelope pause --key.",
                "Exit codes: 0 done, 1 not done or waiting, 69 no database."
            })
    int quarantine(@Mixin KeyOptions key) {
        return key.request(
                (requests, by) -> requests.askToQuarantine(key.key(), by), noRow(key, null));
    }

    private static String noRow(KeyOptions key, @Nullable Long version) {
        return Words.quote(key.key())
                + " has no row"
                + (version == null ? "" : " of version " + version);
    }
}
