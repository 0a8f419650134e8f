package dev.envelope.app.config.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.core.WorkerThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigDocsTest {

    private static final Path ROOT = Path.of("..");

    @TempDir Path directory;

    private static void assertCurrent(Path committed, String rendered) throws IOException {
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(committed, rendered);
        }
        assertThat(committed)
                .as("stale: run this test with -Ddocs.update=true and commit the file")
                .hasContent(rendered);
    }

    private Settings load(List<String> lines) throws IOException {
        Path file = Files.write(directory.resolve("f.properties"), lines);
        Files.writeString(directory.resolve("shared.properties"), "pool.size=3\n");
        Files.createDirectories(directory.resolve("handlers"));
        Files.writeString(directory.resolve("handlers/orders.jar"), "");
        Surroundings machine =
                new Surroundings(
                        Map.of("STORE_PASSWORD", "x", "KAFKA_PASSWORD", "x", "PAYMENTS_TOKEN", "x"),
                        4,
                        4L << 30,
                        directory);
        return new ConfigLoader(machine).load(file, List.of());
    }

    @Test
    void theCommittedReferenceIsCurrent() throws IOException {
        assertCurrent(ROOT.resolve("docs/configuration.md"), ReferencePage.render());
    }

    @Test
    void theCommittedSampleIsCurrent() throws IOException {
        assertCurrent(ROOT.resolve("config/consumer.properties"), new SampleFile().render());
    }

    @Test
    void theSampleIsAcceptedAsItStands() throws IOException {
        Settings settings = load(new SampleFile().render().lines().toList());
        assertThat(settings.warnings().all()).isEmpty();
        assertThat(settings.family(Family.FOLD)).containsKey("balance");
    }

    static Stream<String> switchedOff() {
        return new SampleFile().render().lines().filter(line -> line.matches("#[a-z].*"));
    }

    @ParameterizedTest
    @MethodSource("switchedOff")
    void everySettingOfTheSampleCanBeSwitchedOn(String line) throws IOException {
        List<String> lines = new ArrayList<>(new SampleFile().render().lines().toList());
        lines.set(lines.indexOf(line), line.substring(1));
        if (line.startsWith("#handler.http.") || line.startsWith("#batch.")) {
            lines.removeIf(it -> it.matches("(handler|handler\\.fold\\..*|store\\.url)=.*"));
            lines.addAll(List.of("mode=work", "handler=http"));
            if (!line.startsWith("#handler.http.url")) {
                lines.add("handler.http.url=http://localhost/");
            }
        } else if (line.startsWith("#handler.") || line.contains(".deserializer.")) {
            lines.removeIf(it -> it.startsWith("handler=") || it.startsWith("handler.fold."));
            lines.add("handler=com.example.Orders");
        }
        if (line.startsWith("#table.")) {
            lines.removeIf(it -> it.matches("(bootstrap\\.servers|topics|start\\.from|source)=.*"));
            Stream.of("source=table", "table.name=a", "table.key=b", "table.id=c")
                    .filter(it -> !line.startsWith("#" + it.substring(0, it.indexOf('=') + 1)))
                    .forEach(lines::add);
        }
        if (line.startsWith("#slots")) {
            lines.add("assignment=slots");
            if (!line.startsWith("#slots=")) {
                lines.add("slots=4");
            }
        }
        if (line.startsWith("#store.place.")) {
            lines.addAll(List.of("store.slots=4", "store.slots.b=2-3"));
        } else if (line.startsWith("#store.slots.")) {
            lines.addAll(List.of("store.slots=4", "store.place.b=jdbc:postgresql://b/c"));
        }
        if (line.contains(".deserializer.")) {
            lines.add(line.substring(1, line.indexOf('.')) + ".format=com.example.Custom");
        }
        if (line.startsWith("#store.password")) {
            lines.add("store.user=me");
        }
        if (line.startsWith("#store.migrator.password")) {
            Files.writeString(directory.resolve("secrets.properties"), "migrator=x");
            lines.replaceAll(it -> it.replace("/etc/envelope/", ""));
            lines.add("store.migrator.user=owner");
        }
        if (line.startsWith("#http.token") || line.startsWith("#gateway.token")) {
            Files.writeString(
                    directory.resolve("secrets.properties"),
                    """
                    http=0123456789abcdef
                    http-former=0123456789abcdef
                    gateway=fedcba9876543210
                    gateway-former=fedcba9876543210
                    """);
            lines.replaceAll(it -> it.replace("/etc/envelope/", ""));
        }
        if (line.equals("#pool.kind=virtual") && !WorkerThreads.VIRTUAL.areThere()) {
            assertThatThrownBy(() -> load(lines)).isInstanceOf(InvalidConfigException.class);
            return;
        }
        assertThat(load(lines).effective()).isNotEmpty();
    }

    @Test
    void everySettingIsDescribed() {
        assertThat(Registry.names())
                .allSatisfy(
                        name -> {
                            assertThat(ReferencePage.render()).contains("| `" + name + "` |");
                            assertThat(new SampleFile().render())
                                    .containsPattern("(?m)^#?" + name + "=");
                        });
    }

    @Test
    void whatHasAnotherNameElsewhereExistsHere() {
        String page = ReferencePage.render();
        List<String> here =
                page.substring(page.indexOf("| Elsewhere | Here |"))
                        .lines()
                        .skip(2)
                        .flatMap(row -> Stream.of(row.split(" \\| ", -1)[1].split(", ", -1)))
                        .filter(name -> !name.isBlank())
                        .map(name -> name.replace("`", ""))
                        .toList();
        assertThat(Registry.names()).containsAll(here);
        assertThat(here).contains("application.id", "pool.size.max", "shutdown.drain.timeout");
    }
}
