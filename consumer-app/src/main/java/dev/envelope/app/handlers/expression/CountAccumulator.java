package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Scalars;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * How many messages counted.
 *
 * <p>Threads: actor, one at a time.
 */
final class CountAccumulator extends Accumulator {

    private long count;

    @Override
    void add(Scalars found, int place) {
        count++;
    }

    @Override
    void writeValue(JsonGenerator json) {
        json.writeNumber(count);
    }

    @Override
    void readValue(JsonParser json) {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            throw unexpected("what is not a count");
        }
        count = json.getLongValue();
    }
}
