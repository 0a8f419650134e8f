package dev.envelope.idempotency.output.kafka;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.outbox.TopicFinder;
import dev.envelope.idempotency.output.OutputSender;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends each batch in a Kafka transaction that commits its number with it.
 *
 * <p>Two producers take turns: a producer can't go on while the markers of its last transaction are
 * being written, the other one can.
 *
 * <p>Threads: one thread, the relay's.
 */
public final class ExactlyOnce implements OutputSender {

    private static final Logger log = LoggerFactory.getLogger(ExactlyOnce.class);
    private static final int PRODUCERS = 2;

    private final Brokers brokers;
    private final String applicationId;
    private final String startId;
    private final TopicPartition at;
    private final TopicFinder topics;
    private final OutputFence fence;

    private final List<TransactionalProducer> producers = new ArrayList<>();
    private List<String> ids = List.of();
    private int made;
    private int turn;
    private boolean isAlone;

    /**
     * @param startId of this start of the process: no other one may have the same
     * @param at the partition for which numbers are committed; of a topic that exists and that we
     *     may read
     */
    public ExactlyOnce(Brokers brokers, String applicationId, String startId, TopicPartition at) {
        this.brokers = brokers;
        this.applicationId = applicationId;
        this.startId = startId;
        this.at = at;
        this.topics = brokers.topics();
        this.fence = new OutputFence(brokers, applicationId, at);
    }

    @Override
    public List<String> ids() {
        return ids;
    }

    @Override
    public void open(long number) {
        boolean hasSplit = producers.stream().anyMatch(it -> it.isBroken() && it.hasSplit());
        if (hasSplit && !isAlone) {
            isAlone = true;
            log.warn(Splits.SAID);
        }
        close();
        List<String> opened = new ArrayList<>();
        try {
            for (int i = 0; i < PRODUCERS; i++) {
                String id = Acls.prefix(applicationId) + startId + "-" + ++made;
                TransactionalProducer producer =
                        new TransactionalProducer(brokers.producer(), id, at, topics, isAlone);
                producers.add(producer);
                producer.open(number);
                opened.add(id);
            }
        } catch (KafkaException | IllegalStateException e) {
            close();
            throw new UnavailableException(why(e), e);
        }
        ids = List.copyOf(opened);
    }

    private String why(RuntimeException problem) {
        String right = new Acls(brokers.servers(), applicationId).missing(problem);
        return right == null ? Words.describeWithCause(problem) : right;
    }

    @Override
    public Batch begin() {
        if (producers.isEmpty() || producers.stream().anyMatch(TransactionalProducer::isBroken)) {
            throw new Unknown("no transactional id is open", null);
        }
        turn = (turn + 1) % producers.size();
        return producers.get(turn).begin();
    }

    @Override
    public OptionalLong committed(List<String> asked) {
        return fence.committed(asked);
    }

    @Override
    public void close() {
        producers.forEach(TransactionalProducer::close);
        producers.clear();
        topics.forget();
    }
}
