package dev.envelope.app.wiring;

import dev.envelope.app.config.InvalidConfigException;
import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.HandlerKeys;
import dev.envelope.app.config.key.LimitKeys;
import dev.envelope.app.config.key.OutputKeys;
import dev.envelope.app.config.key.ReadKeys;
import dev.envelope.app.config.key.WorkKeys;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.value.Choice;
import dev.envelope.app.handlers.HandlerException;
import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.WorkSpec;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.handlers.http.Target;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.idempotency.dedupe.HeaderIds;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.json.debezium.DebeziumKeyFormat;
import dev.envelope.idempotency.json.id.CloudEventIds;
import dev.envelope.idempotency.json.id.JsonPointerIds;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes the handler, the formats and the fold from the settings. */
public final class HandlerWiring {

    private HandlerWiring() {}

    /**
     * The handler that the settings name.
     *
     * @throws InvalidConfigException with every problem
     */
    public static HandlerSpec<?, ?> resolve(Settings settings) {
        return resolve(settings, new GivenUpFields());
    }

    /**
     * The same.
     *
     * @param givenUp receives the fields that are given up; a reload may change them
     */
    public static HandlerSpec<?, ?> resolve(Settings settings, GivenUpFields givenUp) {
        givenUp.are(givenUp(settings));
        HandlerRequest request = request(settings, givenUp);
        return refusing(settings, () -> Handlers.resolve(request));
    }

    /**
     * The handler that the settings name, where it keeps no rows.
     *
     * @throws InvalidConfigException with every problem
     */
    public static WorkSpec<?> work(Settings settings) {
        HandlerRequest request = request(settings, new GivenUpFields());
        WorkSpec<?> spec =
                refusing(
                        settings,
                        () ->
                                Handlers.work(
                                        request,
                                        http(settings),
                                        settings.find(WorkKeys.BATCH_MAX_MESSAGES),
                                        settings.get(ReadKeys.APPLICATION_ID)));
        if (spec.calls().most() > 1 && settings.get(LimitKeys.POOL_SIZE_BY) == PoolSizing.LATENCY) {
            spec.close();
            return refusing(
                    settings,
                    () -> {
                        throw HandlerException.of(
                                LimitKeys.POOL_SIZE_BY.name(),
                                "can't be latency where a call has now few messages, now many:"
                                        + " gain, or a class that implements Work");
                    });
        }
        if (spec.calls().inTransaction() != settings.hasStore()) {
            spec.close();
            throw unfit(settings);
        }
        return spec;
    }

    private static InvalidConfigException unfit(Settings settings) {
        ProblemCollector problems = new ProblemCollector();
        problems.error(
                settings.origin(HandlerKeys.HANDLER),
                HandlerKeys.HANDLER.name(),
                settings.hasStore()
                        ? "is given no connection, so dedupe=store means nothing to it"
                        : "writes in a transaction of the database, and there is none",
                settings.hasStore()
                        ? "let it implement WorkInTransaction or WorkBatchInTransaction, or take"
                                + " out dedupe=store"
                        : "dedupe=store, and store.url");
        return new InvalidConfigException(problems.problems());
    }

    private static Optional<Target> http(Settings settings) {
        String type =
                switch (text(settings.get(ReadKeys.VALUE_FORMAT))) {
                    case "json" -> "application/json";
                    case "string" -> "text/plain;charset=utf-8";
                    default -> "application/octet-stream";
                };
        return settings.find(WorkKeys.HTTP_URL)
                .map(
                        url ->
                                new Target(
                                        url,
                                        settings.get(WorkKeys.HTTP_TIMEOUT),
                                        type,
                                        settings.family(Family.HTTP_HEADER),
                                        settings.mostWorkers(),
                                        settings.get(WorkKeys.HTTP_MAX_RATE)));
    }

