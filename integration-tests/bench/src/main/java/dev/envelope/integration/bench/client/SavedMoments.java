package dev.envelope.integration.bench.client;

import dev.envelope.core.api.Message;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.output.OutputSender;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * From the moment at which the save of a message has returned to the answer of the broker that the
 * message's output is committed.
 *
 * <p>Threads: thread-safe (a concurrent map).
 */
final class SavedMoments {

    /** The header of an output with the place of its message. */
    static final String PLACE = "place";

    private final Observer observer;
    private final Map<String, Long> moments = new ConcurrentHashMap<>();

    SavedMoments(Observer observer) {
        this.observer = observer;
    }

    static byte[] place(Message message) {
        return text(message).getBytes(StandardCharsets.UTF_8);
    }

    private static String text(Message message) {
        return message.partition() + "/" + message.offset();
    }

    private void saved(Message message) {
        if (message.headers().lastHeader(Latencies.SENT) != null) {
            moments.put(text(message), Micros.now());
        }
    }

    /** Its handler's messages are saved when they are settled. */
    EnvelopeHandler around(EnvelopeHandler handler) {
        return new EnvelopeHandler() {
            @Override
            public void handle(Turn turn) {
                handler.handle(observer.wantsEach() ? new Watched(turn) : turn);
            }

            @Override
            public boolean hasRoom() {
                return handler.hasRoom();
            }

            @Override
            public void dying(List<Message> underWay) {
                handler.dying(underWay);
            }
        };
    }

    private final class Watched extends ForwardingTurn {

        Watched(Turn turn) {
            super(turn);
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            if (outcome instanceof Outcome.Saved) {
                envelopes().get(envelope).messages().forEach(SavedMoments.this::saved);
            }
            super.settle(envelope, outcome);
        }
    }

    private void committed(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        long now = Micros.now();
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record : records) {
            Header place = record.headers().lastHeader(PLACE);
            if (place != null) {
                Long saved = moments.remove(new String(place.value(), StandardCharsets.UTF_8));
                // The worker may not have got that far yet.
                byte[] since = Micros.bytes(saved == null ? now : saved);
                observer.each(0, new RecordHeaders().add(Latencies.SENT, since), now);
            }
        }
        observer.durable(records.size());
    }

    /** A sender's records are durable when they are committed. */
    OutputSender around(OutputSender sender) {
        return new OutputSender() {
            @Override
            public List<String> ids() {
                return sender.ids();
            }

            @Override
            public void open(long number) {
                sender.open(number);
            }

            @Override
            public Batch begin() {
                return new Timed(sender.begin());
            }

            @Override
            public OptionalLong committed(List<String> ids) {
                return sender.committed(ids);
            }

            @Override
            public void close() {
                sender.close();
            }
        };
    }

    private final class Timed implements OutputSender.Batch {

        private final OutputSender.Batch batch;
        private List<ProducerRecord<byte @Nullable [], byte @Nullable []>> sent = List.of();

        Timed(OutputSender.Batch batch) {
            this.batch = batch;
        }

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            sent = records;
            batch.send(records);
        }

        @Override
        public Map<Integer, String> commit(long number) {
            Map<Integer, String> refused = batch.commit(number);
            if (refused.isEmpty()) {
                SavedMoments.this.committed(sent);
            }
            return refused;
        }

        @Override
        public void abort() {
            batch.abort();
        }
    }
}
