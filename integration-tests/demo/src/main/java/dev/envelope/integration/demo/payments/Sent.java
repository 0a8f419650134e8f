package dev.envelope.integration.demo.payments;

import java.util.HashMap;
import java.util.Map;

/**
 * The payments that the broker has acknowledged, by account.
 *
 * <p>Threads: guarded by this.
 */
final class Sent {

    private final Map<String, PaymentSum> accounts = new HashMap<>();
    private long payments;

    synchronized void add(String key, long cents) {
        accounts.merge(key, new PaymentSum(1, cents), PaymentSum::plus);
        payments++;
    }

    synchronized long payments() {
        return payments;
    }

    synchronized Map<String, PaymentSum> accounts() {
        return Map.copyOf(accounts);
    }
}
