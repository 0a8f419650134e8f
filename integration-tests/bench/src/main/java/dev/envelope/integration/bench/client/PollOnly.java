package dev.envelope.integration.bench.client;

import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * A limit: polls and throws away, so nobody who reads the topic with one consumer can be faster.
 *
 * <p>Threads: one at a time.
 */
final class PollOnly implements LoopThread.Loop {

    private final LoopConsumer consumer;
    private final Observer observer;

    private PollOnly(ClientSpec spec, Observer observer) {
        this.observer = observer;
        consumer = LoopConsumer.ofGroup(spec);
    }

    static Client started(ClientSpec spec, Observer observer) {
        return LoopThread.start(new PollOnly(spec, observer));
    }

    @Override
    public void turn() {
        ConsumerRecords<byte[], byte[]> records = consumer.poll();
        observer.durable(records.count(), records);
    }

    @Override
    public void close() {
        consumer.close();
    }
}
