package dev.envelope.app.config;

import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.problem.ConfigProblems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A settings file in a folder of its own, with an environment and flags set by hand. */
public final class ConfigFixture {

    static final long HEAP = 4L << 30;

    /** The shortest file that is accepted: five lines. */
    static final List<String> MINIMAL =
            List.of(
                    "application.id=balances",
                    "bootstrap.servers=localhost:9092",
                    "topics=payments",
                    "handler=latest",
                    "store.url=jdbc:postgresql://localhost/db");

    private final Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private final List<String> flags = new ArrayList<>();
    private int processors = 8;
    private long heap = HEAP;

    ConfigFixture(Path directory) {
        this.directory = directory;
    }

    ConfigFixture variable(String name, String value) {
        environment.put(name, value);
        return this;
    }

    ConfigFixture flag(String pair) {
        flags.add(pair);
        return this;
    }

    ConfigFixture processors(int count) {
        this.processors = count;
        return this;
    }

    ConfigFixture heap(long bytes) {
        this.heap = bytes;
        return this;
    }

    Path write(String name, String... lines) {
        try {
            Path file = directory.resolve(name);
            return Files.writeString(file, String.join("\n", lines) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads exactly these lines. */
    Settings load(String... lines) {
        Path file = write("app.properties", lines);
        Surroundings surroundings = new Surroundings(environment, processors, heap, directory);
        return new ConfigLoader(surroundings).load(file, flags);
    }

    /** Loads the minimal settings, less those that are set here, and then these lines. */
    Settings loadWith(String... lines) {
        return load(with(lines));
    }

    /** All problems and warnings of {@link #loadWith}. */
    ConfigProblems problemsWith(String... lines) {
        return problems(with(lines));
    }

    /** All problems and warnings of {@link #load}. */
    ConfigProblems problems(String... lines) {
        try {
            return load(lines).warnings();
        } catch (InvalidConfigException e) {
            return e.problems();
        }
    }

    /** The problems as they are printed, with the folder's name left out. */
    String printed(ConfigProblems problems) {
        return problems.render().replace(directory + "/", "");
    }

    private static String[] with(String... lines) {
        List<String> all = new ArrayList<>();
        MINIMAL.stream()
                .filter(given -> Arrays.stream(lines).noneMatch(line -> sameKey(given, line)))
                .forEach(all::add);
        all.addAll(List.of(lines));
        return all.toArray(String[]::new);
    }

    private static boolean sameKey(String one, String other) {
        return one.substring(0, one.indexOf('=') + 1)
                .equals(other.substring(0, other.indexOf('=') + 1));
    }
}
