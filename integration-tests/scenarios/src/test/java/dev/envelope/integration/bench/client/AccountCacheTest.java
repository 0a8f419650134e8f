package dev.envelope.integration.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccountCacheTest {

    private final AccountCache cache = new AccountCache();

    @Test
    void whatWasUsedSinceTheLastGenerationIsStillThere() {
        Account first = new Account("first");
        cache.put(first);
        fill("a");
        assertThat(cache.get("first")).isSameAs(first);
        fill("b");
        assertThat(cache.get("first")).isSameAs(first);
    }

    @Test
    void whatNobodyUsesGoesAfterTwoGenerations() {
        cache.put(new Account("first"));
        fill("a");
        fill("b");
        assertThat(cache.get("first")).isNull();
    }

    private void fill(String prefix) {
        for (int i = 0; i < 100_000; i++) {
            cache.put(new Account(prefix + i));
        }
    }
}
