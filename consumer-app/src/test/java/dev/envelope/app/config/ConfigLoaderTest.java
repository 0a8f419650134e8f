package dev.envelope.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.kafka.Client;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.HandlerKeys.BuiltInHandler;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.value.HostPort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigLoaderTest {

    @TempDir Path directory;
    private ConfigFixture config;

    @BeforeEach
    void inAFolderOfItsOwn() {
        config = new ConfigFixture(directory);
    }

    @Test
    void theShortestFileIsAccepted() {
        Settings settings = config.loadWith();
        assertThat(settings.get(ReadKeys.APPLICATION_ID)).isEqualTo("balances");
        assertThat(settings.get(ReadKeys.BOOTSTRAP_SERVERS))
                .containsExactly(new HostPort("localhost", 9092));
        assertThat(settings.get(HandlerKeys.HANDLER).is(BuiltInHandler.LATEST)).isTrue();
        assertThat(settings.get(LimitKeys.COMMIT_INTERVAL)).isEqualTo(Duration.ofSeconds(1));
        assertThat(settings.get(LimitKeys.PREFETCH_MAX_BYTES)).isEqualTo(256L << 20);
        assertThat(settings.find(StoreKeys.USER)).isEmpty();
        assertThat(settings.warnings().all()).isEmpty();
    }

    @Test
    void howMuchIsFetchedAheadFollowsTheHeap() {
        assertThat(config.heap(64L << 20).loadWith().get(LimitKeys.PREFETCH_MAX_BYTES))
                .isEqualTo(16L << 20);
        assertThat(config.heap(1000L << 20).loadWith().get(LimitKeys.PREFETCH_MAX_BYTES))
                .isEqualTo(125L << 20);
    }

    @Test
    void askingForAValueThatIsNotThereIsAMistakeOfTheCaller() {
        Settings settings = config.loadWith();
        assertThatThrownBy(() -> settings.get(StoreKeys.USER))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("store.user");
    }

    @Test
    void eachValueKnowsItsOrigin() {
        Settings settings =
                config.variable("ENVELOPE_POOL_SIZE", "3")
                        .flag("commit.interval=2s")
                        .loadWith("pool.size=5", "store.connections=6");
        assertThat(settings.get(LimitKeys.POOL_SIZE)).isEqualTo(3);
        assertThat(settings.origin(LimitKeys.POOL_SIZE))
                .isEqualTo(new Origin.Environment("ENVELOPE_POOL_SIZE"));
        assertThat(settings.origin(LimitKeys.COMMIT_INTERVAL).describe()).isEqualTo("--set");
        assertThat(settings.origin(StoreKeys.CONNECTIONS).describe()).endsWith("app.properties:7");
        assertThat(settings.origin(StoreKeys.LOCK_TIMEOUT)).isEqualTo(Origin.unset());
    }

    @Test
    void aWrongValueThatIsOverriddenHurtsNobody() {
        assertThat(config.flag("pool.size=3").loadWith("pool.size=many").get(LimitKeys.POOL_SIZE))
                .isEqualTo(3);
    }

    @Test
    void familiesKeepTheirOrder() {
        Settings settings =
                config.loadWith(
                        "handler=fold",
                        "handler.fold.z=sum(/z)",
                        "handler.fold.a=count where /x = 'y'",
                        "handler.fold.m=max(/m)");
        assertThat(settings.family(Family.FOLD))
                .containsExactly(
                        Map.entry("z", "sum(/z)"),
                        Map.entry("a", "count where /x = 'y'"),
                        Map.entry("m", "max(/m)"));
    }

    @Test
    void ownHandlersAndDeserializersGetTheirSettingsWithoutThePrefix() {
        Settings settings =
                config.loadWith(
                        "handler=com.example.Orders",
                        "handler.config.currency=EUR",
                        "value.format=com.example.Avro",
                        "value.deserializer.schema.registry.url=http://localhost:8081",
                        "key.format=com.example.Key",
                        "key.deserializer.x=y");
        assertThat(settings.family(Family.HANDLER_CONFIG)).isEqualTo(Map.of("currency", "EUR"));
        assertThat(settings.family(Family.VALUE_DESERIALIZER))
                .isEqualTo(Map.of("schema.registry.url", "http://localhost:8081"));
        assertThat(settings.family(Family.KEY_DESERIALIZER)).isEqualTo(Map.of("x", "y"));
    }

    @Test
    void aHandlersPathStartsAtItsFile() {
        config.write("orders.jar", "");
        Settings settings =
                config.loadWith("handler=com.example.Orders", "handler.path=orders.jar");
        assertThat(settings.handlerPath()).containsExactly(directory.resolve("orders.jar"));
    }

    @Test
    void referencesWorkInEveryValue() {
        Settings settings =
                config.variable("DB", "orders")
                        .variable("RACK", "r1")
                        .loadWith(
                                "store.url=jdbc:postgresql://localhost/${env:DB}",
                                "kafka.consumer.client.rack=${env:RACK}");
        assertThat(settings.get(StoreKeys.URL).url()).endsWith("/orders");
        assertThat(settings.kafka().of(Client.CONSUMER)).containsEntry("client.rack", "r1");
        assertThat(settings.effective("store.url").map(Setting::shown))
                .contains("jdbc:postgresql://localhost/${env:DB}");
    }

    @ParameterizedTest
    @CsvSource({"balances,balances", "My-App.v2,my_app_v2", "_x,_x"})
    void theSchemaIsNamedAfterTheApplication(String application, String schema) {
        assertThat(config.loadWith("application.id=" + application).get(StoreKeys.SCHEMA))
                .isEqualTo(schema);
    }

    @Test
    void aSchemaThatIsSetIsTaken() {
        assertThat(
                        config.loadWith("application.id=9lives", "store.schema=nine")
                                .get(StoreKeys.SCHEMA))
                .isEqualTo("nine");
    }

    @ParameterizedTest
    @CsvSource({"1,256", "64,256", "65,512", "100,512"})
    void thereAreAtLeastFourShardsForEachWorkerAndAPowerOfTwo(int workers, int shards) {
        assertThat(config.loadWith("pool.size=" + workers).shards()).isEqualTo(shards);
    }

    @Test
    void shardsThatAreSetAreTaken() {
        assertThat(config.loadWith("pool.size=2", "pool.shards=128").shards()).isEqualTo(128);
    }

    @Test
    void theFingerprintChangesWithASettingAndNotWithItsPlace() {
        String base = config.loadWith("pool.size=3").fingerprint();
        assertThat(base).hasSize(12);
        assertThat(config.loadWith("", "# moved", "pool.size=3").fingerprint()).isEqualTo(base);
        assertThat(config.loadWith("pool.size=4").fingerprint()).isNotEqualTo(base);
    }

    @Test
    void aBrokenFileTellsAllThatIsKnownAndNothingThatFollowsFromIt() {
        assertThat(config.printed(config.problems("topics=a", "commit.intervall=1s")))
                .isEqualTo(
                        """
                        The configuration was refused: 5 problems.

                        app.properties:2  commit.intervall
                            there is no such setting
                            -> did you mean commit.interval?

                        application.id
                            is required, and not set
                            -> example: application.id=balances

                        bootstrap.servers
                            is required, and not set
                            -> example: bootstrap.servers=localhost:9092

                        handler
                            is required, and not set
                            -> example: handler=fold

                        store.url
                            is required, and not set
                            -> example: store.url=jdbc:postgresql://localhost:5432/postgres
                        """);
    }

    /** What is not known to be missing is not said to be. */
    @Test
    void whatAFileThatIsNotThereMayHaveSetIsNotCalledMissing() {
        assertThat(config.printed(config.problems("config.include=nowhere", "pool.sise=2")))
                .isEqualTo(
                        """
                        The configuration was refused: 2 problems.

                        app.properties:1  config.include = nowhere
                            there is no file nowhere

                        app.properties:2  pool.sise
                            there is no such setting
                            -> did you mean pool.size?
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "handler.folds.x=1 | did you mean handler.fold.x?",
                "max.poll.records=1 | did you mean kafka.consumer.max.poll.records?",
                "security.protocol=SSL | did you mean kafka.security.protocol?",
                "group.id=x | set application.id",
                "value.deserializer=x.Y | is chosen by value.format",
                "Pool.Size=2 | did you mean pool.size?",
                "whatever.it.may.be=2 | docs/configuration.md",
                "handler.fold.=sum(/x) | is not the name of a field",
                "handler.fold.$x=sum(/x) | is not the name of a field",
                "pool.size= | has no value",
                "handler.config.x= | has no value",
                "pool.size=2\\u0020 | pool.size = 2·",
                "store.user=\\u0020me | begins or ends with a blank",
                "pool.size=\"2\" | stands in quotes",
                "pool.size='2' | remove the quotes",
                "pool.size='two' | is not a whole number",
                "handler.fold.x='sum(/x)' | remove the quotes",
                "kafka.bootstrap.servers=\"localhost:9092\" | remove the quotes",
                "kafka.bootstrap.servers=\"localhost:9092\" | set bootstrap.servers",
                "spring.kafka.bootstrap-servers=x:1 | did you mean bootstrap.servers?",
                "spring.kafka.consumer.group-id=x | set application.id",
                "spring.kafka.consumer.auto-offset-reset=earliest | stays none",
                "spring.kafka.properties.security.protocol=SSL | did you mean kafka.security.protocol?",
                "spring.datasource.url=x | did you mean store.url?",
                "group-id=x | set application.id",
                "kafka.consumer.group-id=x | set application.id",
            })
    void aSlipIsRefusedWithAHint(String line, String hint) {
        assertThat(config.printed(config.problemsWith(line))).contains("refused").contains(hint);
    }

    @Test
    void noNameIsProposedThatWouldBeRefusedToo() {
        assertThat(config.printed(config.problemsWith("spring.kafka.streams.state-dir=x")))
                .doesNotContain("did you mean kafka.");
    }

    @Test
    void quotesBelongToASecretAndToWhatIsOnlyPassedOn() {
        Settings settings = config.loadWith("store.user=me", "store.password='x'");
        assertThat(settings.get(StoreKeys.PASSWORD).reveal()).isEqualTo("'x'");
        assertThat(config.printed(settings.warnings())).contains("stands in quotes");
        assertThat(
                        config.printed(
                                config.problemsWith(
                                        "handler=com.example.Own", "handler.config.x='y'")))
                .doesNotContain("quotes");
    }

    @Test
    void aReferenceThatCannotBeReadIsToldOnce() {
        assertThat(config.printed(config.problemsWith("store.url=${env:NOWHERE}")))
                .isEqualTo(
                        """
                        The configuration was refused: 1 problem.

                        app.properties:5  store.url = ${env:NOWHERE}
                            the environment variable NOWHERE is not set
                            -> set it for the process that starts the consumer
                        """);
    }
}
