package dev.envelope.app.commands.remote;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Template;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows the status of a running process, once or each second. Threads: one thread. */
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
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";
    private static final Duration WORTH_ASKING = Duration.ofSeconds(5);
    private static final int NOT_READY = 1;

    private static final String LINE =
            "{state} lag {lag|%,d}  saved {perSecond|%,d}/s  in flight {inFlight|%,d}"
                    + "  oldest {oldestUnackedMillis|seconds}"
                    + "  {totals/recordsPerWrite|%.1f} messages/write";

    private static final String HEAD =
            "{application} on {instance}, envelope {version}: {state}, {standing},"
                    + " up {uptimeSeconds|%,d} s";

    private static final String OLD =
            "a message is here for {oldestUnackedMillis|seconds}: envelope stuck says why";

    private static final String BODY =
            """
              lag       {lag|%,d}; {inFlight|%,d} in flight, the oldest for \
            {oldestUnackedMillis|seconds}
              saved     {totals/records|message} in {totals/rowsWritten|row}: \
            {totals/recordsPerWrite|%.1f} messages a write{rate}
              besides   {totals/duplicates|duplicate} left out, {totals/parked|%,d} parked
              workers   {pool/busy|%,d} of {pool/size|%,d} busy
              parts     {parts|%,d}""";

    private static final String BODY_WITHOUT_ROWS =
            """
              lag       {lag|%,d}; {inFlight|%,d} in flight, the oldest for \
            {oldestUnackedMillis|seconds}
              handled   {totals/records|message}{rate}
              besides   {totals/deadLettered|dead letter}
              workers   {pool/busy|%,d} of {pool/size|%,d} busy
              parts     {parts|%,d}""";

    private static final String OUTPUTS =
            "  outputs   {outputs/waiting|%,d} wait for Kafka, the first for"
                    + " {outputs/oldestMillis|seconds}; {outputs/sent|%,d} sent";

    private final Terminal terminal;

    @Mixin private RemoteOptions process = new RemoteOptions();

    @Option(names = "--once", description = "Look once.")
    private boolean once;

    public StatusCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Remote remote = process.remote();
        JsonNode status = remote.get(STATUS).json();
        if (process.isJson() || once) {
            process.print(status, it -> draw(it, 0));
            return status.at("/ready").asBoolean() ? ExitCode.OK : NOT_READY;
        }
        CountDownLatch never = new CountDownLatch(1);
        long before = saved(status);
        while (true) {
            if (terminal.isLookedAt()) {
                process.out().print(HOME_AND_CLEAR);
                draw(status, saved(status) - before);
            } else {
                print(status, saved(status) - before);
            }
            before = saved(status);
            if (never.await(1, TimeUnit.SECONDS)) {
                return ExitCode.OK;
            }
            try {
                status = remote.get(STATUS).json();
            } catch (UnreachableException e) {
                if (!terminal.isLookedAt()) {
                    throw e;
                }
                status = await(remote); // in a terminal the outage is shown until it answers again
                before = saved(status);
            }
        }
    }

    private static long saved(JsonNode status) {
        return status.at("/totals/records").asLong();
    }

    private JsonNode await(Remote remote) throws InterruptedException {
        CountDownLatch never = new CountDownLatch(1);
        while (true) {
            try {
                return remote.get(STATUS).json();
            } catch (UnreachableException e) {
                process.out().println(HOME_AND_CLEAR + e.getMessage());
                var unused = never.await(1, TimeUnit.SECONDS);
            }
        }
    }

    private void print(JsonNode status, long perSecond) {
        StringBuilder line = new StringBuilder(Template.fill(LINE, shown(status, perSecond)));
        reasons(status).forEach(it -> line.append("  ! ").append(it));
        process.out().println(line);
    }

    private void draw(JsonNode status, long perSecond) {
        JsonNode shown = shown(status, perSecond);
        List<String> warnings = reasons(status);
        if (status.at("/oldestUnackedMillis").asLong() > WORTH_ASKING.toMillis()) {
            warnings.add(Template.fill(OLD, shown));
        }
        process.fill(HEAD, shown);
        warnings.forEach(it -> process.say("  ! %s", it));
        boolean isWork = status.at("/mode").asString("").equals("work");
        process.fill(isWork ? BODY_WITHOUT_ROWS : BODY, shown);
        if (status.has("slots")) {
            process.say("  slots     %s", slots(status.get("slots")));
        }
        if (status.has("places")) {
            process.say("  places    %s", places(status.get("places")));
        }
        if (status.at("/outputs/waiting").asLong() > 0) {
            process.fill(OUTPUTS, shown);
        }
    }

    /** The status, with the rate since the last one. */
    private JsonNode shown(JsonNode status, long perSecond) {
        return ((ObjectNode) status)
                .put("standing", status.at("/ready").asBoolean() ? "ready" : "NOT READY")
                .put("parts", status.at("/partitions").size())
                .put("perSecond", perSecond)
                .put("rate", once ? "" : "; %,d in the last second".formatted(perSecond));
    }

    /** Who holds which, who waits, and what nobody holds. */
    private static String slots(JsonNode slots) {
        if (!slots.at("/trouble").asString("").isEmpty()) {
            return "not known";
        }
        List<String> words = new ArrayList<>();
        for (JsonNode holder : slots.at("/holders")) {
            String instance = holder.at("/instance").asString("");
            words.add(
                    holder.at("/slot").asInt()
                            + " "
                            + (holder.at("/ours").asBoolean() ? "this process" : instance));
        }
        slots.at("/free").forEach(it -> words.add(it.asInt() + " nobody"));
        slots.at("/waiting").forEach(it -> words.add(it.asString() + " waits"));
        String change = slots.at("/change").asString("");
        if (!change.isEmpty()) {
            words.add(change);
        }
        return String.join(", ", words);
    }

    private static String places(JsonNode places) {
        List<String> words = new ArrayList<>();
        for (JsonNode place : places) {
            String away = place.at("/away").asString("");
            words.add(
                    place.at("/name").asString("")
                            + " ("
                            + Words.count(place.at("/slots").size(), "slot")
                            + (away.isEmpty()
                                    ? ")"
                                    : "), AWAY for "
                                            + place.at("/awaySeconds").asLong()
                                            + " s: "
                                            + away));
        }
        return String.join("; ", words);
    }

    private static List<String> reasons(JsonNode status) {
        List<String> reasons = new ArrayList<>();
        String frozen = status.at("/frozen/inWords").asString("");
        if (!frozen.isEmpty()) {
            reasons.add(frozen);
        }
        status.at("/notReadyBecause").forEach(it -> reasons.add(it.asString()));
        return reasons;
    }
}
