package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.CheckpointsContract;
import dev.envelope.idempotency.store.RefusedException;
import dev.envelope.idempotency.store.StoreFixture;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresCheckpointsTest extends CheckpointsContract {

    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }

    @Test
    void aCheckpointOfASourceThatWasDeletedIsNotTakenForSaved() {
        try (PostgresFixture fixture = new PostgresFixture()) {
            Checkpoints checkpoints = fixture.checkpoints();

            assertThatThrownBy(
                            () ->
                                    checkpoints.save(
                                            Map.of(77, new NextOffset(1, 1)),
                                            checkpoints.incarnation()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContaining("77");
        }
    }
}
