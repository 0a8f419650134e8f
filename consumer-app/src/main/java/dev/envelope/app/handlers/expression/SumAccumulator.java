package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Scalars;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;

/**
 * The sum of numbers.
 *
 * <p>Threads: actor, one at a time.
 */
final class SumAccumulator extends Accumulator {

    private final ExactSum sum = new ExactSum();

    @Override
    void add(Scalars found, int place) {
        add(sum, found, place);
    }

    static void add(ExactSum sum, Scalars found, int place) {
        if (found.isLong(place)) {
            sum.add(found.asLong(place));
        } else {
            sum.add(found.asDecimal(place));
        }
    }

    @Override
    void writeValue(JsonGenerator json) {
        sum.write(json);
    }

    @Override
    void readValue(JsonParser json) {
        read(sum, json);
    }

    static void read(ExactSum sum, JsonParser json) {
        switch (json.currentToken()) {
            case VALUE_NUMBER_INT -> {
                if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                    sum.add(json.getDecimalValue());
                } else {
                    sum.add(json.getLongValue());
                }
            }
            case VALUE_NUMBER_FLOAT -> sum.add(json.getDecimalValue());
            default -> throw unexpected("what is not a sum");
        }
    }
}
