package dev.envelope.app.config.layer;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Merges the layers of settings: the environment overrides the file, the command line both.
 *
 * <p>Threads: one thread, the one that loads.
 */
public final class Layers {

    /** The prefix of variables that are settings. */
    public static final String PREFIX = "ENVELOPE_";

    /** Variables of the launcher, and those that Kubernetes sets for a service of our name. */
    private static final Pattern NOT_OURS =
            Pattern.compile(
                    "ENVELOPE_(HOME|CONFIG|JAVA|(JAVA_)?OPTS"
                            + "|(.+_)?SERVICE_(HOST|PORT(_.+)?)|(.+_)?PORT(_\\d+_.+)?)");

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final List<String> flags;
    private final Path workingDirectory;
    private final ProblemCollector problems;
    private boolean isAllRead = true;

    /** No layer yet; {@code flags} are the {@code key=value} pairs of the command line. */
    public Layers(List<String> flags, Path workingDirectory, ProblemCollector problems) {
        this.flags = List.copyOf(flags);
        this.workingDirectory = workingDirectory;
        this.problems = problems;
    }

    /** The name of the variable that sets a key. */
    public static String variableOf(String key) {
        return PREFIX + key.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    /** Adds a file, with what it includes, over the layers so far. */
    public void file(Path file) {
        PropertyFiles files = new PropertyFiles(problems);
        entries.putAll(files.read(file));
        isAllRead &= files.isAllRead();
    }

    /** False if a file could not be read: a key that seems unset may be set in it. */
    public boolean isAllRead() {
        return isAllRead;
    }

    /**
     * Adds the variables over the layers so far.
     *
     * @param keys the names of all settings
     * @param families the prefixes of families; what follows one in a variable's name is read as
     *     lower case with dots
     */
    public void environment(
            Map<String, String> environment, Set<String> keys, Set<String> families) {
        Map<String, String> named =
                keys.stream().collect(Collectors.toMap(Layers::variableOf, key -> key));
        Set<String> referenced = referencedVariables();
        new TreeMap<>(environment)
                .tailMap(PREFIX).entrySet().stream()
                        .filter(
                                it ->
                                        it.getKey().startsWith(PREFIX)
                                                && !referenced.contains(it.getKey()))
                        .forEach(it -> variable(it.getKey(), it.getValue(), named, families));
    }

    /** Adds the command line over the layers so far. */
    public void flags() {
        Map<String, Entry> set = new LinkedHashMap<>();
        for (int i = 0; i < flags.size(); i++) {
            String pair = flags.get(i);
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals).strip();
            Origin origin = new Origin.Flag(key, i + 1);
            if (equals < 0) {
                problems.error(origin, "", "lacks its value", "the syntax is --set key=value");
            } else if (isNoInclude(origin, key)) {
                Entry entry = new Entry(key, pair.substring(equals + 1), origin, workingDirectory);
                if (set.put(key, entry) != null) {
                    problems.error(origin, key, "is set twice by --set");
                }
            }
        }
        entries.putAll(set);
    }

    /** The entries in effect, in the order in which the keys first appeared. */
    public List<Entry> entries() {
        return List.copyOf(entries.values());
    }

    private void variable(
            String variable, String value, Map<String, String> named, Set<String> families) {
        Origin origin = new Origin.Environment(variable);
        String dotted =
                variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '.');
        String key = named.get(variable);
        if (key == null && families.stream().anyMatch(dotted::startsWith)) {
            key = dotted;
        }
        if (key != null) {
            if (isNoInclude(origin, key)) {
                entries.put(key, new Entry(key, value, origin, workingDirectory));
            }
        } else if (!NOT_OURS.matcher(variable).matches()) {
            problems.error(
                    origin,
                    "",
                    "stands for no setting",
                    Nearest.hint(variable, named.keySet())
                            .orElse("variables that begin with ENVELOPE_ are read as settings"));
        }
    }

    private boolean isNoInclude(Origin origin, String key) {
        if (key.equals(PropertyFiles.INCLUDE)) {
            problems.error(origin, key, "can only be set in a file");
            return false;
        }
        return true;
    }

    private Set<String> referencedVariables() {
        return Stream.concat(entries.values().stream().map(Entry::text), flags.stream())
                .flatMap(References::in)
                .filter(inside -> inside.startsWith("env:"))
                .map(inside -> inside.substring("env:".length()))
                .collect(Collectors.toSet());
    }
}
