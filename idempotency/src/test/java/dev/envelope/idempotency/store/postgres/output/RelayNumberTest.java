package dev.envelope.idempotency.store.postgres.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import org.junit.jupiter.api.Test;

class RelayNumberTest {

    private static final Incarnation FIRST = new Incarnation("1/1");
    private static final Incarnation SECOND = new Incarnation("1/2");

    @Test
    void aNumberHoldsOnlyInTheIncarnationInWhichItWasGiven() {
        RelayNumber number = new RelayNumber();
        assertThat(number.in(FIRST)).isZero();

        number.isNow(7, FIRST);
        assertThat(number.in(FIRST)).isEqualTo(7);
        assertThat(number.in(SECOND)).as("it may be another's there").isZero();

        number.isNow(8, SECOND);
        assertThat(number.in(SECOND)).isEqualTo(8);
        assertThat(number.in(FIRST)).isZero();
    }
}
