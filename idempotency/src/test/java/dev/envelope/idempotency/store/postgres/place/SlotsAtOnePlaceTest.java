package dev.envelope.idempotency.store.postgres.place;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.StateStoreContract;
import dev.envelope.idempotency.store.StoreFixture;
import java.util.List;

/** What a store of rows owes its callers holds where a save is about several schemas. */
class SlotsAtOnePlaceTest extends StateStoreContract {

    @Override
    protected StoreFixture open() {
        return new PlacesFixture(new Division(List.of(0, 0)));
    }
}
