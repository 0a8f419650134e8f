package dev.envelope.integration.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files that people deploy with are what their readers take them for. */
class DeployFilesTest {

    private static final int DRAIN_SECONDS = 20;

    private static List<Object> yaml(String file) {
        Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        String text = DeployFiles.read(DeployFiles.FOLDER.resolve(file));
        return StreamSupport.stream(yaml.loadAll(text).spliterator(), false).toList();
    }

    private static JsonNode tree(String file) {
        return JsonMapper.builder().build().valueToTree(yaml(file).get(0));
    }

    /** Without an engine; where there is one it is built and run. */
    @Test
    void theDockerfileIsForNobodyInParticularAndRunsTheProgramItself() {
        List<String> lines =
                DeployFiles.read(DeployFiles.FOLDER.resolve("docker/Dockerfile"))
                        .lines()
                        .filter(line -> !line.isBlank() && !line.startsWith("#"))
                        .toList();

        assertThat(lines)
                .allMatch(
                        line ->
                                line.matches(
                                        "(FROM|ADD|RUN|USER|WORKDIR|ENV|EXPOSE|STOPSIGNAL|ENTRYPOINT|CMD)"
                                                + " \\S.*"));
        assertThat(lines.get(0)).startsWith("FROM eclipse-temurin:");
        assertThat(lines)
                .contains(
                        "USER 10001:10001",
                        "STOPSIGNAL SIGTERM",
                        "ENTRYPOINT [\"/opt/envelope/bin/envelope\"]");
        assertThat(lines.indexOf("USER 10001:10001"))
                .as("what is run as root is done before")
                .isGreaterThan(lines.size() - 8);
    }

    @Test
    void everyYamlFileIsOneDocument() {
        List<Path> files = DeployFiles.withEnding(".yaml");

        assertThat(files).hasSizeGreaterThan(6);
        assertThat(files)
                .allSatisfy(
                        it ->
                                assertThat(yaml(DeployFiles.FOLDER.relativize(it).toString()))
                                        .hasSize(1)
                                        .doesNotContainNull());
    }

    @Test
    void theClusterRunsItAsNobodyWithNothingToWriteToAndGivesItTimeToDrain() {
        JsonNode pod = tree("kubernetes/deployment.yaml").at("/spec/template/spec");
        JsonNode container = pod.at("/containers/0");

        assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
        assertThat(pod.at("/securityContext/seccompProfile/type").asString())
                .isEqualTo("RuntimeDefault");
        assertThat(container.at("/securityContext/readOnlyRootFilesystem").asBoolean()).isTrue();
        assertThat(container.at("/securityContext/allowPrivilegeEscalation").asBoolean(true))
                .isFalse();
        assertThat(container.at("/securityContext/capabilities/drop/0").asString())
                .isEqualTo("ALL");
        assertThat(pod.at("/terminationGracePeriodSeconds").asInt()).isGreaterThan(DRAIN_SECONDS);
        assertThat(container.at("/livenessProbe/httpGet/path").asString()).isEqualTo("/livez");
        assertThat(container.at("/readinessProbe/httpGet/path").asString()).isEqualTo("/readyz");
    }

    @Test
    void everyResourceOfTheKustomizationIsThere() {
        for (JsonNode name : tree("kubernetes/kustomization.yaml").at("/resources")) {
            assertThat(DeployFiles.FOLDER.resolve("kubernetes").resolve(name.asString()))
                    .isRegularFile();
        }
    }

    @Test
    void theClustersSettingsAreAccepted() {
        Map<String, String> environment = new HashMap<>();
        environment.put("STORE_PASSWORD", "x");
        environment.put("HTTP_TOKEN", "0123456789abcdef");
        Settings settings =
                new ConfigLoader(new Surroundings(environment, 1, 1L << 30, Checkout.ROOT))
                        .load(
                                DeployFiles.FOLDER.resolve("kubernetes/consumer.properties"),
                                List.of());

        assertThat(settings.find(OperationKeys.HTTP_TOKEN)).isPresent();
    }

    @Test
    void whatTheComposeFileSetsAreSettings() {
        TreeSet<String> variables = new TreeSet<>();
        Registry.names()
                .forEach(
                        it ->
                                variables.add(
                                        "ENVELOPE_"
                                                + it.toUpperCase(Locale.ROOT).replace('.', '_')));
        JsonNode consumer = tree("compose.yaml").at("/services/consumer");

        assertThat(consumer.at("/environment").propertyNames()).isSubsetOf(variables);
        assertThat(consumer.at("/read_only").asBoolean()).isTrue();
    }

    @Test
    void systemdGivesItTimeToDrainAndDoesNotRestartAWrongSetting() {
        String unit = DeployFiles.read(DeployFiles.FOLDER.resolve("systemd/envelope.service"));

        assertThat(unit.lines().filter(it -> it.startsWith("[")))
                .containsExactly("[Unit]", "[Service]", "[Install]");
        assertThat(unit.lines())
                .allSatisfy(it -> assertThat(it).matches("|#.*|\\[\\w+]|[A-Z][A-Za-z]+=.*"));
        assertThat(unit)
                .contains("TimeoutStopSec=60\n")
                .contains("RestartPreventExitStatus=64 78\n")
                .contains("ExecReload=/bin/kill -HUP $MAINPID\n")
                .contains("ExecStart=/opt/envelope/bin/envelope run -c ");
    }

    @Test
    void everyAlertSaysWhatToDoAndTheDashboardIsOne() {
        JsonNode rules = tree("prometheus/alerts.yaml").at("/groups/0/rules");
        assertThat(rules.size()).isGreaterThan(6);
        for (JsonNode rule : rules) {
            assertThat(rule.at("/alert").asString()).startsWith("Envelope");
            assertThat(rule.at("/expr").asString()).contains("envelope_");
            assertThat(rule.at("/annotations/description").asString()).isNotBlank();
            assertThat(rule.at("/labels/severity").asString()).isIn("page", "look");
        }
        JsonNode dashboard =
                JsonMapper.builder()
                        .build()
                        .readTree(
                                DeployFiles.read(
                                        DeployFiles.FOLDER.resolve("grafana/envelope.json")));
        assertThat(dashboard.at("/panels").size()).isGreaterThan(10);
    }
}
