package dev.envelope.app.database;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.TableKeys;
import dev.envelope.idempotency.store.table.TableSettings;

/** Makes what is read of a table from the settings. */
public final class TableWiring {

    private TableWiring() {}

    /** The table; only with {@code source=table}. */
    public static TableSettings of(Settings settings) {
        return new TableSettings(
                settings.get(TableKeys.NAME),
                settings.get(TableKeys.KEY),
                settings.get(TableKeys.ID),
                settings.find(TableKeys.VALUE).orElse(null),
                settings.find(TableKeys.WHERE).orElse(null),
                settings.find(TableKeys.TIME).orElse(null),
                settings.find(TableKeys.DONE).orElse(null),
                settings.find(TableKeys.SLOT).orElse(null),
                settings.find(TableKeys.NOTIFY).orElse(null));
    }
}
