package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaSettings;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.TableKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.problem.ConfigProblems;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.core.ConsumerSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The settings of a process, checked and typed, each with its origin. */
public final class Settings {

    /** More are opened for calls of a handler only where somebody has said so. */
    static final int MOST_CONNECTIONS_UNASKED = 50;

    private static final int FINGERPRINT_DIGITS = 12;

    private final Map<String, Object> values;
    private final Map<String, Setting> effective;
    private final Map<Family, Map<String, String>> families;
    private final Path handlerDirectory;
    private final KafkaSettings kafka;
    private final ConfigProblems warnings;

    Settings(
            Map<String, Object> values,
            Map<String, Setting> effective,
            Map<Family, Map<String, String>> families,
            Path handlerDirectory,
            KafkaSettings kafka,
            ConfigProblems warnings) {
        this.values = Map.copyOf(values);
        this.effective = Collections.unmodifiableMap(new LinkedHashMap<>(effective));
        this.families = Map.copyOf(families);
        this.handlerDirectory = handlerDirectory;
        this.kafka = kafka;
        this.warnings = warnings;
    }

    /** The same, with these warnings. */
    Settings with(ConfigProblems doubts) {
        return new Settings(values, effective, families, handlerDirectory, kafka, doubts);
    }

    /**
     * The value of a setting that is required or has a default.
     *
     * @throws IllegalStateException when it has no value; use {@link #find} for the others
     */
    public <T> T get(Key<T> key) {
        return find(key).orElseThrow(() -> new IllegalStateException(key + " has no value"));
    }

    /** The value of a setting, if it has one. */
    @SuppressWarnings("unchecked") // a value is only ever put in by its key's own type
    public <T> Optional<T> find(Key<T> key) {
        return Optional.ofNullable((T) values.get(key.name()));
    }

    /** Whether a setting has a value that matches. */
    public <T> boolean has(Key<T> key, Predicate<? super T> what) {
        return find(key).filter(what).isPresent();
    }

    /** Where the value of a setting comes from. */
    public Origin origin(Key<?> key) {
        Setting setting = effective.get(key.name());
        return setting == null ? Origin.unset() : setting.origin();
    }

    /** Whether it was set, and not left at its default. */
    public boolean isSet(Key<?> key) {
        return !origin(key).equals(Origin.unset());
    }

    /** The settings of a family, without their prefix, in the order in which they were set. */
    public Map<String, String> family(Family family) {
        return families.getOrDefault(family, Map.of());
    }

    /** The settings of a family, valid or not. */
    Stream<Setting> ofFamily(Family family) {
        return effective.values().stream().filter(setting -> family.has(setting.name()));
    }

    /** The settings that are passed to the Kafka clients. */
    public KafkaSettings kafka() {
        return kafka;
    }

    /** The number of shards: as set, or by the number of workers. */
    public int shards() {
        int set = get(LimitKeys.POOL_SHARDS);
        return set > 0 ? set : ConsumerSettings.shardsFor(mostWorkers());
    }

    /** The most workers that there are unless an operator adds some. */
    public int mostWorkers() {
        return Math.max(get(LimitKeys.POOL_SIZE), get(LimitKeys.POOL_SIZE_MAX));
    }

    /**
     * How many connections load and save rows or, where each call of the handler has one, how many
     * of these may be under way.
     */
    public int connections() {
        boolean isOfCalls = get(WorkKeys.DEDUPE) == WorkKeys.Dedupe.STORE;
        return isOfCalls && !isSet(StoreKeys.CONNECTIONS)
                ? Math.min(mostWorkers(), MOST_CONNECTIONS_UNASKED)
                : get(StoreKeys.CONNECTIONS);
    }

    /** Where a user's own handler is looked for, besides the class path. */
    public List<Path> handlerPath() {
        return find(HandlerKeys.HANDLER_PATH).orElse(List.of()).stream()
                .map(handlerDirectory::resolve)
                .map(Path::normalize)
                .toList();
    }

    /** Whether a table is read, and no topics. */
    public boolean isOfTable() {
        return has(TableKeys.SOURCE, TableKeys.Source.TABLE::equals);
    }

    /** Whether there are brokers: always, unless a table is read. */
    public boolean hasBrokers() {
        return find(ReadKeys.BOOTSTRAP_SERVERS).isPresent();
    }

    /** Whether there is a database, for rows or for what the handler writes itself. */
    public boolean hasStore() {
        return has(WorkKeys.MODE, WorkKeys.Mode.ROWS::equals)
                || has(WorkKeys.DEDUPE, WorkKeys.Dedupe.STORE::equals);
    }

    /** What is doubtful but was accepted. */
    public ConfigProblems warnings() {
        return warnings;
    }

    /** All settings in effect, defaults included, with secrets masked. */
    public List<Setting> effective() {
        return List.copyOf(effective.values());
    }

    /** A setting in effect, by its name, with secrets masked. */
    public Optional<Setting> effective(String name) {
        return Optional.ofNullable(effective.get(name));
    }

    /** Whether a setting has the same value in both, secret or not. */
    public boolean agreesWith(Settings other, String name) {
        return Objects.equals(values.get(name), other.values.get(name))
                && effective(name)
                        .map(Setting::shown)
                        .equals(other.effective(name).map(Setting::shown));
    }

    /** The text of a setting in effect, with secrets masked; empty when there is none. */
    String shown(Key<?> key) {
        return effective(key.name()).map(Setting::shown).orElse("");
    }

    /** A short digest of the effective settings; secrets do not enter it. */
    public String fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            effective.values().stream()
                    .map(setting -> setting.name() + "=" + setting.shown() + "\n")
                    .sorted()
                    .forEach(line -> digest.update(line.getBytes(StandardCharsets.UTF_8)));
            return HexFormat.of().formatHex(digest.digest()).substring(0, FINGERPRINT_DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Names and texts that may be shown. */
    @Override
    public String toString() {
        return effective.values().toString();
    }
}
