package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.key.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a person reads on the terminal, word for word; {@code -Ddocs.update=true} rewrites it. */
class GoldenMessagesTest {

    private static final Path FOLDER = Path.of("src/test/resources/config-messages");
    private static final Map<String, String> ENVIRONMENT =
            Map.of("ENVELOPE_COMMIT_INTERVALL", "5s", "ENVELOPE_POOL_SIZE", "0");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "typos",
                "values",
                "conflicts",
                "work",
                "table",
                "places",
                "http",
                "kafka",
                "references"
            })
    void theMessagesReadAsTheyDid(String name) throws IOException {
        Path golden = FOLDER.resolve(name + ".txt");
        String printed = load(FOLDER.resolve(name + ".properties"));
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(golden, printed);
        }
        assertThat(printed).isEqualTo(Files.readString(golden));
    }

    private static String load(Path file) {
        Map<String, String> environment =
                file.endsWith("typos.properties") ? ENVIRONMENT : Map.of();
        try {
            new ConfigLoader(
                            new Surroundings(
                                    environment,
                                    4,
                                    ConfigFixture.HEAP,
                                    Path.of("").toAbsolutePath()))
                    .load(file, List.of());
            return "accepted";
        } catch (InvalidConfigException e) {
            return e.problems().render();
        }
    }
}
