package dev.envelope.integration.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * Looks for seeds whose story shows a mutant. Most mutants are rare in a story, and stories rarely
 * change, so the seeds of the last search are tried first. If too few of them show it now, all are
 * searched. {@code -Ddocs.update=true} searches anew, and writes down what it has found.
 *
 * <p>Threads: one thread.
 */
final class RedSeeds implements BeforeAllCallback, BeforeEachCallback, AfterAllCallback {

    private static final int ENOUGH = 2;
    private static final boolean ANEW = Boolean.getBoolean("docs.update");
    private static final Logger ENGINE = (Logger) LoggerFactory.getLogger("dev.envelope");

    private final Path file;
    private final int seeds;
    private final Map<String, String> known = new TreeMap<>(); // by test
    private String test = "";

    /**
     * @param file where the seeds are written down, a line for each test
     * @param seeds how many are searched at most
     */
    RedSeeds(String file, int seeds) {
        this.file = Path.of("src/test/resources/red-seeds", file);
        this.seeds = seeds;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        ENGINE.setLevel(Level.OFF); // mutants make it complain
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                known.put(
                        line.substring(0, line.indexOf('=')),
                        line.substring(line.indexOf('=') + 1));
            }
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        test = context.getRequiredTestMethod().getName();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        ENGINE.setLevel(null);
        if (ANEW) {
            Files.createDirectories(file.getParent());
            Files.write(
                    file,
                    known.entrySet().stream()
                            .map(it -> it.getKey() + "=" + it.getValue())
                            .toList());
        }
    }

    /** Fails unless enough seeds end with that anomaly. */
    void assertFound(String anomaly, LongFunction<Simulation.Result> story) {
        List<Long> found = ANEW ? List.of() : found(anomaly, story, noted());
        if (found.size() < ENOUGH) {
            found = found(anomaly, story, LongStream.rangeClosed(1, seeds));
            System.out.println(test + ": its seeds are " + found + " now (-Ddocs.update=true)");
        }
        known.put(test, found.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        assertThat(found).as("seeds that end with %s", anomaly).hasSize(ENOUGH);
    }

    private LongStream noted() {
        return Arrays.stream(known.getOrDefault(test, "").split(" ", -1))
                .filter(it -> !it.isEmpty())
                .mapToLong(Long::parseLong);
    }

    private static List<Long> found(
            String anomaly, LongFunction<Simulation.Result> story, LongStream seeds) {
        return new ArrayList<>(
                seeds.filter(
                                seed ->
                                        story.apply(seed)
                                                .violation()
                                                .filter(it -> it.anomaly().equals(anomaly))
                                                .isPresent())
                        .limit(ENOUGH)
                        .boxed()
                        .toList());
    }
}
