package dev.envelope.integration.soak;

import dev.envelope.integration.stack.Workspace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The folder that a run leaves: {@code report.html}, {@code report.json}, and the logs of all
 * processes.
 *
 * <p>Threads: one at a time.
 */
final class Report {

    private final Path folder;
    private final Path logs;

    Report(SoakPlan plan) {
        this.folder = plan.folder();
        this.logs = folder.resolve("logs");
        try {
            delete(folder);
            Files.createDirectories(logs);
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for the report at " + folder, e);
        }
    }

    /** What an earlier run of the same seed has left. */
    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    void keepLogs(Workspace workspace) {
        workspace.copyLogs(logs);
    }

    /** Writes it, and looks through everything that is written for secrets. */
    SoakResult write(SoakResult result, Canaries canaries) {
        writePages(result);
        List<String> sightings = canaries.sightings(folder);
        SoakResult complete =
                result.with(
                        Check.none(
                                "secrets",
                                "planted passwords in logs and reports "
                                        + (sightings.isEmpty() ? "" : sightings),
                                sightings.size()));
        writePages(complete);
        return complete;
    }

    private void writePages(SoakResult result) {
        write("report.html", new SoakPage(result).page());
        write("report.json", JsonReport.of(result));
    }

    private void write(String name, String text) {
        try {
            Files.writeString(folder.resolve(name), text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("no " + name, e);
        }
    }
}
