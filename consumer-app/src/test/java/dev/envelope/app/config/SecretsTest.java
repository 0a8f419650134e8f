package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.value.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {

    private static final String CANARY = "canary-0815";

    @TempDir Path directory;
    private ConfigFixture config;

    @BeforeEach
    void inAFolderOfItsOwn() throws IOException {
        config = new ConfigFixture(directory);
        modes("rw-------");
    }

    private void modes(String modes) throws IOException {
        Path file = config.write("app.properties", "");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(modes));
    }

    @Test
    void aReferenceGivesTheSecretAndNothingElseShowsIt() {
        Settings settings =
                config.variable("PW", CANARY)
                        .loadWith(
                                "store.user=me",
                                "store.password=${env:PW}",
                                "kafka.sasl.jaas.config=x password=\"${env:PW}\";",
                                "handler=com.example.X",
                                "handler.config.url=http://me:${env:PW}@localhost");
        assertThat(settings.get(StoreKeys.PASSWORD)).isEqualTo(new Secret(CANARY));
        assertThat(settings.kafka().of(Client.ADMIN))
                .containsEntry("sasl.jaas.config", new Password("x password=\"" + CANARY + "\";"));
        assertThat(settings.family(Family.HANDLER_CONFIG).get("url")).contains(CANARY);
        assertThat(settings.warnings().all()).isEmpty();
        assertThat(settings + settings.effective().toString() + settings.kafka())
                .doesNotContain(CANARY)
                .contains("${env:PW}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "store.password=" + CANARY,
                "store.password=" + CANARY + "${env:HALF}",
                "store.password=" + CANARY + " ",
                "store.passwort=" + CANARY,
                "store.url=jdbc:postgresql://localhost/a?sslpassword=" + CANARY,
                "store.url=jdbc:postgresql://me:" + CANARY + "@localhost/a",
                "store.url=jdbc:postgresql://me:a/b?" + CANARY + "@localhost/a",
                "store.url=postgres://localhost/a?password=" + CANARY,
                "pool.size=${env:CANARY}",
                "start.from=${env:CANARY}",
                "store.url=${env:CANARY}",
                "store.url=jdbc:postgresql://db:${env:CANARY}/a",
                "topics=${env:CANARY},${env:CANARY}",
                "kafka.sasl.jaas.config=" + CANARY,
                "kafka.consumer.fetch.min.bytes=${env:CANARY}",
                "kafka.consumer.security.protocol=${env:CANARY}",
                "kafka.ssl.key.pasword=" + CANARY,
                "handler.config.api.key=" + CANARY,
                "http.listen=${env:CANARY}",
            })
    void noMessageAndNoListingShowsASecret(String line) {
        config.variable("CANARY", CANARY).variable("HALF", "x");
        assertThat(config.printed(config.problemsWith("store.user=me", line)))
                .doesNotContain(CANARY);
        try {
            Settings settings = config.loadWith("store.user=me", line);
            assertThat(settings + settings.warnings().toString()).doesNotContain(CANARY);
        } catch (InvalidConfigException e) {
            assertThat(e).message().doesNotContain(CANARY);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "store.password=x",
                "kafka.ssl.key.password=x",
                "kafka.producer.sasl.jaas.config=x",
            })
    void aSecretThatIsWrittenOutGivesAWarning(String line) {
        assertThat(config.printed(config.problemsWith("store.user=me", line)))
                .startsWith("1 warning.")
                .contains("app.properties:7")
                .contains("is a secret that stands in the file itself")
                .contains("${env:NAME}");
    }

    @Test
    void aLineThatGivesTheLoginModuleNoOptionIsNoSecret() {
        assertThat(
                        config.printed(
                                config.problemsWith(
                                        "kafka.sasl.jaas.config=org.apache.kafka.common.security"
                                                + ".oauthbearer.OAuthBearerLoginModule required;")))
                .doesNotContain("is a secret");
    }

    @Test
    void strictlyItIsRefused() {
        assertThat(
                        config.printed(
                                config.problemsWith(
                                        "store.user=me",
                                        "store.password=x",
                                        "config.strict.secrets=true")))
                .contains("refused: 1 problem.")
                .contains("config.strict.secrets is on");
    }

    @Test
    void onTheCommandLineOthersCanListIt() {
        config.flag("store.password=" + CANARY);
        assertThat(config.printed(config.problemsWith("store.user=me")))
                .contains("--set  store.password")
                .contains("command line")
                .doesNotContain(CANARY);
    }

    @Test
    void inTheEnvironmentItIsWhereItBelongs() {
        config.variable("ENVELOPE_STORE_PASSWORD", CANARY);
        assertThat(config.loadWith("store.user=me").warnings().all()).isEmpty();
    }

    @Test
    void aFileWithASecretThatOthersMayReadIsPointedOut() throws IOException {
        modes("rw-r--r--");
        assertThat(config.printed(config.problemsWith("store.user=me", "store.password=x")))
                .contains("2 warnings")
                .contains("the file app.properties may be read by others than its owner");
    }

    @Test
    void certificatesAreNoSecrets() {
        assertThat(config.problemsWith("kafka.ssl.truststore.certificates=x").all()).isEmpty();
    }
}
