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
import org.jspecify.annotations.Nullable;

/**
 * What operators see of an application without rows: what they hold back, and locks, if it has a
 * database. Who asks for more is told that there is none.
 */
public final class WithoutRows implements OperatorStore {

    private static final int CONFLICT = 409; // not 404, which would say that a key has no row

    private final @Nullable OperatorStore marks;

    private WithoutRows(@Nullable OperatorStore marks) {
        this.marks = marks;
    }

    /** Nothing. */
    public static OperatorStore andWithoutDatabase() {
        return new WithoutRows(null);
    }

    /** The same of a database that has marks. */
    static OperatorStore of(OperatorStore marks) {
        return new WithoutRows(marks);
    }

    private Refused refused() {
        return new Refused(
                CONFLICT,
                marks == null
                        ? "this process keeps nothing in a database (mode=work): there is none to ask"
                        : "this application keeps no rows (mode=work): there are none to ask or to"
                                + " change");
    }

    private OperatorStore marks() {
        if (marks == null) {
            throw refused();
        }
        return marks;
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
        return marks().pauses();
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
        return marks().locks();
    }

    @Override
    public void close() {
        if (marks != null) {
            marks.close();
        }
    }
}
