package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.OutboxStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PostgresOutboxStoreTest extends OutboxStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Test
    void twoProcessesOfOneNameDoNotShareALease() {
        try (StoreFixture fixture = open()) {
            OutboxStore one = fixture.outbox("same");
            OutboxStore other = fixture.outbox("same");

            assertThat(one.lead(Duration.ofMinutes(1))).isTrue();
            assertThat(other.lead(Duration.ofMinutes(1))).isFalse();
            other.leave();
            assertThat(one.lead(Duration.ofMinutes(1))).as("its own, still").isTrue();
            one.leave();
            assertThat(other.lead(Duration.ofMinutes(1))).isTrue();
        }
    }
}
