package dev.envelope.app.commands.remote;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Shows the workers of a running process, and adds or removes some. Threads: one thread. */
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
public final class PoolCommand implements Runnable {

    private static final String LINES =
            """
            {size|worker}, {busy|%d} busy, each {behavior}
            {turns|turn}, {handlerTimeouts|handler} interrupted, {stuckWorkers|%d} stuck, \
            {workersReplaced|restart}
            {forwarded|message} forwarded, {unhandled|%,d} unhandled (parked or dead letters)
            mailboxes hold {mailboxMessages|message}, {mailboxHeldBytes|KiB} KiB of \
            {mailboxBytes|KiB}""";

    @Mixin private RemoteOptions process = new RemoteOptions();

    @Override
    public void run() {
        show(process);
    }

    @Command(name = "show", header = "How many there are, and what they do.")
    void show(@Mixin RemoteOptions process) {
        print(process, process.get("/api/pool"));
    }

    @Command(name = "add", header = "Add workers.")
    void add(
            @Mixin RemoteOptions process,
            @Parameters(paramLabel = "COUNT", description = "So many.") int count) {
        print(process, process.post("/api/pool/add?count=" + count));
    }

    @Command(name = "remove", header = "Remove workers, once they have finished what they are at.")
    void remove(
            @Mixin RemoteOptions process,
            @Parameters(paramLabel = "COUNT", description = "So many.") int count) {
        print(process, process.post("/api/pool/remove?count=" + count));
    }

    private static void print(RemoteOptions process, JsonNode pool) {
        process.print(pool, json -> process.fill(LINES, json));
    }
}
