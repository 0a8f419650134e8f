package dev.envelope.integration.stack;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What stands before a command so that it runs apart from the terminal's process group, and a
 * Ctrl-C does not reach it.
 *
 * <p>Linux has {@code setsid}; macOS has none, but brings perl. With neither the command runs as it
 * is: then Ctrl-C stops it at the same moment as us, which is rude but leaves nothing behind.
 *
 * <p>Threads: immutable.
 */
final class OwnSession {

    private static final List<String> PREFIX = find();

    private OwnSession() {}

    static List<String> prefix() {
        return PREFIX;
    }

    private static List<String> find() {
        return onPath("setsid")
                .map(setsid -> List.of(setsid))
                .or(
                        () ->
                                onPath("perl")
                                        .map(
                                                perl ->
                                                        List.of(
                                                                perl,
                                                                "-e",
                                                                "setpgrp(0, 0); exec { $ARGV[0] } @ARGV")))
                .orElse(List.of());
    }

    private static Optional<String> onPath(String program) {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst();
    }
}
