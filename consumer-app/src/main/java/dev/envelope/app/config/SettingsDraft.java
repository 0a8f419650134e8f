package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaReader;
import dev.envelope.app.config.kafka.KafkaSettings;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.source.Entry;
import dev.envelope.app.config.source.ResolvedEntry;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.ValueType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The settings while they are read: entries go in one by one, then the defaults.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class SettingsDraft {

    private final Map<String, Object> values = new LinkedHashMap<>();
    private final Map<String, Setting> effective = new LinkedHashMap<>();
    private final Map<Family, Map<String, String>> families = new LinkedHashMap<>();
    private final List<ResolvedEntry> kafkaEntries = new ArrayList<>();
    private final Surroundings surroundings;
    private final ProblemCollector problems;
    private KafkaSettings kafka;
    private Path handlerDirectory;

    SettingsDraft(Surroundings surroundings, ProblemCollector problems) {
        this.surroundings = surroundings;
        this.problems = problems;
        this.handlerDirectory = surroundings.workingDirectory();
        this.kafka = new KafkaReader(problems).read(List.of());
    }

    void add(ResolvedEntry written) {
        ResolvedEntry resolved = withoutQuotes(written);
        Entry entry = resolved.entry();
        String name = entry.key();
        if (name.startsWith(Registry.KAFKA)) {
            kafkaEntries.add(resolved);
            show(entry);
        } else if (Registry.find(name).isPresent()) {
            addKnown(Registry.find(name).get(), resolved);
        } else if (Registry.family(name).isPresent()) {
            addToFamily(Registry.family(name).get(), resolved);
        } else {
            unknown(entry);
        }
    }

    /** Notes that somebody set it, although its value could not be had. */
    void addUnresolved(Entry entry) {
        show(entry);
    }

    void complete(boolean isAllRead) {
        kafka = new KafkaReader(problems).read(kafkaEntries);
        Registry.keys().forEach(key -> addDefault(key, isAllRead));
    }

    Map<String, Object> values() {
        return values;
    }

    Map<String, Setting> effective() {
        return effective;
    }

    Map<Family, Map<String, String>> families() {
        return families;
    }

    KafkaSettings kafka() {
        return kafka;
    }

    Path handlerDirectory() {
        return handlerDirectory;
    }

    /** Gives a setting the default that depends on others. */
    void derive(Key<String> key, String value) {
        values.put(key.name(), value);
        effective.put(key.name(), new Setting(key.name(), value, Origin.unset()));
    }

    private void addKnown(Key<?> key, ResolvedEntry resolved) {
        show(resolved.entry());
        if (key == HandlerKeys.HANDLER_PATH) {
            handlerDirectory = resolved.entry().directory();
        }
        if (isClean(resolved, key.type())) {
            try {
                values.put(key.name(), key.type().parse(resolved.value()));
            } catch (BadValueException e) {
                error(
                        resolved.entry(),
                        resolved.entry().hasReference()
                                ? "does not stand for a value of its type, " + key.type().name()
                                : e.reason(),
                        allowed(key));
            }
        }
    }

    /**
     * Quotes are a mistake around all but secrets and what is only passed on; then go on within.
     */
    private ResolvedEntry withoutQuotes(ResolvedEntry resolved) {
        Entry entry = resolved.entry();
        String value = resolved.value();
        boolean isPassedOn =
                Registry.family(entry.key()).filter(it -> !it.equals(Family.FOLD)).isPresent();
        if (!Visible.isQuoted(value) || isPassedOn) {
            return resolved;
        }
        if (Secrecy.isSecret(entry.key())) {
            problems.warning(
                    entry.origin(), entry.key(), "stands in quotes, which count as part of it");
            return resolved;
        }
        error(entry, "stands in quotes, which count as part of it", "remove the quotes");
        return new ResolvedEntry(entry, value.substring(1, value.length() - 1));
    }

    private boolean isClean(ResolvedEntry resolved, ValueType<?> type) {
        String value = resolved.value();
        if (value.isEmpty()) {
            error(resolved.entry(), "has no value", "remove the line, or say what it is to be");
            return false;
        }
        if (Visible.hasOuterBlanks(value)) {
            if (type.secret()) {
                problems.warning(
                        resolved.entry().origin(),
                        resolved.entry().key(),
                        "begins or ends with a blank, which counts as part of it");
            } else {
                error(
                        resolved.entry(),
                        "begins or ends with a blank, shown as a dot",
                        "remove the blank");
                return false;
            }
        }
        return true;
    }

    private void addToFamily(Family family, ResolvedEntry resolved) {
        Entry entry = resolved.entry();
        String rest = family.restOf(entry.key());
        show(entry);
        if (!family.syntax().matcher(rest).matches()) {
            error(
                    entry,
                    "is not the name of a " + family.rest() + ": " + family.rule(),
                    "example: " + family.example());
        } else if (resolved.value().isBlank()) {
            error(entry, "has no value", "example: " + family.example());
        } else {
            families.computeIfAbsent(family, any -> new LinkedHashMap<>())
                    .put(rest, resolved.value());
        }
    }

    private void addDefault(Key<?> key, boolean isAllRead) {
        if (effective.containsKey(key.name())) {
            return;
        }
        if (key.required() && isAllRead) {
            problems.error(
                    Origin.unset(),
                    key.name(),
                    "is required, and not set",
                    "example: " + key.name() + "=" + key.example());
        }
        key.defaultText(surroundings)
                .ifPresent(
                        text -> {
                            values.put(key.name(), parseDefault(key, text));
                            effective.put(
                                    key.name(), new Setting(key.name(), text, Origin.unset()));
                        });
    }

    private static Object parseDefault(Key<?> key, String text) {
        try {
            return key.type().parse(text);
        } catch (BadValueException e) {
            throw new IllegalStateException("the default of " + key, e);
        }
    }

    private void unknown(Entry entry) {
        problems.error(
                entry.origin(),
                Visible.text(entry.key()),
                "there is no such setting",
                Suggestions.forUnknown(entry.key()));
    }

    private static String[] allowed(Key<?> key) {
        return Stream.concat(
                        Stream.of("allowed: " + key.type().allowed()),
                        key.defaultInWords().map(text -> "default: " + text).stream())
                .reduce((one, other) -> one + "; " + other)
                .stream()
                .toArray(String[]::new);
    }

    private void show(Entry entry) {
        effective.put(entry.key(), new Setting(entry.key(), Secrecy.shown(entry), entry.origin()));
    }

    private void error(Entry entry, String message, String... hints) {
        problems.error(
                entry.origin(), Visible.subject(entry.key(), Secrecy.shown(entry)), message, hints);
    }
}
