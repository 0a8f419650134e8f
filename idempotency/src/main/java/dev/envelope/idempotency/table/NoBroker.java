package dev.envelope.idempotency.table;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.output.OutputSender;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Sends nothing, where there is no broker: what other processes have put out is theirs to send. */
public final class NoBroker implements Delivery, OutputSender {

    private static UnavailableException none() {
        return new UnavailableException("this process has no broker");
    }

    @Override
    public List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        throw none();
    }

    @Override
    public List<String> ids() {
        return List.of();
    }

    @Override
    public void open(long number) {
        throw none();
    }

    @Override
    public Batch begin() {
        throw none();
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        throw none();
    }

    @Override
    public boolean maySendForOthers() {
        return false;
    }

    @Override
    public void close() {}
}
