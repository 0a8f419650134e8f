package dev.envelope.integration.containers;

import dev.envelope.idempotency.store.CheckpointsContract;
import dev.envelope.idempotency.store.OutboxStoreContract;
import dev.envelope.idempotency.store.StateStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.postgres.PostgresFixture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The contracts of the store, with the image of Postgres that people run. */
@Tag("containers")
@Tag("long")
class StoreInContainerTest {

    @Nested
    class Checkpoints extends CheckpointsContract {
        @Override
        protected StoreFixture open() {
            return fixture();
        }
    }

    @Nested
    class States extends StateStoreContract {
        @Override
        protected StoreFixture open() {
            return fixture();
        }
    }

    @Nested
    class Outbox extends OutboxStoreContract {
        @Override
        protected StoreFixture open() {
            return fixture();
        }
    }

    private static StoreFixture fixture() {
        return new PostgresFixture(PostgresContainer.server());
    }
}
