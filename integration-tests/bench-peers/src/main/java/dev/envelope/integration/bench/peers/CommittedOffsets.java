package dev.envelope.integration.bench.peers;

import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.Observer;
import dev.envelope.integration.stack.Topics;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Asks the broker what a group has committed, once everything has been processed: Kafka Streams
 * tells nobody of its commits.
 *
 * <p>Threads: thread-safe (concurrent collections; a thread of its own asks).
 */
final class CommittedOffsets {

    private static final long PAUSE_MILLIS = 5;

    private final Topics topics;
    private final String group;
    private final String topic;
    private final Observer observer;
    private final Map<Integer, Long> ends = new ConcurrentHashMap<>();
    private final AtomicLong left = new AtomicLong();
    private final Thread asking = new Thread(this::ask, "committed-offsets");

    CommittedOffsets(ClientSpec spec, Observer observer) {
        topics = new Topics(spec.bootstrapServers());
        group = spec.group();
        topic = spec.topic();
        this.observer = observer;
        topics.endOffsets(topic).forEach((partition, end) -> ends.put(partition.partition(), end));
        left.set(records());
        asking.setDaemon(true);
        asking.start();
    }

    private long records() {
        return ends.values().stream().mapToLong(end -> end).sum();
    }

    /** A record is being processed; whether it is the last one of its partition. */
    boolean processed(int partition, long offset) {
        left.decrementAndGet();
        return offset + 1 == ends.getOrDefault(partition, 0L);
    }

    private void ask() {
        try {
            while (left.get() > 0 || committed() < records()) {
                Thread.sleep(PAUSE_MILLIS); // a broker tells nobody of a commit: it is asked
            }
            observer.durable(records());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    private long committed() {
        long sum = 0;
        for (Map.Entry<TopicPartition, OffsetAndMetadata> commit :
                topics.committed(group).entrySet()) {
            if (commit.getKey().topic().equals(topic)) {
                sum += commit.getValue().offset();
            }
        }
        return sum;
    }

    /** Also deletes the topics that the group has made. */
    void close() throws InterruptedException {
        asking.interrupt();
        asking.join();
        topics.delete(group + "-" + BalanceTopology.STORE + "-changelog");
        topics.close();
    }
}
