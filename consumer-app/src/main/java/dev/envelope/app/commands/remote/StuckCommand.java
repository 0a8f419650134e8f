package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Why the lag of a running process is stuck. Threads: one thread. */
@Command(
        name = "stuck",
        header = "Why is my lag stuck? The message, its key, its error.",
        footer = {
            "  envelope stuck -c consumer.properties",
            "  envelope stuck --url http://127.0.0.1:8080 --json",
            "",
            "Exit codes: 0 nothing is stuck, 1 something is, 69 nobody answers."
        })
public final class StuckCommand implements Callable<Integer> {

    private static final int STUCK = 1;

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    public StuckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        JsonNode answer = options.remote().get("/api/stuck").json();
        if (options.json()) {
            terminal.out().println(answer);
        } else {
            answer.at("/findings").forEach(it -> terminal.out().println(it.asString()));
        }
        return answer.at("/stuck").asBoolean() ? STUCK : ExitCode.OK;
    }
}
