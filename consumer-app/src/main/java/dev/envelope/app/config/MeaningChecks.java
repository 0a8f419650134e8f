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
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.problem.Visible;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.config.value.DedupeId;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.idempotency.store.SchemaManagement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Finds settings that mean nothing without another, or that another needs.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class MeaningChecks {

    private final Settings settings;
    private final ProblemCollector problems;

    MeaningChecks(Settings settings, ProblemCollector problems) {
        this.settings = settings;
        this.problems = problems;
    }

    void check() {
        handler();
        formats();
        keyScope();
        dedupe();
        store();
        deadLetters();
        workers();
    }

    private void workers() {
        settings.find(LimitKeys.POOL_KIND)
                .filter(kind -> !kind.areThere())
                .ifPresent(
                        kind ->
                                error(
                                        LimitKeys.POOL_KIND,
                                        "wants Java 21 or later, and this is Java "
                                                + Runtime.version().feature(),
                                        "leave it out, or run a later Java"));
    }

    private void handler() {
        Optional<Choice<BuiltInHandler>> handler = settings.find(HandlerKeys.HANDLER);
        if (handler.isEmpty()) {
            return;
        }
        boolean fold = handler.get().is(BuiltInHandler.FOLD);
        boolean own = handler.get().isOwnClass();
        if (fold && !anySet(Family.FOLD)) {
            error(
                    HandlerKeys.HANDLER,
                    "needs at least one field",
                    "example: " + Family.FOLD.example());
        }
        if (!fold) {
            refuseFamily(Family.FOLD, "means nothing without handler=fold", HandlerKeys.HANDLER);
        }
        if (!own) {
            refuseFamily(
                    Family.HANDLER_CONFIG,
                    "is only passed to a handler of your own",
                    HandlerKeys.HANDLER);
            valueMustBeJson();
        }
        path(own || isOwnClass(ReadKeys.KEY_FORMAT) || isOwnClass(ReadKeys.VALUE_FORMAT));
    }

    private void path(boolean isSearched) {
        if (!isSearched && settings.isSet(HandlerKeys.HANDLER_PATH)) {
            error(
                    HandlerKeys.HANDLER_PATH,
                    "is only searched for a handler or a deserializer of your own"
                            + seen(HandlerKeys.HANDLER, HandlerKeys.HANDLER_PATH));
        }
        for (Path path : settings.handlerPath()) {
            if (isSearched && !Files.isReadable(path)) {
                error(HandlerKeys.HANDLER_PATH, "there is nothing to read at " + path);
            }
        }
    }

    private boolean isOwnClass(Key<? extends Choice<?>> format) {
        return settings.find(format).filter(Choice::isOwnClass).isPresent();
    }

    private void valueMustBeJson() {
        settings.find(ReadKeys.VALUE_FORMAT)
                .filter(format -> !isJson(format))
                .ifPresent(
                        format ->
                                error(
                                        ReadKeys.VALUE_FORMAT,
                                        "the built-in handlers read JSON"
                                                + seen(HandlerKeys.HANDLER, ReadKeys.VALUE_FORMAT),
                                        "value.format=json, or debezium for change events",
                                        "other formats want a handler of your own"));
    }

    private static boolean isJson(Choice<ValueFormat> format) {
        return format.is(ValueFormat.JSON) || format.is(ValueFormat.DEBEZIUM);
    }

    private void formats() {
        settings.find(ReadKeys.KEY_FORMAT)
                .filter(format -> !format.isOwnClass())
                .ifPresent(
                        format -> unusedDeserializer(Family.KEY_DESERIALIZER, ReadKeys.KEY_FORMAT));
        settings.find(ReadKeys.VALUE_FORMAT)
                .filter(format -> !format.isOwnClass())
                .ifPresent(
                        format ->
                                unusedDeserializer(
                                        Family.VALUE_DESERIALIZER, ReadKeys.VALUE_FORMAT));
    }

    private void unusedDeserializer(Family family, Key<?> format) {
        refuseFamily(
                family, "means nothing unless " + format.name() + " names a Deserializer", format);
    }

    private void keyScope() {
        List<String> topics = settings.find(ReadKeys.TOPICS).orElse(List.of());
        if (topics.size() > 1 && !settings.isSet(ReadKeys.KEY_SCOPE)) {
            problems.error(
                    settings.origin(ReadKeys.TOPICS),
                    ReadKeys.TOPICS.name(),
                    "there are several topics, so key.scope must say whether equal keys are one row",
                    "key.scope=topic keeps a row for each topic, key.scope=application shares one");
        }
    }

    private void dedupe() {
        Optional<DedupeId> id = settings.find(ReadKeys.DEDUPE_ID);
        boolean none = id.filter(DedupeId.None.class::isInstance).isPresent();
        for (Key<?> key : List.of(ReadKeys.DEDUPE_WINDOW_MESSAGES, ReadKeys.DEDUPE_WINDOW_AGE)) {
            if (none && settings.isSet(key)) {
                warning(
                        key,
                        "means nothing without event ids" + seen(ReadKeys.DEDUPE_ID, key),
                        "dedupe.id=header:<name>, cloudevents or json:/pointer");
            }
        }
        boolean plain =
                settings.find(ReadKeys.VALUE_FORMAT)
                        .filter(format -> !format.isOwnClass() && !isJson(format))
                        .isPresent();
        if (plain && id.filter(DedupeId.JsonPointer.class::isInstance).isPresent()) {
            error(
                    ReadKeys.DEDUPE_ID,
                    "looks into JSON, which the values are not"
                            + seen(ReadKeys.VALUE_FORMAT, ReadKeys.DEDUPE_ID));
        }
    }

    private void store() {
        if (settings.isSet(StoreKeys.MIGRATOR_PASSWORD)
                && !settings.isSet(StoreKeys.MIGRATOR_USER)) {
            error(StoreKeys.MIGRATOR_PASSWORD, "is set without store.migrator.user");
        }
        if (settings.isSet(StoreKeys.PASSWORD) && !settings.isSet(StoreKeys.USER)) {
            error(StoreKeys.PASSWORD, "is set without store.user");
        }
        if (settings.isSet(StoreKeys.MIGRATOR_USER)
                && settings.isSet(StoreKeys.PASSWORD)
                && !settings.isSet(StoreKeys.MIGRATOR_PASSWORD)) {
            warning(
                    StoreKeys.MIGRATOR_USER,
                    "is set without store.migrator.password, while store.user has a password");
        }
        boolean unmanaged =
                settings.find(StoreKeys.SCHEMA_MANAGEMENT)
                        .filter(SchemaManagement.NONE::equals)
                        .isPresent();
        if (unmanaged && settings.isSet(StoreKeys.MIGRATOR_USER)) {
            warning(
                    StoreKeys.MIGRATOR_USER,
                    "is not used at start"
                            + seen(StoreKeys.SCHEMA_MANAGEMENT, StoreKeys.MIGRATOR_USER)
                            + ", only by the command migrate");
        }
    }

    private void deadLetters() {
        Optional<FailurePolicy.Last> policy = settings.find(FailureKeys.ON_FAILURE);
        Optional<String> topic = settings.find(OutboxKeys.TOPIC);
        boolean wanted = policy.filter(FailurePolicy.Last.DEAD_LETTER::equals).isPresent();
        if (wanted && !settings.isSet(OutboxKeys.TOPIC)) {
            error(
                    FailureKeys.ON_FAILURE,
                    "does not say where dead letters go",
                    "example: " + OutboxKeys.TOPIC.name() + "=" + OutboxKeys.TOPIC.example());
        }
        List<String> read = settings.find(ReadKeys.TOPICS).orElse(List.of());
        if (topic.filter(read::contains).isPresent()) {
            error(
                    OutboxKeys.TOPIC,
                    "is read as well: its messages would fail and go there again"
                            + seen(ReadKeys.TOPICS, OutboxKeys.TOPIC),
                    "name a topic of its own");
        }
        for (Key<?> key : List.of(OutboxKeys.TOPIC, OutboxKeys.HEADERS)) {
            if (policy.isPresent() && !wanted && settings.isSet(key)) {
                warning(
                        key,
                        "means nothing without dead letters" + seen(FailureKeys.ON_FAILURE, key),
                        "on.failure=dead-letter");
            }
        }
    }

    private boolean anySet(Family family) {
        return settings.effective().stream().anyMatch(setting -> family.has(setting.name()));
    }

    private void refuseFamily(Family family, String why, Key<?> because) {
        settings.effective().stream()
                .filter(setting -> family.has(setting.name()))
                .forEach(
                        setting ->
                                problems.error(
                                        setting.origin(),
                                        Visible.subject(setting.name(), setting.shown()),
                                        why + seen(because, setting.origin())));
    }

    /** The value of another setting with its place: {@code (handler=latest, line 3)}. */
    private String seen(Key<?> other, Key<?> standing) {
        return seen(other, settings.origin(standing));
    }

    private String seen(Key<?> other, Origin standing) {
        String shown = settings.effective(other.name()).map(Setting::shown).orElse("");
        String place = settings.origin(other).describeFrom(standing);
        return " (" + other.name() + "=" + Visible.text(shown) + ", " + place + ")";
    }

    private void error(Key<?> key, String message, String... hints) {
        problems.error(settings.origin(key), subject(key), message, hints);
    }

    private void warning(Key<?> key, String message, String... hints) {
        problems.warning(settings.origin(key), subject(key), message, hints);
    }

    private String subject(Key<?> key) {
        return settings.effective(key.name())
                .map(setting -> Visible.subject(setting.name(), setting.shown()))
                .orElse(key.name());
    }
}
