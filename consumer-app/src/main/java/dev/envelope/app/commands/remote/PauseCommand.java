package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has a running process fetch nothing more for a while. Threads: one thread. */
@Command(
        name = "pause",
        header = "Fetch nothing more of a partition, or of any; or hold a key back.",
        footer = {
            "  envelope pause payments-3 -c consumer.properties",
            "  envelope pause all -c consumer.properties",
            "  envelope pause --key account-7 -c consumer.properties    others flow",
            "",
            "It holds for this process alone, until resume or its end. Wants http.token.",
            "Exit codes: 0 done, 1 not a partition of this process, 69 nobody answers,",
            "78 refused."
        })
public final class PauseCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Mixin private PauseTarget target = new PauseTarget();

    public PauseCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return tell(terminal, options, "pause", "paused", target);
    }

    /** Says to the process what is to be held or let go, and to the person what it said. */
    static int tell(
            Terminal terminal,
            RemoteOptions options,
            String verb,
            String done,
            PauseTarget target) {
        Remote.Answer answer = options.remote().post(target.path(verb));
        if (options.json()) {
            terminal.out().println(answer.json());
        } else if (answer.isThere()) {
            terminal.out().printf("%s: %s%n", done, answer.json().at("/" + done).asString());
        } else {
            terminal.err().println(answer.json().at("/error").asString());
        }
        return answer.isThere() ? ExitCode.OK : 1;
    }
}
