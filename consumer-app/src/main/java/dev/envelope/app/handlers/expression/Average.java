package dev.envelope.app.handlers.expression;

import java.math.MathContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The mean of numbers, to 34 digits. Its helper holds the exact sum and the count, as {@code [sum,
 * count]}.
 *
 * <p>Threads: actor, one at a time.
 */
final class Average extends Accumulator {

    private Object sum = 0L;
    private long count;
    private boolean claimed;

    @Override
    void add(Object next) {
        sum = Scalar.sum(sum, next);
        count++;
    }

    @Override
    @Nullable Object value() {
        return count == 0
                ? null
                : Scalar.decimal(sum).divide(Scalar.decimal(count), MathContext.DECIMAL128);
    }

    @Override
    void readValue(JsonParser json) {
        claimed = json.currentToken() != JsonToken.VALUE_NULL;
        json.skipChildren();
    }

    @Override
    boolean needsHelper() {
        return count > 0;
    }

    @Override
    boolean isComplete() {
        return !claimed || count > 0;
    }

    @Override
    void writeHelper(JsonGenerator json) {
        json.writeStartArray();
        Scalar.write(json, sum);
        json.writeNumber(count);
        json.writeEndArray();
    }

    @Override
    void readHelper(JsonParser json) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw unexpected("what is not a sum and a count");
        }
        json.nextToken();
        if (!(Scalar.read(json) instanceof Number read)) {
            throw unexpected("what is not a sum");
        }
        sum = read;
        count = json.nextToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : 0;
        if (count < 1 || json.nextToken() != JsonToken.END_ARRAY) {
            throw unexpected("what is not a sum and a count");
        }
    }
}
