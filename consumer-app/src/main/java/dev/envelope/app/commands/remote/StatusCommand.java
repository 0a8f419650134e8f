package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** How a running process does, second by second. Threads: one thread. */
@Command(
        name = "status",
        header = "How a running process does.",
        footer = {
            "  envelope status -c consumer.properties            live, until Ctrl-C",
            "  envelope status -c consumer.properties --once",
            "  envelope status --url http://127.0.0.1:8080 --json",
            "",
            "In a terminal it draws itself anew each second; elsewhere it prints a line each",
            "second. Exit codes: 0 ready, 1 not ready, 69 nobody answers."
        })
public final class StatusCommand implements Callable<Integer> {

    private static final String STATUS = "/api/status";
    private static final String SAVED = "/totals/records";
    private static final int NOT_READY = 1;
    private static final Duration WORTH_ASKING = Duration.ofSeconds(5);
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";

    private final Terminal terminal;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Option(names = "--once", description = "Look once.")
    private boolean once;

    public StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Remote remote = options.remote();
        JsonNode status = remote.get(STATUS).json();
        if (options.json()) {
            terminal.out().println(status);
            return code(status);
        }
        if (once) {
            draw(status, 0);
            return code(status);
        }
        CountDownLatch never = new CountDownLatch(1);
        long before = status.at(SAVED).asLong();
        while (true) {
            long now = status.at(SAVED).asLong();
            if (terminal.isLookedAt()) {
                terminal.out().print(HOME_AND_CLEAR);
                draw(status, now - before);
            } else {
                terminal.out().println(line(status, now - before));
            }
            before = now;
            if (never.await(1, TimeUnit.SECONDS)) {
                return ExitCode.OK;
            }
            try {
                status = remote.get(STATUS).json();
            } catch (UnreachableException e) {
                if (!terminal.isLookedAt()) {
                    throw e;
                }
                status = await(remote); // who looks on sees it go and come again
                before = status.at(SAVED).asLong();
            }
        }
    }

    private JsonNode await(Remote remote) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        while (true) {
            try {
                return remote.get(STATUS).json();
            } catch (UnreachableException e) {
                terminal.out().println(HOME_AND_CLEAR + e.getMessage());
                var unused = never.await(1, TimeUnit.SECONDS);
            }
        }
    }

    private static int code(JsonNode status) {
        return status.at("/ready").asBoolean() ? ExitCode.OK : NOT_READY;
    }

    private static String line(JsonNode status, long perSecond) {
        return "%s lag %,d  saved %,d/s  in flight %,d  oldest %s  %.1f messages/write%s"
                .formatted(
                        status.at("/state").asString(),
                        status.at("/lag").asLong(),
                        perSecond,
                        status.at("/inFlight").asLong(),
                        age(status),
                        status.at("/totals/recordsPerWrite").asDouble(),
                        notReady(status));
    }

    private static String notReady(JsonNode status) {
        StringBuilder reasons = new StringBuilder();
        String frozen = status.at("/frozen/inWords").asString("");
        if (!frozen.isEmpty()) {
            reasons.append("  ! ").append(frozen);
        }
        status.at("/notReadyBecause")
                .forEach(reason -> reasons.append("  ! ").append(reason.asString()));
        return reasons.toString();
    }

    private static String age(JsonNode status) {
        Duration oldest = Duration.ofMillis(status.at("/oldestUnackedMillis").asLong());
        return "%.1f s".formatted(oldest.toMillis() / 1000.0);
    }

    private void draw(JsonNode status, long perSecond) {
        terminal.out()
                .printf(
                        "%s on %s, envelope %s: %s, %s, up %,d s%n",
                        status.at("/application").asString(),
                        status.at("/instance").asString(),
                        status.at("/version").asString(),
                        status.at("/state").asString(),
                        status.at("/ready").asBoolean() ? "ready" : "NOT READY",
                        status.at("/uptimeSeconds").asLong());
        String frozen = status.at("/frozen/inWords").asString("");
        if (!frozen.isEmpty()) {
            terminal.out().printf("  ! %s%n", frozen);
        }
        status.at("/notReadyBecause")
                .forEach(reason -> terminal.out().printf("  ! %s%n", reason.asString()));
        if (status.at("/oldestUnackedMillis").asLong() > WORTH_ASKING.toMillis()) {
            terminal.out()
                    .printf("  ! a message is here for %s: envelope stuck says why%n", age(status));
        }
        terminal.out()
                .printf(
                        "  lag       %,d; %,d in flight, the oldest for %s%n",
                        status.at("/lag").asLong(), status.at("/inFlight").asLong(), age(status));
        terminal.out()
                .printf(
                        "  saved     %s in %s: %.1f messages a write%s%n",
                        Words.count(status.at(SAVED).asLong(), "message"),
                        Words.count(status.at("/totals/rowsWritten").asLong(), "row"),
                        status.at("/totals/recordsPerWrite").asDouble(),
                        once ? "" : "; %,d in the last second".formatted(perSecond));
        terminal.out()
                .printf(
                        "  besides   %s left out, %,d parked%n",
                        Words.count(status.at("/totals/duplicates").asLong(), "duplicate"),
                        status.at("/totals/parked").asLong());
        terminal.out()
                .printf(
                        "  workers   %,d of %,d busy%n",
                        status.at("/pool/busy").asLong(), status.at("/pool/size").asLong());
        terminal.out().printf("  parts     %,d%n", status.at("/partitions").size());
        terminal.out().flush();
    }
}
