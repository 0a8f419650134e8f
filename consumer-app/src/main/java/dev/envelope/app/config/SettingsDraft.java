package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaReader;
import dev.envelope.app.config.kafka.KafkaSettings;
import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.key.TableKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.ValueType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings while they are read: entries go in one by one, then the defaults.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class SettingsDraft {

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, Setting> effective = new LinkedHashMap<>();
    private final Map<Family, Map<String, String>> families = new LinkedHashMap<>();
    private final List<Entry> kafkaEntries = new ArrayList<>();
    private final ProblemCollector problems;
    private Path handlerDirectory;

    SettingsDraft(Path workingDirectory, ProblemCollector problems) {
        this.handlerDirectory = workingDirectory;
        this.problems = problems;
    }

    /** Adds an entry whose references are resolved. */
    void add(Entry written) {
        Entry entry = withoutQuotes(written);
        String name = entry.key();
        Optional<Key<?>> key = Registry.find(name);
        Optional<Family> family = Registry.family(name);
        if (name.startsWith(Registry.KAFKA)) {
            kafkaEntries.add(entry);
        } else if (key.isPresent()) {
            addKnown(key.get(), entry);
        } else if (family.isPresent()) {
            addToFamily(family.get(), entry);
        } else {
            problems.error(
                    entry.origin(),
                    Visible.text(name),
                    "there is no such setting",
                    Suggestions.forUnknown(name));
        }
    }

    /** Records that it was set, even if its value can't be resolved. */
    void show(Entry entry) {
        put(entry.key(), Secrecy.shown(entry), entry.origin());
    }

    /**
     * The settings from all entries, with defaults.
     *
     * @param isAllRead false if a file could not be read: what seems unset may be set in it
     */
    Settings complete(Surroundings surroundings, boolean isAllRead) {
        KafkaSettings kafka = new KafkaReader(problems).read(kafkaEntries);
        Registry.keys().stream()
                .filter(key -> !effective.containsKey(key.name()))
                .forEach(key -> addDefault(key, surroundings, isAllRead));
        nameSchema();
        return new Settings(
                values, effective, families, handlerDirectory, kafka, problems.problems());
    }

    private void addKnown(Key<?> key, Entry entry) {
        if (key == HandlerKeys.HANDLER_PATH) {
            handlerDirectory = entry.directory();
        }
        if (isClean(entry, key.type())) {
            try {
                values.put(key.name(), key.type().parse(entry.value()));
            } catch (BadValueException e) {
                error(
                        entry,
                        entry.hasReference()
                                ? "does not stand for a value of its type, " + key.type().name()
                                : e.reason(),
                        "allowed: "
                                + key.type().allowed()
                                + key.defaultInWords()
                                        .map(text -> "; default: " + text)
                                        .orElse(""));
            }
        }
    }

    /** Reports quotes and removes them, except around secrets and texts that are only passed on. */
    private Entry withoutQuotes(Entry entry) {
        boolean isPassedOn =
                Registry.family(entry.key()).filter(it -> !it.equals(Family.FOLD)).isPresent();
        if (!Visible.isQuoted(entry.value()) || isPassedOn) {
            return entry;
        }
        if (Secrecy.isSecret(entry.key())) {
            warning(entry, "stands in quotes, which count as part of it");
            return entry;
        }
        error(entry, "stands in quotes, which count as part of it", "remove the quotes");
        return entry.with(entry.value().substring(1, entry.value().length() - 1));
    }

    private boolean isClean(Entry entry, ValueType<?> type) {
        if (entry.value().isEmpty()) {
            error(entry, "has no value", "remove the line, or say what it is to be");
        } else if (!Visible.hasOuterBlanks(entry.value())) {
            return true;
        } else if (type.secret()) {
            warning(entry, "begins or ends with a blank, which counts as part of it");
            return true;
        } else {
            error(entry, "begins or ends with a blank, shown as a dot", "remove the blank");
        }
        return false;
    }

    private void addToFamily(Family family, Entry entry) {
        String rest = family.restOf(entry.key());
        String example = "example: " + family.example();
        if (!family.syntax().matcher(rest).matches()) {
            error(entry, "is not the name of a " + family.rest() + ": " + family.rule(), example);
        } else if (entry.value().isBlank()) {
            error(entry, "has no value", example);
        } else {
            families.computeIfAbsent(family, any -> new LinkedHashMap<>()).put(rest, entry.value());
        }
    }

    private void addDefault(Key<?> key, Surroundings surroundings, boolean isAllRead) {
        if (key.required()
                && isAllRead
                && !(isWork() && WorkKeys.isIdle(key, isDeduped()))
                && !(isTable() && (key.isOfTopics() || key.isOfBrokers()))) {
            problems.error(
                    Origin.unset(),
                    key.name(),
                    "is required, and not set",
                    "example: " + key.name() + "=" + key.example());
        }
        defaultText(key, surroundings)
                .ifPresent(
                        text -> {
                            try {
                                addUnset(key, text);
                            } catch (BadValueException e) {
                                throw new IllegalStateException("the default of " + key, e);
                            }
                        });
    }

    private Optional<String> defaultText(Key<?> key, Surroundings surroundings) {
        if (isWork() && key == FailureKeys.ON_FAILURE) { // there is no row to park a message behind
            boolean hasTopic = effective.containsKey(OutboxKeys.TOPIC.name());
            return Optional.of(hasTopic ? "dead-letter" : "stop");
        }
        return key.defaultText(surroundings);
    }

    private boolean isDeduped() {
        return values.get(WorkKeys.DEDUPE.name()) == WorkKeys.Dedupe.STORE;
    }

    private boolean isWork() {
        return values.get(WorkKeys.MODE.name()) == WorkKeys.Mode.WORK;
    }

    private boolean isTable() {
        return values.get(TableKeys.SOURCE.name()) == TableKeys.Source.TABLE;
    }

    /** Names the schema after the application, if it is not set. */
    private void nameSchema() {
        Object application = values.get(ReadKeys.APPLICATION_ID.name());
        if ((isWork() && !isDeduped())
                || application == null
                || effective.containsKey(StoreKeys.SCHEMA.name())) {
            return;
        }
        String name = application.toString().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
        try {
            addUnset(StoreKeys.SCHEMA, name);
        } catch (BadValueException e) {
            problems.error(
                    Optional.ofNullable(effective.get(ReadKeys.APPLICATION_ID.name()))
                            .map(Setting::origin)
                            .orElseGet(Origin::unset),
                    Visible.subject(ReadKeys.APPLICATION_ID.name(), application.toString()),
                    "gives the database schema the name \"" + name + "\", which " + e.reason(),
                    "set store.schema to a name of your choice");
        }
    }

    private void addUnset(Key<?> key, String text) throws BadValueException {
        values.put(key.name(), key.type().parse(text));
        put(key.name(), text, Origin.unset());
    }

    private void put(String name, String shown, Origin origin) {
        effective.put(name, new Setting(name, shown, origin));
    }

    private void warning(Entry entry, String message) {
        problems.warning(entry.origin(), entry.key(), message);
    }

    private void error(Entry entry, String message, String... hints) {
        problems.error(
                entry.origin(), Visible.subject(entry.key(), Secrecy.shown(entry)), message, hints);
    }
}
