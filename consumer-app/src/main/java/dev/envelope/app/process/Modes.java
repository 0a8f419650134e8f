package dev.envelope.app.process;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.handlers.expression.GivenUpFields;

/** Makes the mode that the settings name. */
public final class Modes {

    private Modes() {}

    /**
     * The mode with its handler; no server is asked yet.
     *
     * @param instance the name of this process
     * @param givenUp receives the fields of states that are given up; a reload may change them
     * @throws InvalidConfigException if there is no such handler, or it can't be used
     */
    public static Mode of(Settings settings, String instance, GivenUpFields givenUp) {
        return settings.get(WorkKeys.MODE) == WorkKeys.Mode.WORK
                ? new WorkMode(settings, instance)
                : new RowsMode(settings, instance, givenUp);
    }
}
