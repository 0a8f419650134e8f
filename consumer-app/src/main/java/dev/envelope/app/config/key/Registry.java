package dev.envelope.app.config.key;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All settings, in the order of the reference. */
public final class Registry {

    /** The prefix of settings for the Kafka clients. */
    public static final String KAFKA = "kafka.";

    private static final List<Key<?>> KEYS =
            Stream.of(
                            ReadKeys.KEYS,
                            TableKeys.KEYS,
                            SlotKeys.KEYS,
                            HandlerKeys.KEYS,
                            WorkKeys.KEYS,
                            StoreKeys.KEYS,
                            OutputKeys.KEYS,
                            GatewayKeys.KEYS,
                            LimitKeys.KEYS,
                            FailureKeys.KEYS,
                            OutboxKeys.KEYS,
                            OperationKeys.KEYS,
                            OperationKeys.OF_SETTINGS)
                    .<Key<?>>flatMap(Keys::declared)
                    .toList();

    private static final Map<String, Key<?>> BY_NAME =
            KEYS.stream().collect(Collectors.toUnmodifiableMap(Key::name, key -> key));

    private Registry() {}

    /** All settings with a name of their own. */
    public static List<Key<?>> keys() {
        return KEYS;
    }

    /** The settings of a group. */
    public static List<Key<?>> keys(Group group) {
        return KEYS.stream().filter(key -> key.group() == group).toList();
    }

    /** The names of all settings. */
    public static Set<String> names() {
        return BY_NAME.keySet();
    }

    /** The setting of this name. */
    public static Optional<Key<?>> find(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** The family that a name belongs to. */
    public static Optional<Family> family(String name) {
        return Family.ALL.stream().filter(family -> family.has(name)).findFirst();
    }

    /** The prefixes of names whose rest is up to the user. */
    public static Set<String> prefixes() {
        return Stream.concat(Family.ALL.stream().map(Family::prefix), Stream.of(KAFKA))
                .collect(Collectors.toUnmodifiableSet());
    }
}
