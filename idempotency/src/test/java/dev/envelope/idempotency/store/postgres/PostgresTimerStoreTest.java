package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.TimerStoreContract;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.timer.Timer;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PostgresTimerStoreTest extends TimerStoreContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Test
    void aTimeIsRoundedUpToMicrosecondsSoThatNoTimerIsEarly() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Timer timer =
                    Timer.set(
                            "it",
                            Messages.parked(1, 0, "a").message(),
                            1,
                            Instant.parse("2026-01-01T00:00:00.000001001Z"),
                            new byte[0]);
            HandlerEffects effects = new HandlerEffects(List.of(), List.of(timer), List.of());

            fixture.states()
                    .save(
                            List.of(Messages.change("a", Snapshot.ABSENT, effects)),
                            Patience.WAIT,
                            fixture.checkpoints().incarnation());

            String dueAt =
                    "SELECT to_char(due_at AT TIME ZONE 'UTC', 'HH24:MI:SS.US') FROM %s.timer"
                            .formatted(fixture.settings().schema());
            assertThat(fixture.server().query(dueAt)).isEqualTo("00:00:00.000002");
        }
    }
}
