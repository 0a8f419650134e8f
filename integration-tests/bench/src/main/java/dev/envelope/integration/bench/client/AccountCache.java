package dev.envelope.integration.bench.client;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accounts that were used last, in two generations: cheaper than a list of uses, and never
 * without those of the last two batches.
 *
 * <p>Threads: one at a time.
 */
final class AccountCache {

    private static final int GENERATION = 100_000;

    private Map<String, Account> young = new HashMap<>();
    private Map<String, Account> old = new HashMap<>();

    @Nullable Account get(String key) {
        Account account = young.get(key);
        if (account == null) {
            account = old.get(key);
            if (account != null) {
                put(account);
            }
        }
        return account;
    }

    void put(Account account) {
        if (young.size() >= GENERATION) {
            old = young;
            young = new HashMap<>();
        }
        young.put(account.key, account);
    }
}
