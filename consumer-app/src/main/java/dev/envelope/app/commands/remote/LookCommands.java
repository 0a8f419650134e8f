package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Template;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The commands that send one request to a running process, a method each. */
public final class LookCommands {

    private static final String ROW = "%-32s %12s %14s %14s %10s %10s  %s";
    private static final List<String> HEADS =
            List.of("partition", "lag", "committed", "position", "in flight", "oldest", "");
    private static final List<String> CELLS =
            List.of(
                    "{topic}-{partition}",
                    "{lag|%,d}",
                    "{committed|%d}",
                    "{position|%d}",
                    "{unacked|%,d}",
                    "{oldestUnackedMillis|seconds}",
                    "{pausedBecause}");

    private static final int STUCK = 1;
    private static final long LOOK_EVERY_MILLIS = 250;

    private LookCommands() {}

    @Command(
            name = "stuck",
            header = "Why is my lag stuck? The message, its key, its error.",
            footer = {
                "  envelope stuck -c consumer.properties",
                "  envelope stuck --url http://127.0.0.1:8080 --json",
                "",
                "Exit codes: 0 nothing is stuck, 1 something is, 69 nobody answers."
            })
    static int stuck(@Mixin RemoteOptions process) {
        JsonNode answer = process.get("/api/stuck");
        process.printAll(answer, "/findings", JsonNode::asString);
        return answer.at("/stuck").asBoolean() ? STUCK : ExitCode.OK;
    }

    @Command(
            name = "lag",
            header = "How far each partition of a running process is.",
            footer = {
                "  envelope lag -c consumer.properties",
                "  envelope lag --url http://127.0.0.1:8080 --json",
                "",
                "Lag counts what is in the log and not yet durable; -1: not known yet.",
                "Exit codes: 0 done, 69 nobody answers."
            })
    static void lag(@Mixin RemoteOptions process) {
        JsonNode answer = process.get("/api/partitions");
        if (!process.isJson()) {
            process.say(ROW, HEADS.toArray());
        }
        process.printAll(answer, "/partitions", LookCommands::row);
    }

    private static String row(JsonNode partition) {
        return ROW.formatted(CELLS.stream().map(it -> Template.fill(it, partition)).toArray());
    }

    @Command(
            name = "reload",
            header = "Have a running process read its settings again.",
            footer = {
                "  envelope reload -c consumer.properties",
                "",
                "As SIGHUP does. What it takes over while running is said in the reference; what",
                "else has changed is named, and waits for a restart. Wants http.token.",
                "Exit codes: 0 done, 69 nobody answers, 78 refused."
            })
    static void reload(@Mixin RemoteOptions process) {
        process.printAll(process.post("/api/reload"), "/changes", JsonNode::asString);
    }

    @Command(
            name = "drain",
            header = "Fetch nothing more, and wait until all is saved and committed.",
            footer = {
                "  envelope drain -c consumer.properties",
                "  envelope resume all -c consumer.properties      afterwards",
                "",
                "The process goes on running and keeps its partitions; it is as after: pause all.",
                "Wants http.token. Exit codes: 0 drained, 1 not within --timeout, 69 nobody",
                "answers, 78 refused."
            })
    static int drain(
            @Mixin RemoteOptions process,
            @Option(
                            names = "--timeout",
                            paramLabel = "<timeoutSeconds>",
                            defaultValue = "60",
                            description = "Seconds to wait; 60.")
                    int timeoutSeconds)
            throws InterruptedException {
        Remote remote = process.remote();
        if (!remote.post("/api/drain").isThere()) {
            throw new UnreachableException("what answers there knows no drain: another version");
        }
        CountDownLatch never = new CountDownLatch(1);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        JsonNode answer;
        boolean isDrained;
        do {
            var unused = never.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            answer = remote.get("/api/drain").json();
            isDrained = answer.at("/drained").asBoolean();
        } while (!isDrained && System.nanoTime() < end);
        String words =
                isDrained
                        ? "drained: nothing is in flight, and all of it is committed"
                        : "not drained yet; envelope stuck says what it waits for";
        process.print(answer, json -> process.say(words));
        return isDrained ? ExitCode.OK : RemoteOptions.NOT_DONE;
    }
}
