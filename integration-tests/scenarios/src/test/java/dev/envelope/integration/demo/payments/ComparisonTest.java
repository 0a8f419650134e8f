package dev.envelope.integration.demo.payments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class ComparisonTest {

    private static final PaymentSum ONE = new PaymentSum(1, 250);

    @Test
    void whatWaitsBehindAPoisonMessageIsNotMissing() {
        Comparison comparison =
                Comparison.of(
                        Map.of("a", new PaymentSum(3, 750), "b", ONE),
                        Map.of("a", ONE, "b", ONE),
                        Map.of("a", new PaymentSum(2, 500)));

        assertThat(comparison.isEqual()).isTrue();
        assertThat(comparison.sent()).isEqualTo(new PaymentSum(4, 1_000));
        assertThat(comparison.inWords())
                .isEqualTo(
                        "All 4 payments that the broker has acknowledged are there exactly once, to"
                                + " the cent, in each of 2 accounts (2 of them wait behind a poison"
                                + " message).");
    }

    @Test
    void aPaymentInTheRowOfAnotherAccountIsFoundThoughTheSumsAgree() {
        Comparison comparison =
                Comparison.of(
                        Map.of("a", ONE, "b", ONE), Map.of("a", new PaymentSum(2, 500)), Map.of());

        assertThat(comparison.different()).containsExactly("a", "b");
        assertThat(comparison.inWords()).startsWith("2 of 2 accounts are not what was sent, a ");
    }

    @Test
    void aCentAndARowThatNobodySentAreFound() {
        assertThat(Comparison.of(Map.of("a", ONE), Map.of("a", new PaymentSum(1, 251)), Map.of()))
                .returns(false, Comparison::isEqual);
        assertThat(Comparison.of(Map.of(), Map.of("a", ONE), Map.of()).different())
                .containsExactly("a");
    }
}
