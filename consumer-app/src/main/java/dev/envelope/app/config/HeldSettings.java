package dev.envelope.app.config;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The settings in effect: those of the start, with the changes since.
 *
 * <p>Threads: thread-safe.
 */
public final class HeldSettings {

    private final List<Setting> started;
    private final Map<String, Setting> changed = new ConcurrentHashMap<>();

    /**
     * Begins with the settings of the start.
     *
     * @param started all settings in effect, defaults included
     */
    public HeldSettings(List<Setting> started) {
        this.started = List.copyOf(started);
    }

    /** Replaces the setting of that name. */
    public void change(Setting setting) {
        changed.put(setting.name(), setting);
    }

    /** All of them, in the order of the start. */
    public List<Setting> all() {
        return started.stream().map(it -> changed.getOrDefault(it.name(), it)).toList();
    }
}
