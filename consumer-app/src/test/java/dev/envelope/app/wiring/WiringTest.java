package dev.envelope.app.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.ConfigLoader;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.database.TableWiring;
import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.json.id.CloudEventIds;
import dev.envelope.idempotency.json.id.JsonPointerIds;
import dev.envelope.idempotency.store.table.TableSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WiringTest {

    private static final long HEAP = Runtime.getRuntime().maxMemory();

    private static final String BASE =
            """
            application.id=balances
            bootstrap.servers=one:9092,two:9093
            handler=latest
            store.url=jdbc:postgresql://localhost/db
            kafka.security.protocol=SSL
            """;

    private static final String OF_TABLE =
            """
            application.id=balances
            source=table
            table.name=shop.work
            table.key=key
            table.id=id
            handler=latest
            store.url=jdbc:postgresql://localhost/db
            """;

    @TempDir Path directory;

    private Settings settings(String... lines) throws IOException {
        return load(BASE, lines);
    }

    private Settings load(String base, String... lines) throws IOException {
        Path file = directory.resolve("app.properties");
        Files.writeString(file, base + String.join("\n", lines) + "\n");
        return new ConfigLoader(new Surroundings(Map.of(), 8, HEAP, directory))
                .load(file, List.of());
    }

    private static ConsumerSettings engine(Settings settings) {
        return EngineWiring.of(settings, "here-1");
    }

    @Test
    void theClientHasTheNameOfTheProcessUnlessTheSettingsNameIt() throws Exception {
        assertThat(engine(settings("topics=payments")).clientProperties())
                .containsEntry("consumer.client.id", "envelope-here-1");
        assertThat(engine(settings("topics=payments", "kafka.client.id=ours")).clientProperties())
                .containsEntry("consumer.client.id", "ours");
    }

    @Test
    void everySettingOfTheEngineArrivesInIt() throws Exception {
        ConsumerSettings engine =
                engine(
                        settings(
                                "topics=payments",
                                "start.from=2026-01-31T00:00:00Z",
                                "on.offset.ahead=rewind",
                                "on.gap=earliest",
                                "on.topic.recreated=adopt",
                                "on.log.truncated=continue",
                                "partition.grace=17m",
                                "on.failure=stop",
                                "retry.max.attempts=7",
                                "retry.backoff.initial=1s",
                                "retry.backoff.max=9s",
                                "envelope.max.messages=11",
                                "envelope.max.bytes=40MiB",
                                "turn.max.messages=12",
                                "turn.max.time=13ms",
                                "prefetch.max.bytes=128MiB",
                                "ahead.max.records=14000",
                                "commit.interval=15s",
                                "revoke.drain.timeout=3s",
                                "pool.size=3",
                                "handler.timeout=18s",
                                "pool.shards=32"));

        assertThat(engine.applicationId()).isEqualTo("balances");
        assertThat(engine.topics()).containsExactly("payments");
        assertThat(engine.keyScope()).isEqualTo(RowKeys.Scope.APPLICATION);
        assertThat(engine.positions())
                .isEqualTo(
                        new PositionPolicy(
                                new StartFrom.Time(Instant.parse("2026-01-31T00:00:00Z")),
                                PositionPolicy.OffsetAhead.REWIND,
                                PositionPolicy.Gap.EARLIEST,
                                PositionPolicy.TopicRecreated.ADOPT,
                                PositionPolicy.LogTruncated.CONTINUE,
                                Duration.ofMinutes(17)));
        assertThat(engine.failures())
                .isEqualTo(
                        new FailurePolicy(
                                7,
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(9),
                                FailurePolicy.Last.STOP));
        assertThat(engine.turns())
                .isEqualTo(
                        new TurnLimits(
                                11,
                                40L << 20,
                                12,
                                40L << 20,
                                Duration.ofMillis(13),
                                Duration.ofSeconds(18)));
        assertThat(engine.loop())
                .isEqualTo(
                        new PollLoop.Limits(
                                128L << 20, 14_000, Duration.ofSeconds(15), Duration.ofSeconds(3)));
        assertThat(engine.workers()).isEqualTo(3);
        assertThat(engine.shards()).isEqualTo(32);
    }

    @Test
    void theDefaultsOfTheSettingsAreThoseOfTheLibrary() throws Exception {
        ConsumerSettings engine = engine(settings("topics=payments"));
        ConsumerSettings library = ConsumerSettings.of("balances", "one:9092", engine.topics());

        assertThat(engine.positions()).isEqualTo(library.positions());
        assertThat(engine.failures()).isEqualTo(library.failures());
        assertThat(engine.turns()).isEqualTo(library.turns());
        assertThat(engine.loop()).isEqualTo(library.loop());
        assertThat(engine.keyScope()).isEqualTo(library.keyScope());
    }

    @Test
    void severalTopicsShareRowsOnlyWhenAsked() throws Exception {
        assertThat(engine(settings("topics=a,b", "key.scope=topic")).keyScope())
                .isEqualTo(RowKeys.Scope.TOPIC);
        assertThat(engine(settings("topics=a,b", "key.scope=application")).keyScope())
                .isEqualTo(RowKeys.Scope.APPLICATION);
    }

    @Test
    void recordsWithoutAKeyAreRejectedOrGivenReservedRows() throws Exception {
        assertThat(engine(settings("topics=a")).nullKeys()).isEqualTo(new NullKeys.Reject());
        assertThat(engine(settings("topics=a", "on.null.key=partition")).nullKeys())
                .isEqualTo(new NullKeys.Partition());
        assertThat(engine(settings("topics=a", "on.null.key=spread")).nullKeys())
                .isEqualTo(new NullKeys.Spread(64));
        assertThat(
                        engine(settings("topics=a", "on.null.key=spread", "null.key.spread=7"))
                                .nullKeys())
                .isEqualTo(new NullKeys.Spread(7));
    }

    @Test
    void whatDecidesWhichRowARecordBelongsToIsPinned() throws Exception {
        assertThat(PinWiring.values(settings("topics=a")))
                .isEqualTo(
                        Map.of(
                                "handler", "latest",
                                "handler.version", "",
                                "slots", "",
                                "key.scope", "application",
                                "key.format", "string"));
        assertThat(
                        PinWiring.values(
                                settings(
                                        "topics=a,b",
                                        "key.scope=topic",
                                        "key.format=com.example.Keys",
                                        "on.null.key=partition")))
                .isEqualTo(
                        Map.of(
                                "handler", "latest",
                                "handler.version", "",
                                "slots", "",
                                "key.scope", "topic",
                                "key.format", "com.example.Keys",
                                "on.null.key", "partition"));
        assertThat(PinWiring.values(settings("topics=a", "assignment=slots", "slots=4")))
                .containsEntry("slots", "4");
        assertThat(
                        PinWiring.values(
                                settings(
                                        "topics=a",
                                        "key.format=long",
                                        "on.null.key=spread",
                                        "null.key.spread=7")))
                .isEqualTo(
                        Map.of(
                                "handler", "latest",
                                "handler.version", "",
                                "slots", "",
                                "key.scope", "application",
                                "key.format", "long",
                                "on.null.key", "spread",
                                "null.key.spread", "7"));
    }

    @Test
    void aTableIsReadUnderANameThatNoTopicHasAndDividedBySlots() throws Exception {
        Settings one = load(OF_TABLE);
        Settings four = load(OF_TABLE, "slots=4", "slots.per.process=2", "table.done=done_at");

        ConsumerSettings engine = engine(one);
        assertThat(engine.topics()).containsExactly("table:shop.work");
        assertThat(engine.clientProperties()).doesNotContainKey("bootstrap.servers");
        assertThat(engine.slots()).isEqualTo(new SlotPlan(1, 1, Duration.ofSeconds(10)));
        assertThat(engine(four).slots()).isEqualTo(new SlotPlan(4, 2, Duration.ofSeconds(10)));
        Settings more = load(OF_TABLE, "slots=4", "slots.from=2");
        assertThat(engine(more).slots()).isEqualTo(new SlotPlan(4, 2, 1, Duration.ofSeconds(10)));
        assertThat(TableWiring.of(four))
                .isEqualTo(
                        new TableSettings(
                                "shop.work", "key", "id", null, null, null, "done_at", null, null));
        assertThat(PinWiring.values(four))
                .containsEntry("slots.shop.work", "4")
                .containsEntry("table.shop.work", "key key, id id, done done_at")
                .doesNotContainKey("slots");
    }

    @Test
    void whatAnExpressionMeansIsPinnedHoweverItIsWritten() throws Exception {
        assertThat(
                        pinsOfFold(
                                "handler.version=2",
                                "handler.fold.n=count( )",
                                "handler.fold.u=distinct(/user,50)",
                                "handler.fold.sum= sum(/amount) where /state  != 'a\"b'",
                                "handler.fold.big=max('/a b') where /n>=1.50",
                                "handler.fold.on=last(/x) where /on exists"))
                .containsEntry("handler", "fold")
                .containsEntry("handler.version", "2")
                .containsEntry("handler.fold.n", "count()")
                .containsEntry("handler.fold.u", "distinct(/user)")
                .containsEntry("handler.fold.sum", "sum(/amount) where /state != \"a\\\"b\"")
                .containsEntry("handler.fold.big", "max(\"/a b\") where /n >= 1.5")
                .containsEntry("handler.fold.on", "last(/x) where /on exists");
        assertThatThrownBy(() -> pinsOfFold("handler.fold.sum=summ(/amount)"))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("did you mean sum?");
    }

    private Map<String, String> pinsOfFold(String... lines) throws IOException {
        return PinWiring.values(load(BASE.replace("=latest", "=fold") + "topics=a\n", lines));
    }

    @Test
    void deadLettersAreMadeOnlyWhereTheSettingsWantThem() throws Exception {
        assertThat(ApplicationWiring.deadLetters(settings("topics=a"))).isEmpty();
        Settings wanted = settings("topics=a", "on.failure=dead-letter", "dead.letter.topic=dead");

        assertThat(ApplicationWiring.deadLetters(wanted)).isPresent();
        assertThat(ApplicationWiring.deadLetterTopic(wanted)).contains("dead");
        assertThat(engine(wanted).failures().last()).isEqualTo(FailurePolicy.Last.DEAD_LETTER);
    }

    @Test
    void eachClientGetsItsOwnSettingsOfKafka() throws Exception {
        Settings settings =
                settings(
                        "topics=payments",
                        "kafka.consumer.fetch.max.wait.ms=77",
                        "kafka.admin.retries=5");

        assertThat(engine(settings).clientProperties())
                .containsEntry("bootstrap.servers", "one:9092,two:9093")
                .containsEntry("consumer.security.protocol", "SSL")
                .containsEntry("admin.security.protocol", "SSL")
                .containsEntry("consumer.fetch.max.wait.ms", "77")
                .containsEntry("admin.retries", "5")
                .doesNotContainKeys("consumer.retries", "admin.fetch.max.wait.ms");
        assertThat(EngineWiring.admin(settings))
                .containsEntry("bootstrap.servers", "one:9092,two:9093")
                .containsEntry("security.protocol", "SSL")
                .containsEntry("retries", "5");
    }

    @Test
    void theEventIdIsLookedForWhereTheSettingSays() throws Exception {
        assertThat(HandlerWiring.ids(settings("topics=a"))).isSameAs(MessageIds.NONE);
        assertThat(HandlerWiring.ids(settings("topics=a", "dedupe.id=header:id")))
                .isInstanceOf(HeaderIds.class);
        assertThat(HandlerWiring.ids(settings("topics=a", "dedupe.id=cloudevents")))
                .isInstanceOf(CloudEventIds.class);
        assertThat(HandlerWiring.ids(settings("topics=a", "dedupe.id=json:/id")))
                .isInstanceOf(JsonPointerIds.class);
    }

    @Test
    void aKeyIsReadInTheFormatOfTheSetting() throws Exception {
        byte[] seven = {0, 0, 0, 0, 0, 0, 0, 7};
        assertThat(key("long", seven)).isEqualTo("7");
        assertThat(key("int", new byte[] {0, 0, 0, 7})).isEqualTo("7");
        assertThat(key("base64", new byte[] {1})).isEqualTo("AQ==");
        assertThat(key("string", "é".getBytes(StandardCharsets.UTF_8))).isEqualTo("é");
        assertThat(key("org.apache.kafka.common.serialization.LongDeserializer", seven))
                .isEqualTo("7");
    }

    private String key(String format, byte[] bytes) throws Exception {
        return HandlerWiring.keyFormat(settings("topics=a", "key.format=" + format))
                .decode("a", new RecordHeaders(), bytes);
    }

    @Test
    void aClassThatIsNoDeserializerIsRefusedAtItsLine() throws Exception {
        Settings settings = settings("topics=a", "key.format=java.lang.String");

        assertThatThrownBy(() -> HandlerWiring.keyFormat(settings))
                .isInstanceOf(InvalidConfigException.class)
                .hasMessageContaining("app.properties:7")
                .hasMessageContaining("does not implement");
    }
}
