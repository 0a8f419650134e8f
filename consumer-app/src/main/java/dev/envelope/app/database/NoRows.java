package dev.envelope.app.database;

import dev.envelope.app.http.Refused;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog;

/** What operators see of a database with marks and without rows: what they hold back, and locks. */
final class NoRows implements OperatorStore {

    private static final int CONFLICT = 409; // not 404, which would say that a key has no row

    private final OperatorStore all;

    NoRows(OperatorStore all) {
        this.all = all;
    }

    private static Refused refused() {
        return new Refused(
                CONFLICT,
                "this application keeps no rows (mode=work): there are none to ask or to change");
    }

    @Override
    public KeyCatalog keys() {
        throw refused();
    }

    @Override
    public ParkedCatalog parked() {
        throw refused();
    }

    @Override
    public RequestCatalog requests() {
        throw refused();
    }

    @Override
    public PauseCatalog pauses() {
        return all.pauses();
    }

    @Override
    public StoppedCatalog stopped() {
        throw refused();
    }

    @Override
    public OutputCatalog outputs() {
        throw refused();
    }

    @Override
    public LockCatalog locks() {
        return all.locks();
    }

    @Override
    public void close() {
        all.close();
    }
}
