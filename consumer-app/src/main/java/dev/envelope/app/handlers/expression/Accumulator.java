package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;

/** The aggregate of one expression over a key's messages so far. */
abstract sealed class Accumulator permits Running, Average, Distinct {

    /** Adds a {@link Scalar} of a type that the function accepts. */
    abstract void add(Object next);

    /** The value that users see. */
    abstract @Nullable Object value();

    /** Reads the value that users see; the parser is at its first token. */
    abstract void readValue(JsonParser json);

    /** Whether the aggregate needs more than the value that users see. */
    boolean needsHelper() {
        return false;
    }

    /** Writes the helper: what it needs besides the value. */
    void writeHelper(JsonGenerator json) {
        throw new IllegalStateException("there is none");
    }

    /** Reads what {@link #writeHelper} wrote; the parser is at its first token. */
    void readHelper(JsonParser json) {
        throw unexpected("a helper");
    }

    /** Whether enough was read to continue the aggregate. */
    boolean isComplete() {
        return true;
    }

    /** The exception for a state that this accumulator did not write. */
    static MalformedException unexpected(String found) {
        return new MalformedException(found + " can't be continued");
    }
}
