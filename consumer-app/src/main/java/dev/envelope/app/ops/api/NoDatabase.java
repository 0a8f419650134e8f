package dev.envelope.app.ops.api;

import dev.envelope.app.http.Refused;
import dev.envelope.idempotency.store.operator.KeyCatalog;
import dev.envelope.idempotency.store.operator.LockCatalog;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.PauseCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog;

/** The operators' view of the database where there is none: callers are told so. */
public final class NoDatabase implements OperatorStore {

    private static final int CONFLICT = 409; // not 404, which would say that a key has no row

    private static Refused refused() {
        return new Refused(
                CONFLICT,
                "this process keeps nothing in a database (mode=work): there is none to ask");
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
        throw refused();
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
        throw refused();
    }

    @Override
    public void close() {}
}
