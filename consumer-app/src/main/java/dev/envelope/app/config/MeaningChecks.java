package dev.envelope.app.config;

import dev.envelope.app.config.key.FailureKeys;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.HandlerKeys.BuiltInHandler;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OutboxKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.ReadKeys.ValueFormat;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.config.value.DedupeId;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.idempotency.store.SchemaManagement;
import java.nio.file.Files;
import java.util.List;
import java.util.function.Predicate;

/** Finds settings that mean nothing without another, or that another needs. */
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
        workers();
    }

    private void handler() {
        if (settings.has(HandlerKeys.HANDLER, it -> it.is(BuiltInHandler.FOLD))
                && settings.ofFamily(Family.FOLD).findAny().isEmpty()) {
            findings.error(
                    HandlerKeys.HANDLER,
                    "needs at least one field",
                    "example: " + Family.FOLD.example());
        }
        if (settings.has(HandlerKeys.HANDLER, it -> !it.isOwnClass())
                && settings.has(ReadKeys.VALUE_FORMAT, it -> !isJson(it))) {
            findings.error(
                    ReadKeys.VALUE_FORMAT,
                    "the built-in handlers read JSON"
                            + findings.seen(HandlerKeys.HANDLER, ReadKeys.VALUE_FORMAT),
                    "value.format=json, or debezium for change events",
                    "other formats want a handler of your own");
        }
    }

    private static boolean isJson(Choice<ValueFormat> format) {
        return format.is(ValueFormat.JSON) || format.is(ValueFormat.DEBEZIUM);
    }

    private void families() {
        onlyWith(
                HandlerKeys.HANDLER,
                handler -> handler.is(BuiltInHandler.FOLD),
                Family.FOLD,
                "means nothing without handler=fold");
        onlyWith(
                HandlerKeys.HANDLER,
                Choice::isOwnClass,
                Family.HANDLER_CONFIG,
                "is only passed to a handler of your own");
        onlyWith(
                ReadKeys.KEY_FORMAT,
                Choice::isOwnClass,
                Family.KEY_DESERIALIZER,
                "means nothing unless key.format names a Deserializer");
        onlyWith(
                ReadKeys.VALUE_FORMAT,
                Choice::isOwnClass,
                Family.VALUE_DESERIALIZER,
                "means nothing unless value.format names a Deserializer");
    }

    private <T> void onlyWith(Key<T> key, Predicate<T> one, Family family, String why) {
        if (settings.has(key, one.negate())) {
            settings.ofFamily(family)
                    .forEach(it -> findings.error(it, why + findings.seen(key, it.origin())));
        }
    }

    private void handlerPath() {
        if (settings.find(HandlerKeys.HANDLER).isEmpty()) {
            return;
        }
        if (settings.has(HandlerKeys.HANDLER, Choice::isOwnClass)
                || settings.has(ReadKeys.KEY_FORMAT, Choice::isOwnClass)
                || settings.has(ReadKeys.VALUE_FORMAT, Choice::isOwnClass)) {
            settings.handlerPath().stream()
                    .filter(path -> !Files.isReadable(path))
                    .forEach(
                            path ->
                                    findings.error(
                                            HandlerKeys.HANDLER_PATH,
                                            "there is nothing to read at " + path));
        } else if (settings.isSet(HandlerKeys.HANDLER_PATH)) {
            findings.error(
                    HandlerKeys.HANDLER_PATH,
                    "is only searched for a handler or a deserializer of your own"
                            + findings.seen(HandlerKeys.HANDLER, HandlerKeys.HANDLER_PATH));
        }
    }

    private void keyScope() {
        if (settings.has(ReadKeys.TOPICS, topics -> topics.size() > 1)
                && !settings.isSet(ReadKeys.KEY_SCOPE)) {
            findings.conflict(
                    ReadKeys.TOPICS,
                    "there are several topics, so key.scope must say whether equal keys are one row",
                    "key.scope=topic keeps a row for each topic, key.scope=application shares one");
        }
    }

    private void dedupe() {
        unusedUnless(
                ReadKeys.DEDUPE_ID,
                id -> !(id instanceof DedupeId.None),
                List.of(ReadKeys.DEDUPE_WINDOW_MESSAGES, ReadKeys.DEDUPE_WINDOW_AGE),
                "means nothing without event ids",
                "dedupe.id=header:<name>, cloudevents or json:/pointer");
        if (settings.has(ReadKeys.VALUE_FORMAT, it -> !it.isOwnClass() && !isJson(it))
                && settings.has(ReadKeys.DEDUPE_ID, DedupeId.JsonPointer.class::isInstance)) {
            findings.error(
                    ReadKeys.DEDUPE_ID,
                    "looks into JSON, which the values are not"
                            + findings.seen(ReadKeys.VALUE_FORMAT, ReadKeys.DEDUPE_ID));
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
        needs(StoreKeys.MIGRATOR_PASSWORD, StoreKeys.MIGRATOR_USER);
        needs(StoreKeys.PASSWORD, StoreKeys.USER);
        if (!settings.isSet(StoreKeys.MIGRATOR_USER)) {
            return;
        }
        if (settings.isSet(StoreKeys.PASSWORD) && !settings.isSet(StoreKeys.MIGRATOR_PASSWORD)) {
            findings.warning(
                    StoreKeys.MIGRATOR_USER,
                    "is set without store.migrator.password, while store.user has a password");
        }
        if (settings.has(StoreKeys.SCHEMA_MANAGEMENT, SchemaManagement.NONE::equals)) {
            findings.warning(
                    StoreKeys.MIGRATOR_USER,
                    "is not used at start"
                            + findings.seen(StoreKeys.SCHEMA_MANAGEMENT, StoreKeys.MIGRATOR_USER)
                            + ", only by the command migrate");
        }
    }

    private void needs(Key<?> key, Key<?> other) {
        if (settings.isSet(key) && !settings.isSet(other)) {
            findings.error(key, "is set without " + other.name());
        }
    }

    private void deadLetters() {
        unusedUnless(
                FailureKeys.ON_FAILURE,
                FailurePolicy.Last.DEAD_LETTER::equals,
                List.of(OutboxKeys.TOPIC, OutboxKeys.HEADERS),
                "means nothing without dead letters",
                "on.failure=dead-letter");
        if (settings.has(FailureKeys.ON_FAILURE, FailurePolicy.Last.DEAD_LETTER::equals)
                && !settings.isSet(OutboxKeys.TOPIC)) {
            findings.error(
                    FailureKeys.ON_FAILURE,
                    "does not say where dead letters go",
                    "example: " + OutboxKeys.TOPIC.name() + "=" + OutboxKeys.TOPIC.example());
        }
        List<String> read = settings.find(ReadKeys.TOPICS).orElse(List.of());
        if (settings.has(OutboxKeys.TOPIC, read::contains)) {
            findings.error(
                    OutboxKeys.TOPIC,
                    "is read as well: its messages would fail and go there again"
                            + findings.seen(ReadKeys.TOPICS, OutboxKeys.TOPIC),
                    "name a topic of its own");
        }
    }

    private void workers() {
        if (settings.has(LimitKeys.POOL_KIND, kind -> !kind.areThere())) {
            findings.error(
                    LimitKeys.POOL_KIND,
                    "wants Java 21 or later, and this is Java " + Runtime.version().feature(),
                    "leave it out, or run a later Java");
        }
    }
}
