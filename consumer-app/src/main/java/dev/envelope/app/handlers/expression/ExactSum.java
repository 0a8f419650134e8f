package dev.envelope.app.handlers.expression;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A sum that loses nothing: a long until it overflows or meets a decimal.
 *
 * <p>Threads: actor, one at a time.
 */
final class ExactSum {

    private long whole;
    private @Nullable BigDecimal decimal; // holds the sum instead, once it is there

    void add(long addend) {
        BigDecimal sum = decimal;
        if (sum != null) {
            decimal = sum.add(BigDecimal.valueOf(addend));
            return;
        }
        long next = whole + addend;
        if (((whole ^ next) & (addend ^ next)) < 0) {
            decimal = BigDecimal.valueOf(whole).add(BigDecimal.valueOf(addend));
        } else {
            whole = next;
        }
    }

    void add(BigDecimal addend) {
        decimal = asDecimal().add(addend);
    }

    BigDecimal asDecimal() {
        BigDecimal sum = decimal;
        return sum == null ? BigDecimal.valueOf(whole) : sum;
    }

    void write(JsonGenerator json) {
        BigDecimal sum = decimal;
        if (sum == null) {
            json.writeNumber(whole);
        } else {
            Decimals.write(json, sum);
        }
    }
}
