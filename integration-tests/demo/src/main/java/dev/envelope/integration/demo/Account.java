package dev.envelope.integration.demo;

/**
 * How many payments of an account, and what they add up to.
 *
 * <p>Threads: immutable.
 */
record Account(long payments, long cents) {

    static final Account NONE = new Account(0, 0);

    Account plus(Account other) {
        return new Account(payments + other.payments, Math.addExact(cents, other.cents));
    }
}
