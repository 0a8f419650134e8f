package dev.envelope.integration.bench;

import dev.envelope.integration.bench.client.Latencies;
import dev.envelope.integration.bench.client.Micros;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.LocalStack;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Sends the records of a workload at a fixed rate into a topic of their own, by a timetable that
 * waits for nobody: who holds a record up holds up those behind it, and all of them say when they
 * should have been sent. Only the first record goes before the timetable begins: whoever has made a
 * row of it has started.
 *
 * <p>Threads: one at a time; a thread of its own sends.
 */
public final class OpenLoop implements AutoCloseable {

    private final LocalStack stack;
    private final String topic;
    private final Workload workload;
    private final int perSecond;
    private final int warmUp;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Thread thread = new Thread(this::send, "open-loop");
    private volatile boolean closing;
    private volatile int sent;

    private OpenLoop(LocalStack stack, String topic, Workload workload, int perSecond, int warmUp) {
        this.stack = stack;
        this.topic = topic;
        this.workload = workload;
        this.perSecond = perSecond;
        this.warmUp = warmUp;
    }

    /**
     * Makes the topic and sends the first record.
     *
     * @param warmUp how many records do not count
     */
    public static OpenLoop start(
            LocalStack stack, String topic, Workload workload, int perSecond, int warmUp) {
        stack.topics().create(topic, Workload.PARTITIONS);
        OpenLoop loop = new OpenLoop(stack, topic, workload, perSecond, warmUp);
        loop.thread.start();
        return loop;
    }

    private void send() {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers",
                                stack.broker().bootstrapServers(),
                                "linger.ms",
                                0),
                        new ByteArraySerializer(),
                        new ByteArraySerializer())) {
            send(producer, 0, Micros.now());
            sent = 1;
            producer.flush();
            begun.await();
            long startNanos = System.nanoTime();
            long startMicros = Micros.now();
            for (int record = 1; record < workload.records() && !closing; record++) {
                long due = dueNanos(record, perSecond);
                awaitUntil(startNanos + due);
                send(producer, record, startMicros + due / 1_000);
                sent = record + 1;
            }
        } catch (InterruptedException e) {
            failure.set(e);
        }
    }

    /** Begins with the timetable. */
    public void begin() {
        begun.countDown();
    }

    /** When a record is to be sent, from the beginning. */
    static long dueNanos(int record, int perSecond) {
        return record * 1_000_000_000L / perSecond;
    }

    private void send(KafkaProducer<byte[], byte[]> producer, int record, long dueMicros) {
        byte[] key = Workload.account(workload.keyOf(record)).getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> message =
                new ProducerRecord<>(topic, Workload.partitionOf(key), key, workload.value(record));
        if (record >= warmUp) {
            message.headers().add(Latencies.SENT, Micros.bytes(dueMicros));
        }
        var unused =
                producer.send(
                        message,
                        (done, e) -> {
                            if (e != null) {
                                failure.set(e);
                            }
                        });
    }

    private static void awaitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Returns when all have been sent. */
    void awaitEnd() throws InterruptedException {
        thread.join();
        if (failure.get() != null) {
            throw new IllegalStateException("not all records could be sent", failure.get());
        }
    }

    /** Ends it before its time; how many records have been sent. */
    int stop() throws InterruptedException {
        closing = true;
        awaitEnd();
        return sent;
    }

    /** Ends it, and deletes the topic. */
    @Override
    public void close() {
        closing = true;
        begun.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stack.topics().delete(topic);
    }
}
