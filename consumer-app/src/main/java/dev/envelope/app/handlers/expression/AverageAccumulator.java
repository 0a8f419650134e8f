package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import java.math.MathContext;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The mean of numbers, to 34 digits; the exact sum and the count stand beside it as {@code [sum,
 * count]}.
 *
 * <p>Threads: actor, one at a time.
 */
final class AverageAccumulator extends Accumulator {

    private static final MathContext ROUNDING = MathContext.DECIMAL128;

    private final ExactSum sum = new ExactSum();
    private long count;
    private boolean claimed;

    @Override
    void add(Scalars found, int place) {
        SumAccumulator.add(sum, found, place);
        count++;
    }

    @Override
    void writeValue(JsonGenerator json) {
        if (count == 0) {
            json.writeNull();
        } else {
            Decimals.write(json, sum.asDecimal().divide(BigDecimal.valueOf(count), ROUNDING));
        }
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
        sum.write(json);
        json.writeNumber(count);
        json.writeEndArray();
    }

    @Override
    void readHelper(JsonParser json) {
        if (json.currentToken() != JsonToken.START_ARRAY) {
            throw unexpected("what is not a sum and a count");
        }
        json.nextToken();
        SumAccumulator.read(sum, json);
        count = json.nextToken() == JsonToken.VALUE_NUMBER_INT ? json.getLongValue() : 0;
        if (count < 1 || json.nextToken() != JsonToken.END_ARRAY) {
            throw unexpected("what is not a sum and a count");
        }
    }
}
