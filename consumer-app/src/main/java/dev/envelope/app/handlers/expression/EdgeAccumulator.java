package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.json.Jsonb;
import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;

/**
 * The first or the last of values, whatever scalars they are.
 *
 * <p>Threads: actor, one at a time.
 */
final class EdgeAccumulator extends Accumulator {

    private final boolean last;
    private @Nullable Object value; // BigDecimal, Long, String or Boolean

    EdgeAccumulator(boolean last) {
        this.last = last;
    }

    @Override
    void add(Scalars found, int place) {
        if (last || value == null) {
            value =
                    switch (found.kind(place)) {
                        case LONG -> found.asLong(place);
                        case DECIMAL -> found.asDecimal(place);
                        case BOOLEAN -> found.asBoolean(place);
                        default -> storable(found.asText(place));
                    };
        }
    }

    @Override
    void writeValue(JsonGenerator json) {
        if (value instanceof Long whole) {
            json.writeNumber(whole);
        } else if (value instanceof BigDecimal decimal) {
            Decimals.write(json, decimal);
        } else if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else {
            json.writeNull();
        }
    }

    @Override
    void readValue(JsonParser json) {
        value =
                switch (json.currentToken()) {
                    case VALUE_NULL -> null;
                    case VALUE_STRING -> json.getString();
                    case VALUE_TRUE -> true;
                    case VALUE_FALSE -> false;
                    case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
                    case VALUE_NUMBER_INT -> readWhole(json);
                    default -> throw unexpected("what is not a single value");
                };
    }

    private static Object readWhole(JsonParser json) {
        if (json.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            return json.getDecimalValue();
        }
        return json.getLongValue();
    }

    private static String storable(String text) {
        if (!Jsonb.isStorable(text)) {
            throw new MalformedException(
                    "the text holds a NUL or half a surrogate pair, which Postgres can't store");
        }
        return text;
    }
}