    private static HandlerRequest request(Settings settings, GivenUpFields givenUp) {
        return new HandlerRequest(
                text(settings.get(HandlerKeys.HANDLER)),
                settings.family(Family.FOLD),
                settings.family(Family.HANDLER_CONFIG),
                settings.handlerPath(),
                text(settings.get(ReadKeys.VALUE_FORMAT)),
                settings.family(Family.VALUE_DESERIALIZER),
                givenUp);
    }

    /** The meaning of each expression, by name; empty with any other handler. */
    static Map<String, String> meanings(Settings settings) {
        return text(settings.get(HandlerKeys.HANDLER)).equals(Handlers.FOLD)
                ? refusing(settings, () -> Handlers.meanings(settings.family(Family.FOLD)))
                : Map.of();
    }

    /** The fields of states that are given up. */
    public static List<String> givenUp(Settings settings) {
        return settings.find(HandlerKeys.HANDLER_DROP).orElse(List.of());
    }

    /**
     * The key format.
     *
     * @throws InvalidConfigException if a user's own class can't be loaded
     */
    public static KeyFormat keyFormat(Settings settings) {
        return settings.get(ReadKeys.KEY_FORMAT)
                .match(
                        HandlerWiring::builtIn,
                        className -> refusing(settings, () -> ownKeys(settings, className)));
    }

    private static KeyFormat ownKeys(Settings settings, String className) {
        return Handlers.keyFormat(
                className, settings.handlerPath(), settings.family(Family.KEY_DESERIALIZER));
    }

    /** The fold of an envelope, which needs no store. */
    public static <S, M> EnvelopeFold<S, M> fold(Settings settings, HandlerSpec<S, M> spec) {
        return new EnvelopeFold<>(
                spec.fold(),
                spec.stateCodec(),
                spec.valueFormat(),
                ids(settings),
                new IdLimits(
                        settings.get(ReadKeys.DEDUPE_WINDOW_MESSAGES),
                        settings.find(ReadKeys.DEDUPE_WINDOW_AGE).orElse(null)),
                Math.toIntExact(settings.get(LimitKeys.STATE_MAX_BYTES)),
                puttingOut(settings));
    }

    private static PuttingOut puttingOut(Settings settings) {
        return new PuttingOut(
                ApplicationWiring.deadLetters(settings).orElse(null),
                settings.find(OutputKeys.EMIT_TOPIC).orElse(null),
                new EffectLimits(
                        settings.get(OutputKeys.PER_MESSAGE),
                        settings.get(OutputKeys.BYTES_PER_MESSAGE),
                        settings.get(OutputKeys.PER_TURN),
                        settings.get(OutputKeys.BYTES_PER_TURN)),
                settings.get(OutputKeys.TIMERS));
    }

    static MessageIds ids(Settings settings) {
        return settings.get(ReadKeys.DEDUPE_ID)
                .match(
                        () -> MessageIds.NONE,
                        HeaderIds::new,
                        CloudEventIds::new,
                        JsonPointerIds::new);
    }

    private static KeyFormat builtIn(ReadKeys.KeyFormat format) {
        return switch (format) {
            case STRING -> KeyFormats.string();
            case LONG -> KeyFormats.int64();
            case INT -> KeyFormats.int32();
            case UUID -> KeyFormats.uuid();
            case BASE64 -> KeyFormats.base64();
            case DEBEZIUM -> new DebeziumKeyFormat();
        };
    }

    static <E extends Enum<E>> String text(Choice<E> choice) {
        return choice.match(HandlerWiring::text, className -> className);
    }

    static String text(Enum<?> builtIn) {
        return builtIn.name().toLowerCase(Locale.ROOT);
    }

    private static <T> T refusing(Settings settings, Supplier<T> part) {
        try {
            return part.get();
        } catch (HandlerException e) {
            ProblemCollector problems = new ProblemCollector();
            e.problems()
                    .forEach(
                            problem ->
                                    problems.error(
                                            settings.effective(problem.setting())
                                                    .map(Setting::origin)
                                                    .orElseGet(Origin::unset),
                                            problem.setting(),
                                            problem.message()));
            throw new InvalidConfigException(problems.problems());
        }
    }
}
