package dev.envelope.app.process;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settings again, and applies those that may change while the process runs. Other changes
 * are named, and need a restart. If any setting is refused, nothing changes.
 *
 * <p>Threads: guarded by this; a signal or a request calls it.
 */
final class Reload implements Supplier<List<String>> {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private final Supplier<Settings> source;
    private final Map<Key<?>, Consumer<Settings>> takers;
    private final Consumer<String> told;
    private final HeldSettings shown;
    private Settings held;

    /**
     * @param held the present settings
     * @param source reads them again
     * @param takers apply the settings that may change while the process runs
     * @param told receives each change, for the timeline
     * @param shown the settings in effect, as they are shown
     */
    Reload(
            Settings held,
            Supplier<Settings> source,
            Map<Key<?>, Consumer<Settings>> takers,
            Consumer<String> told,
            HeldSettings shown) {
        this.held = held;
        this.source = source;
        this.takers = takers;
        this.told = told;
        this.shown = shown;
    }

    /**
     * Reads and applies them.
     *
     * @return what has changed, in lines
     */
    @Override
    public synchronized List<String> get() {
        Settings next;
        try {
            next = source.get();
        } catch (InvalidConfigException e) {
            log.error("settings were read again and refused, nothing is changed:");
            e.problems().render().lines().forEach(log::error);
            return List.of("refused, nothing is changed: " + e.problems().render());
        }
        List<String> changes = new ArrayList<>();
        for (String name : differing(next)) {
            String change = change(name, next);
            changes.add(change);
            told.accept("settings were read again: " + change);
        }
        if (changes.isEmpty()) {
            changes.add("nothing has changed");
        }
        held = next; // a change that needs a restart is reported once
        changes.forEach(line -> log.warn("settings were read again: {}", line));
        return changes;
    }

    private Set<String> differing(Settings next) {
        return Stream.concat(held.effective().stream(), next.effective().stream())
                .map(Setting::name)
                .filter(name -> !held.agreesWith(next, name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String change(String name, Settings next) {
        String before = shown(held, name);
        String after = shown(next, name);
        String line =
                before.equals(after)
                        ? name + " has another value"
                        : "%s %s -> %s".formatted(name, before, after);
        Optional<Key<?>> key = Registry.find(name).filter(Key::reloadable);
        if (key.isEmpty()) {
            return line + ", which wants a restart";
        }
        Objects.requireNonNull(takers.get(key.get()), name).accept(next);
        next.effective(name).ifPresent(shown::change);
        return line;
    }

    private static String shown(Settings settings, String name) {
        return settings.effective(name).map(Setting::shown).orElse("(unset)");
    }
}
