package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** How far each partition of a running process is. Threads: one thread. */
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
public final class LagCommand implements Callable<Integer> {

    private static final String ROW = "%-32s %12s %14s %14s %10s %10s  %s%n";

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    public LagCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        JsonNode answer = options.remote().get("/api/partitions").json();
        if (options.json()) {
            terminal.out().println(answer);
            return ExitCode.OK;
        }
        terminal.out()
                .printf(
                        ROW,
                        "partition",
                        "lag",
                        "committed",
                        "position",
                        "in flight",
                        "oldest",
                        "");
        answer.at("/partitions").forEach(this::print);
        return ExitCode.OK;
    }

    private void print(JsonNode partition) {
        terminal.out()
                .printf(
                        ROW,
                        partition.at("/topic").asString()
                                + "-"
                                + partition.at("/partition").asInt(),
                        "%,d".formatted(partition.at("/lag").asLong()),
                        partition.at("/committed").asLong(),
                        partition.at("/position").asLong(),
                        "%,d".formatted(partition.at("/unacked").asLong()),
                        "%.1f s".formatted(partition.at("/oldestUnackedMillis").asLong() / 1000.0),
                        partition.at("/pausedBecause").asString());
    }
}
