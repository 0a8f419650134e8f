package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.core.decode.Deserializers;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;

/**
 * Values read by a Kafka deserializer. Bytes that it can't read are the message's fault; a registry
 * that it can't reach is not (I11).
 *
 * <p>Threads: thread-safe (the pool of deserializers is).
 */
public final class DeserializerValueFormat<M> implements ValueFormat<M>, AutoCloseable {

    private final Deserializers<M> deserializers;

    public DeserializerValueFormat(Deserializers<M> deserializers) {
        this.deserializers = deserializers;
    }

    @Override
    public M decode(byte[] value, Message message) {
        M decoded;
        try {
            decoded = deserializers.decode(message.topic(), message.headers(), value);
        } catch (Deserializers.BadBytes e) {
            throw new MalformedException(
                    Brief.text("the deserializer refused the value: " + Brief.of(e.reason())));
        }
        if (decoded == null) { // the fold would take it for a tombstone
            throw new MalformedException(
                    "the deserializer made null of a value of %d bytes".formatted(value.length));
        }
        return decoded;
    }

    @Override
    public void close() {
        deserializers.close();
    }
}
