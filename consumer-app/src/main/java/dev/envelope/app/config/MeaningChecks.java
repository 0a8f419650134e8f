package dev.envelope.app.config;

import static dev.envelope.app.config.key.FailureKeys.ON_FAILURE;
import static dev.envelope.app.config.key.Family.FOLD;
import static dev.envelope.app.config.key.Family.HANDLER_CONFIG;
import static dev.envelope.app.config.key.Family.KEY_DESERIALIZER;
import static dev.envelope.app.config.key.Family.VALUE_DESERIALIZER;
import static dev.envelope.app.config.key.HandlerKeys.HANDLER;
import static dev.envelope.app.config.key.HandlerKeys.HANDLER_PATH;
import static dev.envelope.app.config.key.LimitKeys.POOL_KIND;
import static dev.envelope.app.config.key.ReadKeys.DEDUPE_ID;
import static dev.envelope.app.config.key.ReadKeys.DEDUPE_WINDOW_AGE;
import static dev.envelope.app.config.key.ReadKeys.DEDUPE_WINDOW_MESSAGES;
import static dev.envelope.app.config.key.ReadKeys.KEY_FORMAT;
import static dev.envelope.app.config.key.ReadKeys.KEY_SCOPE;
import static dev.envelope.app.config.key.ReadKeys.TOPICS;
import static dev.envelope.app.config.key.ReadKeys.VALUE_FORMAT;
import static dev.envelope.app.config.key.StoreKeys.MIGRATOR_PASSWORD;
import static dev.envelope.app.config.key.StoreKeys.MIGRATOR_USER;
import static dev.envelope.app.config.key.StoreKeys.SCHEMA_MANAGEMENT;

import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys.BuiltInHandler;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.OutputKeys;
import dev.envelope.app.config.key.ReadKeys.ValueFormat;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.config.value.DedupeId;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.idempotency.store.SchemaManagement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;

/** Finds settings that have no effect without another, and missing ones that another needs. */
final class MeaningChecks {

    private final Settings settings;
    private final Findings findings;

    MeaningChecks(Settings settings, Findings findings) {
        this.settings = settings;
        this.findings = findings;
    }

    void check() {
        handler();
        families();
        handlerPath();
        keyScope();
        dedupe();
        store();
        deadLetters();
        changelog();
        workers();
    }

    private void handler() {
        if (settings.has(HANDLER, it -> it.is(BuiltInHandler.FOLD))
                && settings.ofFamily(FOLD).findAny().isEmpty()) {
            findings.error(HANDLER, "needs at least one field", "example: " + FOLD.example());
        }
        if (settings.has(HANDLER, it -> it.is(BuiltInHandler.FOLD) || it.is(BuiltInHandler.LATEST))
                && settings.has(VALUE_FORMAT, it -> !isJson(it))) {
            findings.error(
                    VALUE_FORMAT,
                    "the built-in handlers read JSON",
                    HANDLER,
                    "value.format=json, or debezium for change events",
                    "other formats want a handler of your own");
        }
    }

    private static boolean isJson(Choice<ValueFormat> format) {
        return format.is(ValueFormat.JSON) || format.is(ValueFormat.DEBEZIUM);
    }

    private void families() {
        onlyWith(
                HANDLER,
                it -> it.is(BuiltInHandler.FOLD),
                FOLD,
                "means nothing without handler=fold");
        onlyWith(
                HANDLER,
                Choice::isOwnClass,
                HANDLER_CONFIG,
                "is only passed to a handler of your own");
        String unnamed = "means nothing unless %s.format names a Deserializer";
        onlyWith(KEY_FORMAT, Choice::isOwnClass, KEY_DESERIALIZER, unnamed.formatted("key"));
        onlyWith(VALUE_FORMAT, Choice::isOwnClass, VALUE_DESERIALIZER, unnamed.formatted("value"));
    }

    private <T> void onlyWith(Key<T> key, Predicate<T> one, Family family, String why) {
        if (settings.has(key, one.negate())) {
            settings.ofFamily(family)
                    .forEach(it -> findings.error(it, why + findings.seen(key, it.origin())));
        }
    }

