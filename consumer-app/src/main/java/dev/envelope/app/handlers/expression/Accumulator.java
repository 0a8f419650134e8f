package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;

/** What one expression has made of a key's messages so far. */
abstract sealed class Accumulator permits Running, Average, Distinct {

    /** Takes in a {@link Scalar} of a type that the function takes. */
    abstract void add(Object next);

    /** What users see. */
    abstract @Nullable Object value();

    /** Reads what users see; the parser stands on its first token. */
    abstract void readValue(JsonParser json);

    /** Whether what users see is not enough to go on with. */
    boolean needsHelper() {
        return false;
    }

    /** Writes the rest. */
    void writeHelper(JsonGenerator json) {
        throw new IllegalStateException("there is none");
    }

    /** Reads what {@link #writeHelper} wrote; the parser stands on its first token. */
    void readHelper(JsonParser json) {
        throw unexpected("a helper");
    }

    /** Whether what was read is enough to go on with. */
    boolean isComplete() {
        return true;
    }

    /** Says that the state holds something which this accumulator did not write. */
    static MalformedException unexpected(String found) {
        return new MalformedException(found + " can't be gone on with");
    }
}
