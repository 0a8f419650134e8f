package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Has a running process read its settings again. Threads: one thread. */
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
public final class ReloadCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    public ReloadCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        JsonNode answer = options.remote().post("/api/reload").json();
        if (options.json()) {
            terminal.out().println(answer);
        } else {
            answer.at("/changes").forEach(it -> terminal.out().println(it.asString()));
        }
        return ExitCode.OK;
    }
}
