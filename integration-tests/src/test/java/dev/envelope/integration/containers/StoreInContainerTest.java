package dev.envelope.integration.containers;

import dev.envelope.idempotency.store.CheckpointsContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The smaller contract alone: rows are what is saved in containers by the tests beside this one.
 */
@Tag("containers")
class StoreInContainerTest {

    @Nested
    class Checkpoints extends CheckpointsContract {
        @Override
        protected StoreFixture open() {
            return new PostgresFixture(PostgresContainer.server());
        }
    }
}
