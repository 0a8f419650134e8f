package dev.envelope.app.commands.remote;

import dev.envelope.app.commands.options.ShownSetting;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Version;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.start.UnreachableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
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
import tools.jackson.databind.node.ObjectNode;

/** Writes the status of a process into one file, for a bug report. Threads: one thread. */
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

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final Clock clock = Clock.systemUTC();

    @Mixin private RemoteOptions process = new RemoteOptions();

    @Option(names = "--to", paramLabel = "FILE", description = "Where to; made up if left out.")
    private @Nullable Path to;

    @Override
    public Integer call() {
        Remote remote = process.remote();
        Instant now = clock.instant();
        ObjectNode report = MAPPER.createObjectNode();
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
                    file, MAPPER.writeValueAsString(report) + "\n", StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new RefusedStartException(List.of("cannot write " + file + ": " + e));
        }
        process.print(Map.of("file", file.toString()), json -> process.fill("{file}", json));
        return code;
    }

    private int ask(Remote remote, ObjectNode report) {
        try {
            report.set("status", remote.get("/api/status").json());
            report.set("stuck", remote.get("/api/stuck").json());
            report.set("pool", remote.get("/api/pool").json());
            report.set("settings", remote.get("/api/config").json());
            report.set("live", remote.get("/api/live/now").json());
            report.put("metrics", remote.text("/metrics"));
            report.at("/stuck/findings").forEach(it -> process.err().println(it.asString()));
            return ExitCode.OK;
        } catch (UnreachableException e) {
            withoutAnswer(report, "unreachable", e);
            return ExitCode.UNAVAILABLE;
        } catch (RefusedStartException e) {
            withoutAnswer(report, "refused", e);
            return ExitCode.CONFIG;
        }
    }

    /** Adds the settings of the file, since those of the process are unknown. */
    private void withoutAnswer(ObjectNode report, String how, RuntimeException why) {
        report.put(how, String.valueOf(why.getMessage()));
        process.err().println("envelope: " + why.getMessage());
        process.settings()
                .map(it -> it.effective().stream().map(ShownSetting::of).toList())
                .ifPresent(it -> report.set("settingsOfTheFile", MAPPER.valueToTree(it)));
    }
}
