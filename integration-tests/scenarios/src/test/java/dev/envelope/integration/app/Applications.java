package dev.envelope.integration.app;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * What tests give an application to do, and see of what it did.
 *
 * <p>Threads: stateless.
 */
public final class Applications {

    private Applications() {}

    /** An application, its topic and its schema, all of one name, with a handler that counts. */
    static List<String> settings(LocalStack stack, String name, Database database) {
        return settings(stack.broker().bootstrapServers(), name, database);
    }

    /** The same with its own way to the broker. */
    public static List<String> settings(String bootstrapServers, String name, Database database) {
        return new ArrayList<>(
                List.of(
                        "application.id=" + name,
                        "bootstrap.servers=" + bootstrapServers,
                        "topics=" + name,
                        "handler=fold",
                        "handler.fold.n=count()",
                        "handler.fold.sum=sum(/amount)",
                        "store.url=" + database.url(),
                        "store.user=" + database.user(),
                        "store.password=" + database.password(),
                        "http.listen=127.0.0.1:0"));
    }

    /** Sends records and returns when the broker has them. */
    public static void produce(LocalStack stack, List<ProducerRecord<String, String>> records) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            records.forEach(producer::send);
            producer.flush();
        }
    }

    /** So many records of one value, the keys in turns. */
    public static void produce(
            LocalStack stack, String topic, int records, int keys, String value) {
        produce(
                stack,
                IntStream.range(0, records)
                        .mapToObj(i -> new ProducerRecord<>(topic, "key-" + i % keys, value))
                        .toList());
    }

    /** These values of one key. */
    public static void produceOf(
            LocalStack stack, String topic, @Nullable String key, String... values) {
        produce(
                stack,
                Arrays.stream(values)
                        .map(value -> new ProducerRecord<>(topic, key, value))
                        .toList());
    }

    /** What the handler of {@link #settings} has counted, over all keys. */
    public static long counted(Database database, String schema) {
        String sum = "SELECT coalesce(sum((state->>'n')::bigint), 0) FROM " + schema + ".state";
        return Long.parseLong(first(database, sum));
    }

    /** Waits for as long as that: so a kill meets another stage each time. */
    static void pause(long millis) {
        try {
            Thread.sleep(millis); // how long is what makes the difference
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The first column of the first row of the answer, as text; none without a row. */
    public static String first(Database database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "none";
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of the first row, a number. */
    public static long number(Database database, String sql) {
        return Long.parseLong(first(database, sql));
    }

    /** Runs statements without an answer. */
    public static void execute(Database database, String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** All that a topic holds, as a consumer sees it that reads only what is committed. */
    public static List<ConsumerRecord<String, @Nullable String>> committed(
            LocalStack stack, String topic, int partitions) {
        List<TopicPartition> all =
                IntStream.range(0, partitions)
                        .mapToObj(it -> new TopicPartition(topic, it))
                        .toList();
        List<ConsumerRecord<String, @Nullable String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(
                        Map.of(
                                "bootstrap.servers",
                                stack.bootstrapServers(),
                                "isolation.level",
                                "read_committed"),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            Map<TopicPartition, Long> ends = consumer.endOffsets(all);
            while (all.stream().anyMatch(it -> consumer.position(it) < ends.getOrDefault(it, 0L))) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }

    /** A header of a record, as text. */
    public static String header(ConsumerRecord<?, ?> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
    }
}
