package dev.envelope.integration.cluster;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.EnvelopeConsumer;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.postgres.PostgresStore;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Consumers of one group inside the test. Each row keeps the words that were said to its key, in
 * the order in which they were applied.
 *
 * <p>Threads: one thread.
 */
final class Listeners implements AutoCloseable {

    private static final String SCHEMA = "words";
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration PAUSE = Duration.ofMillis(20);

    record Heard(List<String> words) {}

    record Word(String word) {}

    /** A consumer with its own connections. */
    record Member(EnvelopeConsumer consumer, PostgresStore store, Counts counts)
            implements AutoCloseable {

        List<PartitionStatus> partitions() {
            return consumer.status().partitions();
        }

        /** Not while the group takes its partitions away for a moment. */
        boolean hasOneThat(Predicate<PartitionStatus> wanted) {
            return partitions().stream().anyMatch(wanted);
        }

        boolean hasOneStoppedFor(String reason) {
            return hasOneThat(it -> it.stopped() && it.pausedBecause().contains(reason));
        }

        @Override
        public void close() {
            consumer.close();
            store.close();
        }
    }

    private final LocalStack stack;
    private final String topic;
    private final PostgresSettings settings;
    private final Database database;
    private final List<Member> members = new ArrayList<>();

    Listeners(LocalStack stack, String topic, int partitions) {
        this.stack = stack;
        this.topic = topic;
        stack.topics().create(topic, partitions);
        database = stack.postgres().createDatabase(topic.replace('-', '_'));
        settings =
                new PostgresSettings(
                        database.url(),
                        new PostgresSettings.Login(
                                database.user(), database.password()::toCharArray),
                        SCHEMA,
                        topic,
                        topic + "-here",
                        3,
                        PostgresSettings.Timeouts.DEFAULT);
        new Migrator(settings, null).migrate();
    }

    String topic() {
        return topic;
    }

    /** Connections for who wants to look for himself; to be closed. */
    PostgresStore openStore() {
        return PostgresStore.open(settings);
    }

    Member start(PositionPolicy policy) {
        return start(policy, Map.of());
    }

    /**
     * @param client properties of the Kafka consumer
     */
    Member start(PositionPolicy policy, Map<String, Object> client) {
        ConsumerSettings defaults =
                ConsumerSettings.of(topic, stack.broker().bootstrapServers(), Set.of(topic));
        Map<String, Object> properties = new HashMap<>();
        client.forEach((name, value) -> properties.put("consumer." + name, value));
        Counts counts = new Counts();
        PostgresStore store = openStore();
        EnvelopeConsumer consumer =
                new EnvelopeConsumer(
                        defaults.withClientProperties(properties)
                                .withPositions(policy)
                                .withLoop(
                                        new PollLoop.Limits(
                                                8L << 20,
                                                defaults.loop().aheadMaxRecords(),
                                                Duration.ofMillis(100),
                                                defaults.loop().revokeDeadline()))
                                .withWorkers(2),
                        handler(store, counts),
                        store.checkpoints(),
                        counts);
        Member member = new Member(consumer, store, counts);
        members.add(member);
        consumer.start();
        return member;
    }

    private static IdempotentHandler<Heard> handler(PostgresStore store, Telemetry counts) {
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        (heard, word, message) -> listen(heard, word),
                        JsonStateCodec.of(Heard.class),
                        JsonValueFormat.of(Word.class),
                        MessageIds.NONE,
                        IdLimits.ofCount(16),
                        1 << 20),
                store.states(),
                1 << 20,
                counts);
    }

    private static Heard listen(@Nullable Heard before, @Nullable Word word) {
        Stream<String> words = before == null ? Stream.of() : before.words().stream();
        Stream<String> more = word == null ? Stream.of() : Stream.of(word.word());
        return new Heard(Stream.concat(words, more).toList());
    }

    /** The words of each key, as its row has them. */
    Map<String, List<String>> heard() {
        Map<String, List<String>> heard = new TreeMap<>();
        for (List<String> row :
                query(
                        "SELECT key, string_agg(w, ' ' ORDER BY n) FROM %s.state,"
                                + " json_array_elements_text(state->'words')"
                                + " WITH ORDINALITY AS each(w, n) GROUP BY key")) {
            heard.put(row.get(0), List.of(row.get(1).split(" ")));
        }
        return heard;
    }

    /**
     * @param sql with %s for the schema
     */
    List<List<String>> query(String sql) {
        List<List<String>> rows = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.formatted(SCHEMA))) {
            while (row.next()) {
                List<String> columns = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                    columns.add(String.valueOf(row.getString(i)));
                }
                rows.add(columns);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
        return rows;
    }

    void await(BooleanSupplier condition) {
        Waiting.until(
                PATIENCE,
                PAUSE,
                condition,
                () ->
                        "it does not come about; "
                                + members.stream().map(Member::partitions).toList());
    }

    /** Waits until the rows say just that. */
    void awaitHeard(Map<String, List<String>> said) {
        Waiting.until(
                PATIENCE,
                PAUSE,
                () -> heard().equals(said),
                () ->
                        difference(said, heard())
                                + members.stream().map(Member::partitions).toList());
    }

    private static String difference(
            Map<String, List<String>> said, Map<String, List<String>> heard) {
        StringBuilder words = new StringBuilder();
        said.forEach(
                (key, list) -> {
                    if (!list.equals(heard.get(key))) {
                        words.append(
                                "%s: said %s, heard %s%n".formatted(key, list, heard.get(key)));
                    }
                });
        return words.toString();
    }

    @Override
    public void close() {
        members.forEach(Member::close);
    }
}
