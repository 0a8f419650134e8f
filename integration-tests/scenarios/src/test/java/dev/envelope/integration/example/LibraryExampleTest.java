package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("cluster")
class LibraryExampleTest {

    @Test
    void theExampleOfTheReadmeKeepsARowPerAccountAndEndsWhenAsked() throws Exception {
        ExecutorService service = Executors.newSingleThreadExecutor();
        CountDownLatch stop = new CountDownLatch(1);
        try (LocalStack stack = LocalStack.start()) {
            stack.topics().create("payments", 2);
            Database database = stack.postgres().createDatabase("balances");
            PostgresSettings.Login login =
                    new PostgresSettings.Login(database.user(), database.password()::toCharArray);
            String brokers = stack.broker().bootstrapServers();
            produce(brokers);

            Future<?> running =
                    service.submit(
                            () -> {
                                LibraryExample.run(brokers, database.url(), login, stop);
                                return null;
                            });
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptionsInstanceOf(SQLException.class) // no tables yet
                    .until(() -> running.isDone() || rows(database).size() == 10);
            stop.countDown();
            running.get();

            assertThat(rows(database))
                    .containsEntry("account-0", "{\"cents\": 450, \"payments\": 10}")
                    .containsEntry("account-9", "{\"cents\": 540, \"payments\": 10}");
        } finally {
            stop.countDown();
            service.shutdownNow();
        }
    }

    private static void produce(String brokers) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", brokers),
                        new StringSerializer(),
                        new StringSerializer())) {
            for (int i = 0; i < 100; i++) {
                String payment = "{\"cents\": " + i + "}";
                producer.send(new ProducerRecord<>("payments", "account-" + i % 10, payment));
            }
            producer.flush();
        }
    }

    private static Map<String, String> rows(Database database) throws SQLException {
        Map<String, String> rows = new TreeMap<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT key, state::jsonb FROM balances.state")) {
            while (row.next()) {
                rows.put(row.getString(1), row.getString(2));
            }
        }
        return rows;
    }
}
