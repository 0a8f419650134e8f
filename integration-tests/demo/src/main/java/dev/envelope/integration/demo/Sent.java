package dev.envelope.integration.demo;

import java.util.HashMap;
import java.util.Map;

/**
 * The payments that the broker has acknowledged, by account.
 *
 * <p>Threads: guarded by this.
 */
final class Sent {

    private final Map<String, Account> accounts = new HashMap<>();
    private long payments;

    synchronized void add(String key, long cents) {
        accounts.merge(key, new Account(1, cents), Account::plus);
        payments++;
    }

    synchronized long payments() {
        return payments;
    }

    synchronized Map<String, Account> accounts() {
        return Map.copyOf(accounts);
    }
}
