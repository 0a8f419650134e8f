package dev.envelope.integration.app;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What the tests of this package give an application to do.
 *
 * <p>Threads: stateless.
 */
final class Applications {

    private Applications() {}

    /** An application, its topic and its schema, all of one name, with a handler that counts. */
    static List<String> settings(LocalStack stack, String name, Database database) {
        return new ArrayList<>(
                List.of(
                        "application.id=" + name,
                        "bootstrap.servers=" + stack.broker().bootstrapServers(),
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
    static void produce(LocalStack stack, List<ProducerRecord<String, String>> records) {
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(
                        Map.of("bootstrap.servers", stack.broker().bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            records.forEach(producer::send);
            producer.flush();
        }
    }
}
