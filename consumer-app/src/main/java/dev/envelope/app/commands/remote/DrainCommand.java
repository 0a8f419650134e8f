package dev.envelope.app.commands.remote;

import dev.envelope.app.commands.remote.Remote.Answer;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Has a running process save and commit all that it has fetched. Threads: one thread. */
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
public final class DrainCommand implements Callable<Integer> {

    private static final int NOT_YET = 1;
    private static final long LOOK_EVERY_MILLIS = 250;

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Option(names = "--timeout", defaultValue = "60", description = "Seconds to wait; 60.")
    private int timeoutSeconds;

    public DrainCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Remote remote = options.remote();
        if (!remote.post("/api/drain").isThere()) {
            throw new UnreachableException("what answers there knows no drain: another version");
        }
        CountDownLatch never = new CountDownLatch(1);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        Answer answer;
        do {
            var unused = never.await(LOOK_EVERY_MILLIS, TimeUnit.MILLISECONDS);
            answer = remote.get("/api/drain");
        } while (!isDrained(answer.json()) && System.nanoTime() < end);
        boolean isDrained = isDrained(answer.json());
        if (options.json()) {
            terminal.out().println(answer.json());
        } else if (isDrained) {
            terminal.out().println("drained: nothing is in flight, and all of it is committed");
        } else {
            terminal.out().println("not drained yet; envelope stuck says what it waits for");
        }
        return isDrained ? ExitCode.OK : NOT_YET;
    }

    private static boolean isDrained(JsonNode answer) {
        return answer.at("/drained").asBoolean();
    }
}
