package dev.envelope.core.decode;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Words;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Kafka deserializers of one kind, called by many threads at once.
 *
 * <p>A deserializer need not be thread-safe, since Kafka's consumer calls it from one thread. So
 * each call has one to itself: it is taken out of a pool and put back, and a new one is created
 * when the pool is empty. There are never more of them than calls at the same time. A pool is
 * better than one per thread: workers come and go, and pooled deserializers can be closed.
 *
 * <p>A deserializer that asks a schema registry for the id that bytes begin with (a zero, then four
 * bytes) may hang. So while one call for an id takes long, others for that id fail at once, except
 * one every half a minute, and after a failure the id is not tried for a moment: an outage holds
 * one thread for each schema that is not known yet, and none for the others. Ids that were never
 * decoded have a pool of their own: a deserializer that hangs is missing from its pool, with all
 * schemas that it has cached.
 *
 * <p>Threads: thread-safe (concurrent collections; an id's state is atomics).
 *
 * @param <T> what they decode bytes to
 */
public final class Deserializers<T> implements AutoCloseable {

    private static final long LONG_NANOS = Duration.ofMillis(100).toNanos();
    private static final Duration REST = Duration.ofMillis(50);
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);
    private static final long ANOTHER_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int MOST_ASKING = 4;
    private static final int MOST_IDS = 10_000;
    private static final int ID_BYTES = 5;

    private final Supplier<? extends Deserializer<? extends T>> maker;
    private final Ticker ticker;
    private final Queue<Deserializer<? extends T>> idle = new ConcurrentLinkedQueue<>();
    private final Queue<Deserializer<? extends T>> idleForNewIds = new ConcurrentLinkedQueue<>();
    private final ConcurrentMap<Integer, Schema> schemas = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** Bytes that are not of the format. It has no stack trace of its own: its cause has one. */
    public static final class BadBytes extends Exception {

        private static final long serialVersionUID = 1L;

        BadBytes(Throwable cause) {
            super(null, cause, false, false);
        }

        /** What the deserializer has thrown. */
        public Throwable reason() {
            return getCause() == null ? this : getCause();
        }
    }

    /** The state of the calls for one schema id. */
    private static final class Schema {
        private static final long NONE = Long.MIN_VALUE;
        private final AtomicLong askedSince =
                new AtomicLong(NONE); // start of the call that is timed
        private final AtomicInteger asking =
                new AtomicInteger(); // timed calls that have not returned
        private volatile long restsUntil = NONE;
        private volatile int failures;
        private volatile boolean isKnown; // it was decoded before
        private volatile @Nullable Throwable last;
    }

    /**
     * @param maker creates a deserializer that is already configured
     */
    public Deserializers(Supplier<? extends Deserializer<? extends T>> maker, Ticker ticker) {
        this.maker = maker;
        this.ticker = ticker;
    }

    /**
     * Decodes these bytes.
     *
     * @throws BadBytes if they are not of its format
     * @throws DecoderOutException if they can't be decoded now
     */
    public @Nullable T decode(String topic, Headers headers, byte[] bytes) throws BadBytes {
        Schema schema = schemaOf(bytes);
        boolean isFirst = schema != null && enter(schema, bytes);
        try {
            boolean isNew = schema != null && !schema.isKnown;
            T decoded = deserialize(isNew ? idleForNewIds : idle, topic, headers, bytes);
            if (schema != null && (isNew || schema.failures > 0)) {
                schema.isKnown = true;
                schema.failures = 0;
            }
            return decoded;
        } catch (InterruptException e) {
            throw new DecoderOutException("the deserializer was interrupted", e, true);
        } catch (DecoderOutException | OutOfMemoryError e) {
            throw e; // the latter says nothing about the bytes; the process is to end
        } catch (RuntimeException | Error e) {
            DecodeFault fault = DecodeFault.of(e);
            if (fault == DecodeFault.BYTES) {
                throw new BadBytes(e);
            } else if (schema != null) {
                failed(schema, e);
            }
            throw new DecoderOutException(
                    "the deserializer can't work now: " + Words.describeWithCause(e),
                    e,
                    fault == DecodeFault.OUTAGE);
        } finally {
            if (schema != null && isFirst) {
                schema.asking.decrementAndGet();
                schema.askedSince.set(Schema.NONE);
            }
        }
    }

    private @Nullable T deserialize(
            Queue<Deserializer<? extends T>> pool, String topic, Headers headers, byte[] bytes) {
        Deserializer<? extends T> pooled = pool.poll();
        Deserializer<? extends T> deserializer = pooled == null ? make() : pooled;
        try {
            // A copy of the headers: some deserializers remove theirs.
            return deserializer.deserialize(topic, new RecordHeaders(headers.toArray()), bytes);
        } finally {
            putBack(pool, deserializer);
        }
    }

    /** A failure to create one says nothing about the bytes. */
    private Deserializer<? extends T> make() {
        try {
            return maker.get();
        } catch (RuntimeException e) {
            throw new DecoderOutException(
                    "a deserializer can't be created now: " + Words.describe(e),
                    e,
                    DecodeFault.of(e) == DecodeFault.OUTAGE);
        }
    }

    private @Nullable Schema schemaOf(byte[] bytes) {
        if (bytes.length < ID_BYTES || bytes[0] != 0) {
            return null;
        }
        if (schemas.size() > MOST_IDS) {
            schemas.clear(); // these were no ids, or old ones
        }
        return schemas.computeIfAbsent(ByteBuffer.wrap(bytes, 1, 4).getInt(), id -> new Schema());
    }

    /** Whether this call is the one that is timed. */
    private boolean enter(Schema schema, byte[] bytes) {
        long now = ticker.nanoTime();
        long since = schema.askedSince.get();
        @Nullable Throwable last = schema.last;
        if (last != null && schema.failures > 0 && now - schema.restsUntil < 0) {
            throw new DecoderOutException(
                    "the deserializer failed a moment ago: " + Words.describeWithCause(last),
                    last,
                    DecodeFault.of(last) == DecodeFault.OUTAGE);
        }
        if (since != Schema.NONE && now - since > LONG_NANOS) {
            if (isWorthAnother(schema, since, now)) {
                return true;
            }
            throw new DecoderOutException(
                    "the schema with id "
                            + ByteBuffer.wrap(bytes, 1, 4).getInt()
                            + " has been asked for since "
                            + Duration.ofNanos(now - since).toMillis()
                            + " ms, without an answer",
                    new java.util.concurrent.TimeoutException(),
                    true);
        }
        boolean isFirst = schema.askedSince.compareAndSet(Schema.NONE, now);
        if (isFirst) {
            schema.asking.incrementAndGet();
        }
        return isFirst;
    }

    /**
     * Another call is worth it, since the first may never return although the registry serves
     * again.
     */
    private static boolean isWorthAnother(Schema schema, long since, long now) {
        boolean isWorthIt =
                now - since > ANOTHER_NANOS
                        && schema.asking.get() < MOST_ASKING
                        && schema.askedSince.compareAndSet(since, now);
        if (isWorthIt) {
            schema.asking.incrementAndGet();
        }
        return isWorthIt;
    }

    private void failed(Schema schema, Throwable thrown) {
        int failures = Math.min(schema.failures + 1, 10);
        long rest = Math.min(REST.toNanos() << (failures - 1), LONGEST_REST.toNanos());
        schema.last = thrown;
        schema.restsUntil = ticker.nanoTime() + rest;
        schema.failures = failures;
    }

    private void putBack(
            Queue<Deserializer<? extends T>> pool, Deserializer<? extends T> deserializer) {
        pool.offer(deserializer);
        if (closed) {
            closeIdle();
        }
    }

    /** Closes the deserializers: the idle ones now, those in use when their call ends. */
    @Override
    public void close() {
        closed = true;
        closeIdle();
    }

    private void closeIdle() {
        List.of(idle, idleForNewIds).forEach(Deserializers::closeAll);
    }

    private static <T> void closeAll(Queue<Deserializer<? extends T>> pool) {
        Deserializer<? extends T> next = pool.poll();
        while (next != null) {
            next.close();
            next = pool.poll();
        }
    }
}
