package dev.envelope.app.commands.remote;

import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Version;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import dev.envelope.app.terminal.Terminal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes one file that says how a process does, to be attached to a report. Threads: one thread.
 */
@Command(
        name = "doctor",
        header = "Write one file to attach to a bug report, without secrets.",
        footer = {
            "  envelope doctor -c consumer.properties",
            "  envelope doctor --url http://127.0.0.1:8080 --to report.json",
            "",
            "Settings with their origins (secrets masked), status, partitions, what is stuck,",
            "workers, the last quarter of an hour, metrics, versions. It names keys that are",
            "stuck or hot, but no state and no message. Look it over before you send it.",
            "On the terminal it says what is stuck, or what sets the pace and what to turn.",
            "Exit codes: 0 written; 69 nobody answers, 78 not to this token: then what the",
            "file says is written."
        })
public final class DoctorCommand implements Callable<Integer> {

    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private static final Map<String, String> PARTS = parts();

    private final Terminal terminal;
    private final Clock clock = Clock.systemUTC();

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Option(names = "--to", paramLabel = "FILE", description = "Where to; made up if left out.")
    private @Nullable Path to;

    public DoctorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    private static Map<String, String> parts() {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put("status", "/api/status");
        parts.put("stuck", "/api/stuck");
        parts.put("pool", "/api/pool");
        parts.put("settings", "/api/config");
        parts.put("live", "/api/live/now");
        return parts;
    }

    @Override
    public Integer call() {
        Remote remote = options.remote();
        Instant now = clock.instant();
        JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
        ObjectNode report = mapper.createObjectNode();
        report.put("writtenAt", now.toString());
        report.putObject("program")
                .put("envelope", Version.current())
                .put("java", String.valueOf(Runtime.version()))
                .put("kafkaClients", AppInfoParser.getVersion())
                .put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"))
                .put("processors", Runtime.getRuntime().availableProcessors());
        int code = ask(remote, report);
        Path file = to == null ? Path.of("envelope-doctor-" + STAMP.format(now) + ".json") : to;
        try {
            Files.writeString(
                    file, mapper.writeValueAsString(report) + "\n", StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new RefusedStartException(List.of("cannot write " + file + ": " + e));
        }
        if (options.json()) {
            terminal.out()
                    .println(mapper.createObjectNode().put("file", file.toString()).toString());
        } else {
            terminal.out().println(file);
        }
        return code;
    }

    private int ask(Remote remote, ObjectNode report) {
        try {
            PARTS.forEach((name, path) -> report.set(name, remote.get(path).json()));
            report.put("metrics", remote.text("/metrics"));
            report.at("/stuck/findings").forEach(it -> terminal.err().println(it.asString()));
            return ExitCode.OK;
        } catch (UnreachableException e) {
            withoutAnswer(report, "unreachable", e);
            return ExitCode.UNAVAILABLE;
        } catch (RefusedStartException e) {
            withoutAnswer(report, "refused", e);
            return ExitCode.CONFIG;
        }
    }

    private void withoutAnswer(ObjectNode report, String how, RuntimeException why) {
        report.put(how, String.valueOf(why.getMessage()));
        terminal.err().println("envelope: " + why.getMessage());
        options.settings().ifPresent(it -> addTo(report, it));
    }

    /** What the file says, where the process does not say what it holds. */
    private static void addTo(ObjectNode report, Settings settings) {
        ArrayNode all = report.putArray("settingsOfTheFile");
        for (Setting setting : settings.effective()) {
            all.addObject()
                    .put("name", setting.name())
                    .put("value", setting.shown())
                    .put("origin", setting.origin().describe());
        }
    }
}
