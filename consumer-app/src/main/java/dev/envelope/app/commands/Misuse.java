package dev.envelope.app.commands;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Suggests what a wrong command line may have meant. */
final class Misuse {

    private static final String CONFIG = "--config";
    private static final String URL = "--url";

    /** The names that other programs use for our commands. */
    private static final Map<String, String> OTHER_WORDS =
            Map.of(
                    "start", "run",
                    "consume", "run",
                    "serve", "run",
                    "check", "validate",
                    "test", "validate",
                    "init", "config sample",
                    "get", "key",
                    "state", "key",
                    "workers", "pool",
                    "dlq", "parked");

    private Misuse() {}

    /** A hint of one line; empty if there is none better than similar names. */
    static Optional<String> hint(ParameterException e, String... arguments) {
        CommandSpec command = e.getCommandLine().getCommandSpec();
        String name = command.qualifiedName();
        List<String> unmatched =
                e instanceof UnmatchedArgumentException it ? it.getUnmatched() : List.of();
        String first = unmatched.isEmpty() ? "" : unmatched.get(0);
        if (command.parent() == null) {
            return Optional.ofNullable(OTHER_WORDS.get(first))
                    .map(right -> "did you mean %s %s?".formatted(name, right));
        }
        boolean isOfFile = command.findOption(CONFIG) != null;
        boolean isOfProcess = command.findOption(URL) != null;
        if (isOfFile && !isOfProcess && List.of(arguments).contains(URL)) {
            return Optional.of(
                    name + " looks into the database: it wants -c with the properties file");
        }
        return isOfFile
                ? fileWithoutOption(arguments)
                        .map(file -> "did you mean %s -c %s?".formatted(name, file))
                : Optional.empty();
    }

    private static Optional<String> fileWithoutOption(String... arguments) {
        return IntStream.range(1, arguments.length)
                .filter(i -> !arguments[i - 1].startsWith("-"))
                .mapToObj(i -> arguments[i])
                .filter(Misuse::isFile)
                .findFirst();
    }

    private static boolean isFile(String argument) {
        try {
            return argument.endsWith(".properties") || Files.isRegularFile(Path.of(argument));
        } catch (InvalidPathException e) {
            return false;
        }
    }
}
