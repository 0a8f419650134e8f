package dev.envelope.integration.containers;

import dev.envelope.idempotency.store.CheckpointsContract;
import dev.envelope.idempotency.store.StateStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("containers")
class StoreInContainerTest {

    @Nested
    class Rows extends StateStoreContract {
        @Override
        protected StoreFixture open() {
            return new PostgresFixture(PostgresContainer.server());
        }
    }

    @Nested
    class Checkpoints extends CheckpointsContract {
        @Override
        protected StoreFixture open() {
            return new PostgresFixture(PostgresContainer.server());
        }
    }
}
