package dev.envelope.app.config.layer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.problem.ProblemCollector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LayersTest {

    private static final Set<String> KEYS = Set.of("pool.size", "store.url", "config.include");

    @TempDir Path directory;

    private final ProblemCollector problems = new ProblemCollector();

    private Map<String, String> lay(String file, Map<String, String> variables, String... flags)
            throws IOException {
        Layers layers = new Layers(List.of(flags), directory, problems);
        layers.file(Files.writeString(directory.resolve("f"), file));
        layers.environment(variables, KEYS, Set.of("kafka."));
        layers.flags();
        return layers.entries().stream()
                .collect(
                        Collectors.toMap(
                                Entry::key,
                                entry ->
                                        entry.text()
                                                + " from "
                                                + entry.origin()
                                                        .describe()
                                                        .replace(directory + "/", "")));
    }

    private String printed() {
        return problems.problems().render();
    }

    @Test
    void theEnvironmentWinsOverTheFileAndTheCommandLineOverBoth() throws IOException {
        assertThat(
                        lay(
                                "pool.size=1\nstore.url=a\nother=x",
                                Map.of("ENVELOPE_POOL_SIZE", "2", "ENVELOPE_STORE_URL", "b"),
                                "pool.size=3"))
                .containsOnly(
                        Map.entry("pool.size", "3 from --set"),
                        Map.entry("store.url", "b from ENVELOPE_STORE_URL"),
                        Map.entry("other", "x from f:3"));
    }

    @Test
    void variablesReachIntoFamilies() throws IOException {
        assertThat(lay("", Map.of("ENVELOPE_KAFKA_CONSUMER_CLIENT_RACK", "r")))
                .containsEntry(
                        "kafka.consumer.client.rack", "r from ENVELOPE_KAFKA_CONSUMER_CLIENT_RACK");
    }

    @Test
    void aVariableThatStandsForNothingIsRefused() throws IOException {
        lay("", Map.of("ENVELOPE_POOL_SZIE", "2"));
        assertThat(printed())
                .contains("ENVELOPE_POOL_SZIE\n    stands for no setting")
                .contains("did you mean ENVELOPE_POOL_SIZE?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ENVELOPE_HOME",
                "ENVELOPE_JAVA_OPTS",
                "ENVELOPE_SERVICE_HOST",
                "ENVELOPE_SERVICE_PORT_HTTP",
                "ENVELOPE_PORT",
                "ENVELOPE_ORDERS_PORT_8080_TCP_ADDR",
                "PATH"
            })
    void variablesOfTheLauncherAndOfKubernetesAreLeftAlone(String name) throws IOException {
        assertThat(lay("", Map.of(name, "x"))).isEmpty();
        assertThat(printed()).isEmpty();
    }

    @Test
    void aVariableThatAValueRefersToMayHaveAnyName() throws IOException {
        lay(
                "a=${env:ENVELOPE_SECRET}",
                Map.of("ENVELOPE_SECRET", "x", "ENVELOPE_OTHER", "y"),
                "b=${env:ENVELOPE_OTHER}");
        assertThat(printed()).isEmpty();
    }

    @Test
    void aFlagNeedsItsValue() throws IOException {
        lay("", Map.of(), "pool.size");
        assertThat(printed()).contains("--set").contains("the syntax is --set key=value");
    }

    @Test
    void aFlagThatIsSetTwiceIsRefused() throws IOException {
        lay("", Map.of(), "pool.size=1", "pool.size=2");
        assertThat(printed()).contains("pool.size\n    is set twice by --set");
    }

    @Test
    void onlyAFileIncludes() throws IOException {
        lay("", Map.of("ENVELOPE_CONFIG_INCLUDE", "x"), "config.include=y");
        assertThat(printed()).contains("2 problems").contains("can only be set in a file");
    }
}
