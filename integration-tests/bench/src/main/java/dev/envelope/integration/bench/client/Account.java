package dev.envelope.integration.bench.client;

import org.jspecify.annotations.Nullable;

/**
 * An account as the hand-written contestants keep it in memory: changed in place.
 *
 * <p>Threads: one at a time.
 */
final class Account implements Comparable<Account> {

    final String key;
    long balance;
    long count;
    long last;
    long hash;

    /** Whether the table has a row of it, or will have when the save under way has ended. */
    boolean stored;

    /** The batch that changed it last. */
    long batch;

    Account(String key) {
        this.key = key;
    }

    /** What it is now. */
    Account copy() {
        Account copy = new Account(key);
        copy.balance = balance;
        copy.count = count;
        copy.last = last;
        copy.hash = hash;
        return copy;
    }

    void apply(long sequence, long amount) {
        balance += amount;
        count++;
        last = sequence;
        hash = Balance.next(hash, sequence);
    }

    @Override
    public int compareTo(Account other) {
        return key.compareTo(other.key);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Account that && key.equals(that.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }
}
