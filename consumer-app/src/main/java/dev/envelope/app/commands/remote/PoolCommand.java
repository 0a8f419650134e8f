package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
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
                            "%s, %d busy, each %s%n%s, %s interrupted, %d"
                                    + " stuck, %s%n%s forwarded, %,d unhandled"
                                    + " (parked or dead letters)%nmailboxes hold %s, %,d KiB"
                                    + " of %,d%n",
                            Words.count(pool.at("/size").asInt(), "worker"),
                            pool.at("/busy").asInt(),
                            pool.at("/behavior").asString(),
                            Words.count(pool.at("/turns").asLong(), "turn"),
                            Words.count(pool.at("/handlerTimeouts").asLong(), "handler"),
                            pool.at("/stuckWorkers").asInt(),
                            Words.count(pool.at("/workersReplaced").asLong(), "restart"),
                            Words.count(pool.at("/forwarded").asLong(), "message"),
                            pool.at("/unhandled").asLong(),
                            Words.count(pool.at("/mailboxMessages").asLong(), "message"),
                            pool.at("/mailboxHeldBytes").asLong() >> 10,
                            pool.at("/mailboxBytes").asLong() >> 10);
        }
        return ExitCode.OK;
    }
}
