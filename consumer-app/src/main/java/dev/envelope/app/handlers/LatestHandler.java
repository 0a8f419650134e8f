package dev.envelope.app.handlers;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Json;
import org.jspecify.annotations.Nullable;

/**
 * The handler {@code latest}: the state is the last document, byte by byte as its producer wrote
 * it, after a check that {@code jsonb} can store it. A tombstone deletes it.
 *
 * <p>Threads: immutable; the arrays are never changed.
 */
final class LatestHandler implements Fold<byte[], byte[]>, StateCodec<byte[]>, ValueFormat<byte[]> {

    private final Json json = Json.standard();

    @Override
    public byte @Nullable [] apply(
            byte @Nullable [] state, byte @Nullable [] value, Message message) {
        return value;
    }

    @Override
    public byte[] encode(byte[] state) {
        return state;
    }

    @Override
    public byte[] decode(byte[] document) {
        return document;
    }

    @Override
    public byte[] decodeStrictly(byte[] document) {
        json.checkStorable(document);
        return document;
    }

    @Override
    public byte[] decode(byte[] value, Message message) {
        json.checkStorable(value);
        return value;
    }
}
