package dev.envelope.integration.architecture.broken.core.fetch;

import dev.envelope.integration.architecture.broken.core.api.Door;
import dev.envelope.integration.architecture.broken.idempotency.Rows;
import java.io.ObjectInputStream;
import java.sql.Connection;

/** A core that knows everybody, speaks to the database, and looks at the clock. */
public interface Loop {

    Door door();

    Rows rows();

    Connection database();

    ObjectInputStream fromStrangers();

    static long now() {
        return System.nanoTime();
    }
}
