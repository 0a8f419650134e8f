package dev.envelope.app.config.layer;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Resolves the references in a value: {@code ${env:NAME}}, {@code ${file:path:key}} and {@code
 * ${dir:path:name}}, the syntax of Kafka's config providers. A doubled dollar before a brace is a
 * literal one.
 */
public final class References {

    private static final Pattern REFERENCE = Pattern.compile("(\\$?)\\$\\{([^}]*)}");
    private static final List<String> PROVIDERS = List.of("env", "file", "dir");
    private static final String SYNTAX =
            "references are ${env:NAME}, ${file:path:key} and ${dir:path:name}; a literal ${ is"
                    + " written $${";

    private final Map<String, String> environment;
    private final Path workingDirectory;
    private final ProblemCollector problems;

    /**
     * References to the variables of {@code environment} and to files.
     *
     * @param workingDirectory paths below it are shown relative to it in problems
     */
    public References(
            Map<String, String> environment, Path workingDirectory, ProblemCollector problems) {
        this.environment = environment;
        this.workingDirectory = workingDirectory;
        this.problems = problems;
    }

    /** The insides of the references in a text, such as {@code env:NAME}. */
    public static Stream<String> in(String text) {
        return REFERENCE
                .matcher(text)
                .results()
                .filter(found -> found.group(1).isEmpty())
                .map(found -> found.group(2));
    }

    /** Whether a text is a reference and nothing else. */
    public static boolean isOnlyReference(String text) {
        Matcher matcher = REFERENCE.matcher(text);
        return matcher.matches() && matcher.group(1).isEmpty();
    }

    /** The text with every reference replaced; empty after a problem. */
    public Optional<String> resolve(Entry entry) {
        Matcher matcher = REFERENCE.matcher(entry.text());
        StringBuilder resolved = new StringBuilder();
        boolean complete = true;
        while (matcher.find()) {
            String value = matcher.group().substring(1);
            if (matcher.group(1).isEmpty()) {
                try {
                    value = lookUp(matcher.group(2), entry);
                } catch (UnresolvedException e) {
                    complete = false;
                    String subject = entry.key() + " = " + matcher.group();
                    problems.error(entry.origin(), subject, e.what, e.hint);
                }
            }
            matcher.appendReplacement(resolved, Matcher.quoteReplacement(value));
        }
        matcher.appendTail(resolved);
        return complete ? Optional.of(resolved.toString()) : Optional.empty();
    }

    private String lookUp(String inside, Entry entry) throws UnresolvedException {
        int colon = inside.indexOf(':');
        if (colon < 0) {
            throw new UnresolvedException(
                    "does not say where to look", "did you mean ${env:" + inside + "}? " + SYNTAX);
        }
        String provider = inside.substring(0, colon);
        String rest = inside.substring(colon + 1);
        return switch (provider) {
            case "env" -> variable(rest);
            case "file" -> fileProperty(rest, entry);
            case "dir" -> fileContent(rest, entry);
            default ->
                    throw new UnresolvedException(
                            "there is no provider \"" + provider + "\"",
                            Nearest.hint(provider, PROVIDERS).orElse(SYNTAX));
        };
    }

    private String variable(String name) throws UnresolvedException {
        String value = environment.get(name);
        if (value == null) {
            throw new UnresolvedException(
                    "the environment variable " + name + " is not set",
                    "set it for the process that starts the consumer");
        }
        return value;
    }

    private String fileProperty(String rest, Entry entry) throws UnresolvedException {
        Place place = Place.of(rest, entry, "file:path:key");
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(place.path())) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(place.path(), e);
        }
        String value = properties.getProperty(place.name());
        if (value == null) {
            throw new UnresolvedException(
                    "the file " + shown(place.path()) + " has no key " + place.name(), SYNTAX);
        }
        FileModes.check(place.path(), shown(place.path()), entry, problems);
        return value;
    }

    private String fileContent(String rest, Entry entry) throws UnresolvedException {
        Place place = Place.of(rest, entry, "dir:path:name");
        Path file = place.path().resolve(place.name());
        if (!place.path().equals(file.normalize().getParent())) {
            throw new UnresolvedException(
                    place.name() + " is not a file of " + shown(place.path()), SYNTAX);
        }
        try {
            String content = Files.readString(file);
            FileModes.check(file, shown(file), entry, problems);
            return content.replaceFirst("\r?\n\\z", "");
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private UnresolvedException unreadable(Path file, Exception cause) {
        return cause instanceof NoSuchFileException
                ? new UnresolvedException(
                        "there is no file " + shown(file),
                        "relative paths start at the settings' file")
                : new UnresolvedException(
                        "the file " + shown(file) + " cannot be read",
                        "it must be a text file in UTF-8 that this user may read");
    }

    private Path shown(Path file) {
        if (file.equals(workingDirectory)) {
            return Path.of(".");
        }
        return file.startsWith(workingDirectory) ? workingDirectory.relativize(file) : file;
    }

    private record Place(Path path, String name) {

        static Place of(String rest, Entry entry, String syntax) throws UnresolvedException {
            int colon = rest.lastIndexOf(':');
            if (colon <= 0 || colon == rest.length() - 1) {
                throw new UnresolvedException("lacks a part", "the syntax is ${" + syntax + "}");
            }
            try {
                Path path = entry.directory().resolve(rest.substring(0, colon)).normalize();
                return new Place(path, rest.substring(colon + 1));
            } catch (InvalidPathException e) {
                throw new UnresolvedException(
                        "does not hold a path", "the syntax is ${" + syntax + "}");
            }
        }
    }

    private static final class UnresolvedException extends Exception {

        private static final long serialVersionUID = 1L;

        private final String what;
        private final String hint;

        UnresolvedException(String what, String hint) {
            super(what);
            this.what = what;
            this.hint = hint;
        }
    }
}
