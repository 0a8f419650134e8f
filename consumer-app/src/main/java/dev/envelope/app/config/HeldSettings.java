package dev.envelope.app.config;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The settings that hold while a process runs: those of its start, and what was changed since.
 *
 * <p>Threads: thread-safe.
 */
public final class HeldSettings {

    private final List<Setting> started;
    private final Map<String, Setting> changed = new ConcurrentHashMap<>();

    /**
     * Those of the start.
     *
     * @param started all that hold, defaults included
     */
    public HeldSettings(List<Setting> started) {
        this.started = List.copyOf(started);
    }

    /** From now on this holds in place of the setting of that name. */
    public void change(Setting setting) {
        changed.put(setting.name(), setting);
    }

    /** All of them, in the order of the start. */
    public List<Setting> all() {
        return started.stream().map(it -> changed.getOrDefault(it.name(), it)).toList();
    }
}
