package dev.envelope.app.commands.options;

import dev.envelope.app.config.Setting;

/** A setting as commands print it. */
public record ShownSetting(String name, String value, String origin) {

    public static ShownSetting of(Setting setting) {
        return new ShownSetting(setting.name(), setting.shown(), setting.origin().describe());
    }
}
