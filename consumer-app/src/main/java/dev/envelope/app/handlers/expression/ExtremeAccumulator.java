package dev.envelope.app.handlers.expression;

import dev.envelope.idempotency.json.Scalars;
import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * The least or the greatest of numbers.
 *
 * <p>Threads: actor, one at a time.
 */
final class ExtremeAccumulator extends Accumulator {

    private final boolean greatest;
    private boolean isLong;
    private long whole;
    private @Nullable BigDecimal decimal; // null with isLong not set: nothing came yet

    ExtremeAccumulator(boolean greatest) {
        this.greatest = greatest;
    }

    @Override
    void add(Scalars found, int place) {
        if (isLong && found.isLong(place)) {
            long value = found.asLong(place);
            whole = greatest ? Math.max(whole, value) : Math.min(whole, value);
            return;
        }
        BigDecimal value = found.asDecimal(place);
        BigDecimal soFar = isLong ? BigDecimal.valueOf(whole) : decimal;
        boolean better =
                soFar == null
                        || (greatest ? value.compareTo(soFar) > 0 : value.compareTo(soFar) < 0);
        if (better && found.isLong(place)) {
            setLong(found.asLong(place));
        } else if (better) {
            setDecimal(value);
        }
    }

    @Override
    void writeValue(JsonGenerator json) {
        BigDecimal value = decimal;
        if (isLong) {
            json.writeNumber(whole);
        } else if (value == null) {
            json.writeNull();
        } else {
            Decimals.write(json, value);
        }
    }

    @Override
    void readValue(JsonParser json) {
        JsonToken token = json.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return;
        } else if (!token.isNumeric()) {
            throw unexpected("what is not a number");
        }
        boolean fits =
                token == JsonToken.VALUE_NUMBER_INT
                        && json.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
        if (fits) {
            setLong(json.getLongValue());
        } else {
            setDecimal(json.getDecimalValue());
        }
    }

    private void setLong(long value) {
        isLong = true;
        whole = value;
        decimal = null;
    }

    private void setDecimal(BigDecimal value) {
        isLong = false;
        decimal = value;
    }
}
