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
 * How many different values came, up to a bound. The values seen stand beside it as hashes, one
 * text of 16 bytes each in base 64, so that the row grows with their number and not with their
 * length.
 *
 * <p>At the bound one more new value is the last that is noticed: the count stays, {@code "full"}
 * stands in place of the hashes, for they can't tell anything any more, and neither more messages
 * nor a higher bound brings it back.
 *
 * <p>Threads: actor, one at a time.
 */
final class Distinct extends Accumulator {

    private static final String FULL = "full";

    private final int bound;
    private final Set<IdHash> seen = new LinkedHashSet<>(); // in order, so that the text is, too
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

    /** Two numbers are the same value when they are equal, however they are written. */
    private static IdHash hash(Object value) {
        String text =
                value instanceof Number
                        ? "n" + Scalar.decimal(value).stripTrailingZeros()
                        : (value instanceof Boolean ? "b" : "s") + value;
        return IdHash.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
