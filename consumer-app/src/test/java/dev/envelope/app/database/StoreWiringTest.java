package dev.envelope.app.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.StoreDivision;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.idempotency.store.SchemaManagement;
import dev.envelope.idempotency.store.postgres.InstanceName.Feature;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of the settings of the store. */
class StoreWiringTest {

    private static final long HEAP = Runtime.getRuntime().maxMemory();
    private static final String BASE =
            """
            application.id=balances
            bootstrap.servers=one:9092,two:9093
            handler=latest
            store.url=jdbc:postgresql://localhost/db
            kafka.security.protocol=SSL
            """;

    @TempDir Path directory;

    private Settings settings(String... lines) throws IOException {
        Path file = directory.resolve("app.properties");
        Files.writeString(file, BASE + String.join("\n", lines) + "\n");
        return new ConfigLoader(new Surroundings(Map.of(), 8, HEAP, directory))
                .load(file, List.of());
    }

    @Test
    void timersAndTheGatewayNeedProgramsThatKnowThem() throws Exception {
        String ids = "dedupe.id=header:id";
        assertThat(ApplicationDatabase.features(settings("topics=payments", ids))).isEmpty();
        assertThat(
                        ApplicationDatabase.features(
                                settings("topics=payments", ids, "gateway.listen=127.0.0.1:0")))
                .containsExactly(Feature.COMMANDS);
        assertThat(ApplicationDatabase.features(settings("topics=payments", ids, "timers=true")))
                .containsExactly(Feature.TIMERS);
    }

    @Test
    void everySettingOfTheStoreArrivesInIt() throws Exception {
        Settings settings =
                settings(
                        "topics=payments",
                        "store.user=worker",
                        "store.password=secret",
                        "store.schema=kept",
                        "store.connections=9",
                        "store.lock.timeout=100ms",
                        "store.statement.timeout=2s",
                        "store.socket.timeout=3s",
                        "store.schema.management=validate");

        PostgresSettings store =
                StoreWiring.slots(
                                settings,
                                StoreDivision.of(settings),
                                "here-1",
                                it -> SlotDatabase.Presence.WANTED)
                        .get(0)
                        .settings();

        assertThat(store.url()).isEqualTo("jdbc:postgresql://localhost/db");
        assertThat(store.login().user()).isEqualTo("worker");
        assertThat(store.login().password()).isNotNull();
        assertThat(store.login().password().get()).isEqualTo("secret".toCharArray());
        assertThat(store.schema()).isEqualTo("kept");
        assertThat(store.applicationId()).isEqualTo("balances");
        assertThat(store.instance()).isEqualTo("here-1");
        assertThat(store.lanes()).isEqualTo(9);
        assertThat(store.timeouts().lock()).isEqualTo(Duration.ofMillis(100));
        assertThat(store.timeouts().statement()).isEqualTo(Duration.ofSeconds(2));
        assertThat(store.timeouts().socket()).isEqualTo(Duration.ofSeconds(3));
        assertThat(settings.get(StoreKeys.SCHEMA_MANAGEMENT)).isEqualTo(SchemaManagement.VALIDATE);
    }

    @Test
    void aParameterOfTheUrlThatTheStoreSetsItselfIsRefusedAtItsLine() throws Exception {
        Settings settings = settings("topics=a");
        assertThat(
                        StoreWiring.slots(
                                        settings,
                                        StoreDivision.of(settings),
                                        "x",
                                        it -> SlotDatabase.Presence.WANTED)
                                .get(0)
                                .settings()
                                .login()
                                .password())
                .isNull();
        Path file = directory.resolve("app.properties");
        Files.writeString(
                file,
                Files.readString(file).replace("localhost/db", "localhost/db?autosave=always"));
        Settings bad =
                new ConfigLoader(new Surroundings(Map.of(), 8, HEAP, directory))
                        .load(file, List.of());

        assertThatThrownBy(
                        () ->
                                StoreWiring.slots(
                                                bad,
                                                StoreDivision.of(bad),
                                                "x",
                                                it -> SlotDatabase.Presence.WANTED)
                                        .get(0)
                                        .settings())
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("app.properties:4")
                .hasMessageContaining("autosave");
    }
}
