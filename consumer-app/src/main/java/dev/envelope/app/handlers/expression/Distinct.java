package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.dedupe.IdHash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Set;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The number of different values, up to a bound. Its helper holds the values seen as hashes: one
 * text in base 64, 16 bytes for each, so that the row grows with their number and not with their
 * length.
 *
 * <p>The first new value beyond the bound ends the counting: the count stays, and {@code "full"}
 * replaces the hashes, which are no longer needed. Neither more messages nor a higher bound resume
 * it.
 *
 * <p>Threads: actor, one at a time.
 */
final class Distinct extends Accumulator {

    private static final String FULL = "full";

    private final int bound;
    private final Set<IdHash> seen = new LinkedHashSet<>(); // ordered, and so is the text
    private boolean full;
    private long count;

    Distinct(int bound) {
        this.bound = bound;
    }

    @Override
    void add(Object next) {
        if (full) {
            return;
        }
        IdHash value = hash(next);
        if (seen.size() < bound) {
            seen.add(value);
            count = seen.size();
        } else if (!seen.contains(value)) {
            full = true;
            seen.clear();
        }
    }

    @Override
    Object value() {
        return count;
    }

    @Override
    void readValue(JsonParser json) {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw unexpected("what is not a count");
        }
        count = json.getLongValue();
    }

    @Override
    boolean needsHelper() {
        return count > 0;
    }

    @Override
    boolean isComplete() {
        return full || seen.size() == count;
    }

    @Override
    void writeHelper(JsonGenerator json) {
        if (full) {
            json.writeString(FULL);
            return;
        }
        ByteBuffer hashes = ByteBuffer.allocate(seen.size() * IdHash.BYTES);
        for (IdHash hash : seen) {
            hashes.putLong(hash.high()).putLong(hash.low());
        }
        json.writeString(Base64.getEncoder().withoutPadding().encodeToString(hashes.array()));
    }

    @Override
    void readHelper(JsonParser json) {
        if (json.currentToken() != JsonToken.VALUE_STRING) {
            throw unexpected("what is not a text of hashes");
        }
        String text = json.getString();
        full = text.equals(FULL);
        if (full) {
            return;
        }
        try {
            ByteBuffer hashes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
            while (hashes.remaining() >= IdHash.BYTES) {
                seen.add(new IdHash(hashes.getLong(), hashes.getLong()));
            }
        } catch (IllegalArgumentException e) {
            throw unexpected("what is not a text of hashes");
        }
    }

    /** Equal numbers are the same value, however they are written. */
    private static IdHash hash(Object value) {
        String text =
                value instanceof Number
                        ? "n" + Scalar.decimal(value).stripTrailingZeros()
                        : (value instanceof Boolean ? "b" : "s") + value;
        return IdHash.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
