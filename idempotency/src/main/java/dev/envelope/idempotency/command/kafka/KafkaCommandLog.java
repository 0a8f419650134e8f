package dev.envelope.idempotency.command.kafka;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.command.Command;
import dev.envelope.idempotency.command.CommandLog;
import dev.envelope.idempotency.command.TopicsNow;
import dev.envelope.idempotency.outbox.ProducerSettings;
import dev.envelope.idempotency.store.reply.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts commands into a topic with an idempotent producer and {@code acks=all}.
 *
 * <p>A call of the producer blocks while it does not know the topic, or has no room in its buffer.
 * Here that may take some milliseconds only. So the topic is made known beforehand ({@link
 * #learn}), and what finds no room is not written.
 *
 * <p>Threads: as {@link CommandLog} says; the producer is volatile, and replaced by the thread that
 * learns.
 */
public final class KafkaCommandLog implements CommandLog {

    private static final Logger log = LoggerFactory.getLogger(KafkaCommandLog.class);
    private static final int BLOCK_MILLIS = 20;
    private static final int DELIVERY_MILLIS = 10_000;
    private static final int REQUEST_MILLIS = 3_000;
    private static final long LEAST_BUFFER = 1 << 20;
    private static final int TRIES_TO_LEARN = 100;
    private static final Duration LAST_ACKNOWLEDGEMENTS = Duration.ofSeconds(2);

    private final ProducerSettings settings;
    private final String topic;
    private final TopicsNow topics;
    private final String idHeader;
    private volatile Producer<byte @Nullable [], byte @Nullable []> producer;
    private volatile boolean isKnown; // whether the producer knows the topic
    private volatile String fault = ""; // why the producer is of no use any more

    /**
     * @param producerProperties the user's properties for producers
     * @param idHeader the header that event ids are taken from
     * @param bufferBytes of the producer
     * @throws KafkaException if the client refuses its settings
     */
    public KafkaCommandLog(
            Map<String, Object> producerProperties,
            String topic,
            TopicsNow topics,
            String idHeader,
            long bufferBytes) {
        this.settings =
                new ProducerSettings(producerProperties, BLOCK_MILLIS)
                        .with(ProducerConfig.MAX_BLOCK_MS_CONFIG, BLOCK_MILLIS)
                        .with(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS)
                        .with(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS)
                        .with(ProducerConfig.LINGER_MS_CONFIG, 0)
                        .with(
                                ProducerConfig.BUFFER_MEMORY_CONFIG,
                                Math.max(LEAST_BUFFER, bufferBytes));
        this.topic = topic;
        this.topics = topics;
        this.idHeader = idHeader;
        this.producer = settings.make();
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public Optional<String> trouble() {
        if (!topics.trouble().isEmpty()) {
            return Optional.of(topics.trouble());
        } else if (topics.find(topic) == null) {
            return Optional.of("the topic " + topic + " does not exist");
        }
        if (!fault.isEmpty()) {
            return Optional.of("the producer failed: " + fault);
        }
        return isKnown
                ? Optional.empty()
                : Optional.of("the producer does not know the topic " + topic + " yet");
    }

    /**
     * Makes the topic known to the producer, if it exists; a producer would create it. Called every
     * now and then, so that it does not forget it. One thread; may block.
     */
    public void learn() {
        if (!fault.isEmpty()) {
            replace();
        }
        if (topics.find(topic) == null) {
            return;
        }
        boolean isFound = false;
        for (int i = 0; i < TRIES_TO_LEARN && !isFound; i++) {
            try {
                isFound = !producer.partitionsFor(topic).isEmpty();
            } catch (TimeoutException e) {
                isFound = false; // it goes on asking the brokers
            } catch (KafkaException | IllegalStateException e) {
                log.warn("the producer does not find {}: {}", topic, Words.describe(e));
                break;
            }
        }
        isKnown = isFound;
    }

    @Override
    public boolean put(int partition, Command command, Consumer<Put> then) {
        ProducerRecord<byte @Nullable [], byte @Nullable []> record =
                new ProducerRecord<>(
                        topic, partition, command.recordKey(), command.value(), headers(command));
        Thread caller = Thread.currentThread();
        boolean[] hasRoom = {true}; // written by this thread only
        try {
            var unused =
                    producer.send(
                            record,
                            (metadata, failure) -> {
                                boolean isAtOnce = Thread.currentThread() == caller;
                                if (isAtOnce && failure instanceof TimeoutException) {
                                    hasRoom[0] = false; // it has waited as long as it may
                                }
                                then.accept(
                                        failure == null
                                                ? new Put.Written(metadata.offset())
                                                : failed(failure, isAtOnce));
                            });
        } catch (KafkaException | IllegalStateException e) { // the callback is not called
            fault = Words.describe(e);
            then.accept(new Put.NotWritten(fault));
        }
        return hasRoom[0];
    }

    private Headers headers(Command command) {
        Headers headers = new RecordHeaders(command.headers());
        byte[] id = command.id().getBytes(StandardCharsets.UTF_8);
        headers.remove(idHeader);
        headers.add(idHeader, id);
        headers.add(Reply.COMMAND, id);
        return headers;
    }

    /**
     * What a failure means.
     *
     * @param isAtOnce whether it was not given to the brokers
     */
    private Put failed(Exception failure, boolean isAtOnce) {
        String why = Words.describe(failure);
        if (failure instanceof ClusterAuthorizationException) {
            fault = why; // the producer does not try again
        }
        if (failure instanceof RecordTooLargeException
                || failure instanceof InvalidTimestampException) {
            return new Put.Refused(why);
        }
        return isAtOnce || failure instanceof AuthorizationException
                ? new Put.NotWritten(why)
                : new Put.Unknown(why);
    }

    private void replace() {
        log.warn("a producer failed and is replaced: {}", fault);
        isKnown = false;
        producer.close(Duration.ZERO);
        try {
            producer = settings.make();
            fault = "";
        } catch (KafkaException e) {
            fault = Words.describe(e);
        }
    }

    @Override
    public void close() {
        producer.close(LAST_ACKNOWLEDGEMENTS);
    }
}
