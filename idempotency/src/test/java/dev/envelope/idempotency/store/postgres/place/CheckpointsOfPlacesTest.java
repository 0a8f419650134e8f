package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.CheckpointsContract;
import dev.envelope.idempotency.store.StoreFixture;
import java.util.List;

/** What a store of checkpoints owes its callers holds for those of three places. */
class CheckpointsOfPlacesTest extends CheckpointsContract {

    @Override
    protected StoreFixture open() {
        return new PlacesFixture(new Division(List.of(0, 1, 2)));
    }
}