    private void handlerPath() {
        if (settings.find(HANDLER).isEmpty()) {
            return;
        }
        if (settings.has(HANDLER, Choice::isOwnClass)
                || settings.has(KEY_FORMAT, Choice::isOwnClass)
                || settings.has(VALUE_FORMAT, Choice::isOwnClass)) {
            for (Path path : settings.handlerPath()) {
                if (!Files.isReadable(path)) {
                    findings.error(HANDLER_PATH, "there is nothing to read at " + path);
                }
            }
        } else if (settings.isSet(HANDLER_PATH)) {
            findings.error(
                    HANDLER_PATH,
                    "is only searched for a handler or a deserializer of your own",
                    HANDLER);
        }
    }

    private void keyScope() {
        if (settings.has(TOPICS, it -> it.size() > 1)
                && !settings.isSet(KEY_SCOPE)
                && settings.has(WorkKeys.MODE, WorkKeys.Mode.ROWS::equals)) {
            findings.conflict(
                    TOPICS,
                    "there are several topics, so key.scope must say whether equal keys are one row",
                    "key.scope=topic keeps a row for each topic, key.scope=application shares one");
        }
    }

    private void dedupe() {
        unusedUnless(
                DEDUPE_ID,
                it -> !(it instanceof DedupeId.None),
                List.of(DEDUPE_WINDOW_MESSAGES, DEDUPE_WINDOW_AGE),
                "means nothing without event ids",
                "dedupe.id=header:<name>, cloudevents or json:/pointer");
        if (settings.has(VALUE_FORMAT, it -> !it.isOwnClass() && !isJson(it))
                && settings.has(DEDUPE_ID, DedupeId.JsonPointer.class::isInstance)) {
            findings.error(DEDUPE_ID, "looks into JSON, which the values are not", VALUE_FORMAT);
        }
    }

    private <T> void unusedUnless(
            Key<T> key, Predicate<T> one, List<Key<?>> unused, String why, String hint) {
        if (settings.has(key, one.negate())) {
            unused.stream()
                    .filter(settings::isSet)
                    .forEach(it -> findings.warning(it, why + findings.seen(key, it), hint));
        }
    }

    private void store() {
        needs(MIGRATOR_PASSWORD, MIGRATOR_USER);
        needs(StoreKeys.PASSWORD, StoreKeys.USER);
        if (!settings.isSet(MIGRATOR_USER)) {
            return;
        }
        if (settings.isSet(StoreKeys.PASSWORD) && !settings.isSet(MIGRATOR_PASSWORD)) {
            findings.warning(
                    MIGRATOR_USER,
                    "is set without store.migrator.password, while store.user has a password");
        }
        if (settings.has(SCHEMA_MANAGEMENT, SchemaManagement.NONE::equals)) {
            findings.warning(
                    MIGRATOR_USER,
                    "is not used at start"
                            + findings.seen(SCHEMA_MANAGEMENT, MIGRATOR_USER)
                            + ", only by the command migrate");
        }
    }

    private void needs(Key<?> key, Key<?> other) {
        if (settings.isSet(key) && !settings.isSet(other)) {
            findings.error(key, "is set without " + other.name());
        }
    }

    private void deadLetters() {
        Key<String> topic = OutboxKeys.TOPIC;
        unusedUnless(
                ON_FAILURE,
                FailurePolicy.Last.DEAD_LETTER::equals,
                List.of(topic, OutboxKeys.HEADERS),
                "means nothing without dead letters",
                "on.failure=dead-letter");
        if (settings.has(ON_FAILURE, FailurePolicy.Last.DEAD_LETTER::equals)
                && !settings.isSet(topic)) {
            findings.error(
                    ON_FAILURE,
                    "does not say where dead letters go",
                    "example: " + topic.name() + "=" + topic.example());
        }
        if (settings.has(topic, settings.find(TOPICS).orElse(List.of())::contains)) {
            findings.error(
                    topic,
                    "is read as well: its messages would fail and go there again",
                    TOPICS,
                    "name a topic of its own");
        }
    }

    private void changelog() {
        Key<String> topic = OutputKeys.EMIT_TOPIC;
        if (settings.has(topic, settings.find(TOPICS).orElse(List.of())::contains)) {
            findings.error(
                    topic,
                    "is read as well: each state would come back as a message",
                    TOPICS,
                    "name a topic of its own");
        }
    }

    private void workers() {
        if (settings.has(POOL_KIND, kind -> !kind.areThere())) {
            findings.error(
                    POOL_KIND,
                    "wants Java 21 or later, and this is Java " + Runtime.version().feature(),
                    "leave it out, or run a later Java");
        }
    }
}
