package dev.envelope.idempotency.store.pin;

import dev.envelope.idempotency.store.table.TableSettings;
import org.jspecify.annotations.Nullable;

/** The number of slots as a pin. */
public final class SlotPins {

    public static final String SLOTS = "slots";

    private SlotPins() {}

    /**
     * Its name: a table is divided by itself, since others may read topics into the same rows.
     *
     * @param table null if topics are divided
     */
    public static String name(@Nullable TableSettings table) {
        return table == null ? SLOTS : SLOTS + "." + table.table();
    }
}
