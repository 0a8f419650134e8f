package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The workers of a running process. Threads: one thread. */
@Command(
        name = "pool",
        header = "The workers of a running process: look, add, remove.",
        footer = {
            "  envelope pool show -c consumer.properties",
            "  envelope pool add 4 -c consumer.properties",
            "  envelope pool remove 2 -c consumer.properties",
            "",
            "A worker that is removed finishes what it is at. Until the process ends:",
            "pool.size says how many it starts with. Adding and removing want http.token.",
            "Exit codes: 0 done, 69 nobody answers, 78 refused."
        })
public final class PoolCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    public PoolCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return show(options);
    }

    @Command(name = "show", header = "How many there are, and what they do.")
    int show(@Mixin RemoteOptions options) {
        return print(options, options.remote().get("/api/pool"));
    }

    @Command(name = "add", header = "Add workers.")
    int add(
            @Mixin RemoteOptions options,
            @Parameters(paramLabel = "COUNT", description = "So many.") int count) {
        return print(options, options.remote().post("/api/pool/add?count=" + count));
    }

    @Command(name = "remove", header = "Remove workers, once they have finished what they are at.")
    int remove(
            @Mixin RemoteOptions options,
            @Parameters(paramLabel = "COUNT", description = "So many.") int count) {
        return print(options, options.remote().post("/api/pool/remove?count=" + count));
    }

    private int print(RemoteOptions options, Remote.Answer answer) {
        JsonNode pool = answer.json();
        if (options.json()) {
            terminal.out().println(pool);
        } else {
            terminal.out()
                    .printf(
                            "%d workers, %d busy, each %s%n%,d turns, %,d handlers interrupted, %d"
                                    + " stuck, %,d restarts%n%,d messages forwarded, %,d unhandled"
                                    + " (parked or dead letters)%nmailboxes hold %,d messages, %,d KiB"
                                    + " of %,d%n",
                            pool.at("/size").asInt(),
                            pool.at("/busy").asInt(),
                            pool.at("/behavior").asString(),
                            pool.at("/turns").asLong(),
                            pool.at("/handlerTimeouts").asLong(),
                            pool.at("/stuckWorkers").asInt(),
                            pool.at("/workersReplaced").asLong(),
                            pool.at("/forwarded").asLong(),
                            pool.at("/unhandled").asLong(),
                            pool.at("/mailboxMessages").asLong(),
                            pool.at("/mailboxHeldBytes").asLong() >> 10,
                            pool.at("/mailboxBytes").asLong() >> 10);
        }
        return ExitCode.OK;
    }
}
