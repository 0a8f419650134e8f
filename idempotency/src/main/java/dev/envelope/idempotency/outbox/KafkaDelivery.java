package dev.envelope.idempotency.outbox;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.TopicFinder.NotFound;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * Delivers to Kafka with an idempotent producer and {@code acks=all}. The producer is created when
 * there is something to deliver, and again after each failure.
 *
 * <p>Each topic is looked up first, so that none is created.
 *
 * <p>Threads: one thread, the relay's.
 */
public final class KafkaDelivery implements Delivery {

    private static final int BLOCK_MILLIS = 5_000;
    private static final int DELIVERY_MILLIS = 15_000;

    private final Map<String, Object> producerProperties;
    private final TopicFinder topics;
    private @Nullable Producer<byte @Nullable [], byte @Nullable []> producer;

    /**
     * @param producerProperties the user's properties for the producer
     * @param adminProperties the user's properties for the admin client
     * @param servers the brokers, for messages
     */
    public KafkaDelivery(
            Map<String, Object> producerProperties,
            Map<String, Object> adminProperties,
            String servers) {
        this.producerProperties = Map.copyOf(producerProperties);
        this.topics = new TopicFinder(adminProperties, servers);
    }

    /** Delivers to the brokers that a consumer reads from, with its properties for all clients. */
    public static KafkaDelivery toTheBrokersOf(ConsumerSettings settings) {
        Map<String, Object> common = new HashMap<>(settings.clientProperties());
        common.keySet().removeIf(name -> name.matches("(consumer|admin)\\..*"));
        return new KafkaDelivery(common, common, String.valueOf(common.get("bootstrap.servers")));
    }

    @Override
    public List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        Map<String, NotFound> notFound =
                topics.find(records.stream().map(ProducerRecord::topic).toList());
        for (ProducerRecord<?, ?> record : records) {
            NotFound topic = notFound.get(record.topic());
            if (topic != null) {
                Optional<Refusal> refusal = Optional.of(new Refusal(topic.why(), false));
                return records.stream().map(each -> refusal).toList();
            }
        }
        return send(records);
    }

    private List<Optional<Refusal>> send(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        try {
            return send(records, producer()::send);
        } catch (KafkaException e) {
            return records.stream().map(each -> Optional.of(refusal(e))).toList();
        }
    }

    /**
     * Each send may block while no broker answers. So after the first send that fails at once,
     * unless only its own record was refused, no more are sent.
     */
    static List<Optional<Refusal>> send(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records, Sender sender) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        Optional<Refusal> end = Optional.empty();
        for (int i = 0; i < records.size() && end.isEmpty(); i++) {
            Future<RecordMetadata> last = sender.send(records.get(i));
            sent.add(last);
            if (last.isDone()) {
                end = await(last).filter(refusal -> !refusal.onlyThis());
            }
        }
        List<Optional<Refusal>> answers = new ArrayList<>();
        sent.forEach(each -> answers.add(await(each)));
        while (answers.size() < records.size()) {
            answers.add(end);
        }
        return answers;
    }

    /** The producer's send method. */
    interface Sender {

        Future<RecordMetadata> send(ProducerRecord<byte @Nullable [], byte @Nullable []> record);
    }

    private static Optional<Refusal> await(Future<RecordMetadata> sent) {
        try {
            sent.get(BLOCK_MILLIS + 2L * DELIVERY_MILLIS, TimeUnit.MILLISECONDS);
            return Optional.empty();
        } catch (ExecutionException e) {
            return Optional.of(refusal(e.getCause() == null ? e : e.getCause()));
        } catch (TimeoutException e) {
            return Optional.of(new Refusal("the producer does not come back", false));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of(new Refusal("interrupted", false));
        }
    }

    private static Refusal refusal(Throwable cause) {
        if (cause instanceof RecordTooLargeException) {
            return new Refusal(
                    "a record is too large for its topic: raise the topic's max.message.bytes ("
                            + Words.describe(cause)
                            + ")",
                    true);
        } else if (cause instanceof InvalidTimestampException) {
            return new Refusal(Words.describe(cause), true);
        }
        return new Refusal(Words.describe(cause), false);
    }

    private Producer<byte @Nullable [], byte @Nullable []> producer() {
        Producer<byte @Nullable [], byte @Nullable []> open = producer;
        if (open == null) {
            open = new ProducerSettings(producerProperties, BLOCK_MILLIS).make();
            producer = open;
        }
        return open;
    }

    @Override
    public void close() {
        topics.forget();
        Producer<byte @Nullable [], byte @Nullable []> open = producer;
        producer = null;
        if (open != null) {
            open.close(Duration.ZERO);
        }
    }
}
