package dev.envelope.idempotency.json;

import dev.envelope.idempotency.fold.MalformedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * UTF-8, checked as strictly as Postgres does: no overlong forms, no surrogates. The JSON parser is
 * more lenient, so what the two would read differently is refused here.
 */
final class Utf8 {

    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

    private Utf8() {}

    /** Refuses bytes that are not UTF-8. */
    static void check(byte[] bytes) {
        if (!isAscii(bytes)) {
            decode(bytes);
        }
    }

    /** Decodes the bytes. */
    static String decode(byte[] bytes) {
        if (isAscii(bytes)) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(in).toString();
        } catch (CharacterCodingException e) {
            throw new MalformedException("not UTF-8 at byte " + in.position());
        }
    }

    private static boolean isAscii(byte[] bytes) {
        int at = 0;
        long seen = 0;
        for (; at <= bytes.length - Long.BYTES; at += Long.BYTES) {
            seen |= (long) LONGS.get(bytes, at);
        }
        for (; at < bytes.length; at++) {
            seen |= bytes[at];
        }
        return (seen & HIGH_BITS) == 0;
    }
}
