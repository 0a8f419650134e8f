package dev.envelope.app.config.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaReaderTest {

    private final ProblemCollector problems = new ProblemCollector();

    private KafkaSettings read(String... pairs) {
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < pairs.length; i++) {
            String key = pairs[i].substring(0, pairs[i].indexOf('='));
            String value = pairs[i].substring(key.length() + 1);
            entries.add(
                    new Entry(key, value, new Origin.FileLine("f", i + 1), Path.of("anywhere")));
        }
        return new KafkaReader(problems).read(entries);
    }

    private String printed() {
        return problems.problems().render();
    }

    @Test
    void aCommonSettingGoesToAllClientsThatKnowIt() {
        KafkaSettings settings =
                read("kafka.client.rack=r", "kafka.request.timeout.ms=1000", "kafka.linger.ms=3");
        assertThat(settings.of(Client.CONSUMER))
                .isEqualTo(Map.of("client.rack", "r", "request.timeout.ms", "1000"));
        assertThat(settings.of(Client.PRODUCER))
                .isEqualTo(Map.of("linger.ms", "3", "request.timeout.ms", "1000"));
        assertThat(settings.of(Client.ADMIN)).isEqualTo(Map.of("request.timeout.ms", "1000"));
        assertThat(printed()).isEmpty();
    }

    @Test
    void aClientsOwnSettingWinsWhateverTheOrder() {
        KafkaSettings settings =
                read("kafka.consumer.request.timeout.ms=1", "kafka.request.timeout.ms=2");
        assertThat(settings.of(Client.CONSUMER)).containsEntry("request.timeout.ms", "1");
        assertThat(settings.of(Client.ADMIN)).containsEntry("request.timeout.ms", "2");
    }

    @Test
    void passwordsHideThemselves() {
        KafkaSettings settings = read("kafka.sasl.jaas.config=hunter2");
        assertThat(settings.of(Client.CONSUMER))
                .containsEntry("sasl.jaas.config", new Password("hunter2"));
        assertThat(settings.of(Client.CONSUMER).toString() + settings).doesNotContain("hunter2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka.consumer.max.pol.records | did you mean kafka.consumer.max.poll.records?",
                "kafka.consumer.poll.max.records | did you mean kafka.consumer.max.poll.records?",
                "kafka.securty.protocol | did you mean kafka.security.protocol?",
                "kafka.consumer.linger.ms | it is a setting of another client: kafka.producer.linger.ms",
                "kafka.consumer.qwertz | after the prefix stands a name of Kafka's own",
                "kafka.consumer.internal.throw.on.fetch.stable.offset.unsupported | after the prefix",
            })
    void anUnknownNameIsRefusedWithTheNearest(String key, String hint) {
        assertThat(read(key + "=1").of(Client.CONSUMER)).isEmpty();
        assertThat(printed()).contains("f:1  " + key + "\n").contains(hint);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka.consumer.group.id=x | set application.id",
                "kafka.group.id=x | set application.id",
                "kafka.consumer.enable.auto.commit=true | stays off",
                "kafka.consumer.auto.offset.reset=earliest | set start.from",
                "kafka.consumer.isolation.level=read_uncommitted | stays read_committed",
                "kafka.consumer.key.deserializer=x.Y | is chosen by key.format",
                "kafka.consumer.interceptor.classes=x.Y | could change or drop records",
                "kafka.consumer.partition.assignment.strategy=x.Y | is chosen by the engine",
                "kafka.bootstrap.servers=x:1 | set bootstrap.servers",
                "kafka.admin.bootstrap.servers=x:1 | set bootstrap.servers",
                "kafka.producer.acks=1 | stays all",
                "kafka.producer.transactional.id=x | is chosen by the engine",
                "kafka.interceptor.classes=x.Y | could change or drop records",
            })
    void whatTheEngineOwnsIsRefusedWithTheReason(String pair, String reason) {
        assertThat(read(pair)).hasToString("{}");
        assertThat(printed()).contains("1 problem.").contains(reason);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kafka.consumer.enable.auto.commit=false",
                "kafka.consumer.isolation.level=read_committed",
                "kafka.producer.acks=all",
                "kafka.producer.interceptor.classes=com.example.Tracing",
                "kafka.consumer.group.protocol=CONSUMER",
            })
    void whatTheEngineDoesAnywayMayBeWritten(String pair) {
        read(pair);
        assertThat(printed()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka.consumer.fetch.min.bytes=many | is not of its type, int",
                "kafka.consumer.fetch.min.bytes=-1 | is not allowed: [0,...]",
                "kafka.security.protocol=TLS | is not allowed: (case insensitive) [",
                "kafka.consumer.check.crcs=maybe | is not of its type, boolean",
                "kafka.ssl.endpoint.identification.algorithm= | would fit any host",
            })
    void valuesAreCheckedByTheClientsOwnRules(String pair, String reason) {
        read(pair);
        assertThat(printed()).contains(reason);
    }

    @Test
    void classesAreNotLoaded() {
        assertThat(read("kafka.consumer.sasl.login.class=no.such.Class").of(Client.CONSUMER))
                .containsKey("sasl.login.class");
        assertThat(printed()).isEmpty();
    }

    @Test
    void theNewProtocolLeavesTheGroupsTimesToTheBrokers() {
        read("kafka.consumer.session.timeout.ms=9000", "kafka.consumer.group.protocol=consumer");
        assertThat(printed())
                .contains("f:1  kafka.consumer.session.timeout.ms = 9000")
                .contains("cannot be set with group.protocol=consumer (line 2)")
                .contains("group.consumer.session.timeout.ms");
    }

    @Test
    void theOldProtocolHasNoRemoteAssignor() {
        read("kafka.consumer.group.remote.assignor=uniform");
        assertThat(printed()).contains("needs kafka.consumer.group.protocol=consumer");
    }

    @Test
    void everySettingThatTheEngineOwnsExistsInItsClient() {
        Map<Client, ConfigDef> definitions =
                Map.of(
                        Client.CONSUMER, ConsumerConfig.configDef(),
                        Client.PRODUCER, ProducerConfig.configDef(),
                        Client.ADMIN, AdminClientConfig.configDef());
        assertThat(OwnedSetting.ALL)
                .allSatisfy(
                        owned ->
                                assertThat(definitions)
                                        .anySatisfy(
                                                (client, definition) -> {
                                                    assertThat(owned.client()).isIn(null, client);
                                                    assertThat(definition.names())
                                                            .contains(owned.name());
                                                }));
    }
}
