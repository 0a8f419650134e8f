package dev.envelope.integration.bench.peers.race;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.key.Ordering;
import dev.envelope.idempotency.json.BytesValueFormat;
import dev.envelope.idempotency.work.WorkApplication;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The process of a contestant: {@code Racer RACE RESULT}. */
public final class Racer {

    static final int PARTITIONS = 8;

    private static final int CONSUMERS = 2;

    private Racer() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Race race = Race.read(Path.of(arguments[0]));
        Finish finish = new Finish(race, PARTITIONS);
        switch (race.racer()) {
            case "envelope" -> envelope(race, finish);
            case "parallel" -> parallel(race, finish);
            case "spring" -> spring(race, finish);
            default -> throw new IllegalArgumentException("no contestant " + race.racer());
        }
        finish.await();
        Properties result = finish.result();
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        result.setProperty("heap", Long.toString(runtime.totalMemory() - runtime.freeMemory()));
        try (Writer writer = Files.newBufferedWriter(Path.of(arguments[1]))) {
            result.store(writer, null);
        }
        runtime.halt(0);
    }

    private static void envelope(Race race, Finish finish) {
        // region envelope
        ConsumerSettings settings =
                ConsumerSettings.of(race.group(), race.brokers(), Set.of(race.topic()))
                        .withOrdering(race.isKeyed() ? Ordering.KEY : Ordering.NONE)
                        .withWorkers(race.atOnce())
                        .withFailures(
                                new FailurePolicy(
                                        10,
                                        Duration.ofMillis(200),
                                        Duration.ofSeconds(30),
                                        FailurePolicy.Last.STOP));
        new WorkApplication(
                        WorkApplication.Parts.of(
                                settings,
                                (value, message) ->
                                        finish.call(
                                                message.partition(),
                                                message.offset(),
                                                message.headers()),
                                new BytesValueFormat()))
                .start();
        // end region
    }

    private static Map<String, Object> consumer(Race race) {
        return Map.of(
                "bootstrap.servers", race.brokers(),
                "group.id", race.group(),
                "enable.auto.commit", false,
                "auto.offset.reset", "earliest",
                "isolation.level", "read_committed",
                "max.poll.records", 5_000);
    }

    /** By its documents: asynchronous commits, as ours; its own defaults for the rest. */
    private static void parallel(Race race, Finish finish) {
        // region parallel
        ParallelStreamProcessor<String, byte[]> processor =
                ParallelStreamProcessor.createEosStreamProcessor(
                        ParallelConsumerOptions.<String, byte[]>builder()
                                .consumer(
                                        new KafkaConsumer<>(
                                                consumer(race),
                                                new StringDeserializer(),
                                                new ByteArrayDeserializer()))
                                .ordering(
                                        race.isKeyed()
                                                ? ProcessingOrder.KEY
                                                : ProcessingOrder.UNORDERED)
                                .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
                                .maxConcurrency(race.atOnce())
                                .build());
        processor.subscribe(List.of(race.topic()));
        processor.poll(
                context -> {
                    ConsumerRecord<String, byte[]> record =
                            context.getSingleConsumerRecord();
                    finish.call(record.partition(), record.offset(), record.headers());
                });
        // end region
    }

    /** A batch listener that gives each record to a pool, and waits for all: without any order. */
    private static void spring(Race race, Finish finish) {
        ExecutorService pool = Executors.newFixedThreadPool(race.atOnce());
        ContainerProperties properties = new ContainerProperties(race.topic());
        properties.setMessageListener(
                (BatchMessageListener<String, byte[]>)
                        records -> {
                            List<Future<?>> calls = new ArrayList<>();
                            for (ConsumerRecord<String, byte[]> record : records) {
                                calls.add(
                                        pool.submit(
                                                () ->
                                                        finish.call(
                                                                record.partition(),
                                                                record.offset(),
                                                                record.headers())));
                            }
                            calls.forEach(Racer::join);
                        });
        properties.setAckMode(ContainerProperties.AckMode.BATCH);
        ConcurrentMessageListenerContainer<String, byte[]> container =
                new ConcurrentMessageListenerContainer<>(
                        new DefaultKafkaConsumerFactory<>(
                                consumer(race),
                                new StringDeserializer(),
                                new ByteArrayDeserializer()),
                        properties);
        container.setConcurrency(CONSUMERS);
        container.start();
    }

    private static void join(Future<?> call) {
        try {
            call.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }
}
