package dev.envelope.idempotency.json;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.ValueFormat;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Values that any Kafka deserializer reads.
 *
 * <p>A deserializer need not be thread-safe, since Kafka's consumer calls it from one thread. So
 * each call has one to itself: it is taken out of a pool and put back, and a new one is made when
 * none is there. There are never more than calls at the same time. That is better than one to a
 * thread: workers come and go, and what has been made can be closed.
 *
 * <p>A deserializer that asks a schema registry fails in two ways, which must be told apart: bytes
 * that it can't read are the message's fault, a registry that it can't reach is nobody's message's
 * (I11).
 *
 * <p>Threads: thread-safe (the pool is a concurrent queue).
 */
public final class DeserializerValueFormat<M> implements ValueFormat<M>, AutoCloseable {

    private final Supplier<Deserializer<M>> maker;
    private final ConcurrentLinkedQueue<Deserializer<M>> idle = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    /**
     * @param maker makes a deserializer that is already configured
     */
    public DeserializerValueFormat(Supplier<Deserializer<M>> maker) {
        this.maker = maker;
    }

    @Override
    public M decode(byte[] value, Message message) {
        Deserializer<M> pooled = idle.poll();
        Deserializer<M> deserializer = pooled == null ? maker.get() : pooled;
        M decoded;
        try {
            // A copy of the headers: some deserializers take theirs out of them.
            RecordHeaders headers = new RecordHeaders(message.headers().toArray());
            decoded = deserializer.deserialize(message.topic(), headers, value);
        } catch (InterruptException e) {
            throw e; // it has set the flag again
        } catch (RuntimeException e) {
            throw isOutage(e)
                    ? new UnavailableException(
                            "the deserializer of values can't work now: " + Brief.of(e), e)
                    : new MalformedException(
                            Brief.text("the deserializer refused the value: " + Brief.of(e)));
        } finally {
            putBack(deserializer);
        }
        if (decoded == null) { // the fold would take it for a tombstone
            throw new MalformedException(
                    "the deserializer made null of a value of %d bytes".formatted(value.length));
        }
        return decoded;
    }

    /** Closes the deserializers: the idle ones now, those in use when their call ends. */
    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    private void putBack(Deserializer<M> deserializer) {
        idle.offer(deserializer);
        if (closed) {
            closeIdle();
        }
    }

    private void closeIdle() {
        Deserializer<M> next = idle.poll();
        while (next != null) {
            next.close();
            next = idle.poll();
        }
    }

    private static boolean isOutage(Throwable thrown) {
        int depth = 0;
        for (Throwable at = thrown; at != null && depth < 16; at = at.getCause(), depth++) {
            if (at instanceof RetriableException
                    || at instanceof SocketException
                    || at instanceof UnknownHostException
                    || at instanceof HttpTimeoutException
                    || at instanceof InterruptedIOException
                    || at instanceof TimeoutException) {
                return true;
            }
        }
        return false;
    }
}
