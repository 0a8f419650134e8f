package dev.envelope.integration.demo.payments;

/**
 * How many payments of an account, and what they add up to.
 *
 * <p>Threads: immutable.
 */
record PaymentSum(long payments, long cents) {

    static final PaymentSum NONE = new PaymentSum(0, 0);

    PaymentSum plus(PaymentSum other) {
        return new PaymentSum(payments + other.payments, Math.addExact(cents, other.cents));
    }
}
