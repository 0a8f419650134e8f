package dev.envelope.app.process;

import dev.envelope.app.config.HeldSettings;
import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.handlers.GivenUpFields;
import dev.envelope.app.logging.LogLevels;
import dev.envelope.app.wiring.HandlerWiring;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settings again and takes over those that a running process can. What else has changed
 * is named, and waits for a restart; settings with a problem change nothing.
 *
 * <p>Threads: guarded by this; a signal or a request calls it.
 */
final class Reload implements Supplier<List<String>> {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private final Supplier<Settings> source;
    private final IntConsumer poolSize;
    private final IntConsumer keyRate;
    private final GivenUpFields givenUp;
    private final Consumer<String> told;
    private final HeldSettings shown;
    private Settings held;

    /**
     * @param held what holds now
     * @param source where they are read again
     * @param poolSize takes a number of workers
     * @param keyRate takes how many messages a second of any one key are handled
     * @param givenUp takes which fields of states are given up
     * @param told what has changed, for those who look back
     * @param shown where it is said what holds
     */
    Reload(
            Settings held,
            Supplier<Settings> source,
            IntConsumer poolSize,
            IntConsumer keyRate,
            GivenUpFields givenUp,
            Consumer<String> told,
            HeldSettings shown) {
        this.held = held;
        this.source = source;
        this.poolSize = poolSize;
        this.keyRate = keyRate;
        this.givenUp = givenUp;
        this.told = told;
        this.shown = shown;
    }

    /**
     * Does it.
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
        held = next; // what wants a restart is said once
        changes.forEach(line -> log.warn("settings were read again: {}", line));
        return changes;
    }

    private Set<String> differing(Settings next) {
        return Stream.concat(held.effective().stream(), next.effective().stream())
                .map(Setting::name)
                .filter(name -> !Objects.equals(shown(held, name), shown(next, name)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private String change(String name, Settings next) {
        String line = "%s %s -> %s".formatted(name, shown(held, name), shown(next, name));
        boolean takesEffect = Registry.find(name).map(Key::reloadable).orElse(false);
        if (!takesEffect) {
            return line + ", which wants a restart";
        }
        if (name.equals(LimitKeys.POOL_SIZE.name())) {
            poolSize.accept(next.get(LimitKeys.POOL_SIZE));
        } else if (name.equals(LimitKeys.KEY_MAX_RATE.name())) {
            keyRate.accept(next.get(LimitKeys.KEY_MAX_RATE));
        } else if (name.equals(HandlerKeys.HANDLER_DROP.name())) {
            givenUp.are(HandlerWiring.givenUp(next));
        } else if (name.equals(OperationKeys.LOG_LEVEL.name())) {
            LogLevels.set(next.get(OperationKeys.LOG_LEVEL).name());
        } else {
            throw new IllegalStateException(name + " is said to be reloadable, and nobody does it");
        }
        next.effective(name).ifPresent(shown::change);
        return line;
    }

    private static String shown(Settings settings, String name) {
        return settings.effective(name).map(Setting::shown).orElse("(unset)");
    }
}
