package dev.envelope.integration.bench.client;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The machine's clock in microseconds, which all processes of a run agree about, as a header
 * carries it.
 *
 * <p>Threads: immutable.
 */
public final class Micros {

    private Micros() {}

    /** Since 1970. */
    public static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    /** As a header's value. */
    public static byte[] bytes(long micros) {
        return ByteBuffer.allocate(Long.BYTES).putLong(micros).array();
    }

    static long of(byte[] header) {
        return ByteBuffer.wrap(header).getLong();
    }
}
