package dev.envelope.app.config;

import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.BadValueException;
import java.util.Locale;

/** Finds the schema's name in the application's, where nobody has set one. */
final class SchemaName {

    private SchemaName() {}

    static void derive(SettingsDraft draft, ProblemCollector problems) {
        Object applicationId = draft.values().get(ReadKeys.APPLICATION_ID.name());
        if (applicationId == null || draft.effective().containsKey(StoreKeys.SCHEMA.name())) {
            return;
        }
        String name = of(applicationId.toString());
        try {
            draft.derive(StoreKeys.SCHEMA, StoreKeys.SCHEMA.type().parse(name));
        } catch (BadValueException e) {
            Setting setting = draft.effective().get(ReadKeys.APPLICATION_ID.name());
            problems.error(
                    setting == null ? Origin.unset() : setting.origin(),
                    Visible.subject(ReadKeys.APPLICATION_ID.name(), applicationId.toString()),
                    "gives the database schema the name \"" + name + "\", which " + e.reason(),
                    "set store.schema to a name of your choice");
        }
    }

    static String of(String applicationId) {
        return applicationId.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
    }
}
