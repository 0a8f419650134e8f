package dev.envelope.app.handlers;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkBatch;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JavaType;

/** Makes a handler from a class name; the type parameters of its fold give value and state. */
final class OwnHandler {

    private static final String SETTING = "handler";
    private static final List<String> BUILT_IN = List.of("fold", "latest", "http");

    private OwnHandler() {}

    static HandlerSpec<?, ?> resolve(HandlerRequest request) {
        String name = request.handler();
        HandlerClasses classes = HandlerClasses.on(request.path());
        Class<?> type = find(name, classes);
        Class<?> kind = kind(name, type);
        JavaType[] types = Json.standard().type(type).findTypeParameters(kind);
        if (types.length == 0) { // it implements the raw interface
            throw untyped(name, "state and values are");
        }
        JavaType state = types[0];
        checkState(name, state);
        ValueFormat<?> format = ValueFormats.of(request, types[1], classes);
        Object fold = classes.create(type, request.config(), SETTING);
        return spec(fold, state, format, describe(name, state, types[1]));
    }

    static Class<?> find(String name, HandlerClasses classes) {
        List<String> near = name.contains(".") ? List.of() : Nearest.to(name, BUILT_IN);
        if (!near.isEmpty()) {
            throw HandlerException.of(
                    SETTING,
                    "there is no handler %s; did you mean %s?".formatted(name, near.get(0)));
        }
        return classes.find(name, SETTING);
    }

    /** Which of the two interfaces the class implements. */
    private static Class<?> kind(String name, Class<?> type) {
        boolean isPlain = Fold.class.isAssignableFrom(type);
        boolean isEmitting = EffectFold.class.isAssignableFrom(type);
        if (isPlain && isEmitting) {
            throw HandlerException.of(
                    SETTING,
                    "%s implements both Fold and EffectFold; leave out one".formatted(name));
        } else if (!isPlain && !isEmitting) {
            throw HandlerException.of(
                    SETTING,
                    isWork(type)
                            ? "%s is work, which keeps no rows: add mode=work".formatted(name)
                            : "%s does not implement %s<State, Value> or EffectFold; let it, or name the class that does"
                                    .formatted(name, Fold.class.getName()));
        }
        return isPlain ? Fold.class : EffectFold.class;
    }

    /** Whether it keeps no rows. */
    private static boolean isWork(Class<?> type) {
        return Work.class.isAssignableFrom(type) || WorkBatch.class.isAssignableFrom(type);
    }

    /** The one unchecked cast, of the types that reflection has found. */
    @SuppressWarnings("unchecked")
    private static <S, M> HandlerSpec<S, M> spec(
            Object function, JavaType state, ValueFormat<?> format, String description) {
        StateCodec<S> codec = JsonStateCodec.of(Json.standard(), state);
        UserFold<S, M> fold =
                function instanceof EffectFold<?, ?> emitting
                        ? UserFold.emitting((EffectFold<S, M>) emitting)
                        : UserFold.of((Fold<S, M>) function);
        return new HandlerSpec<>(fold, codec, (ValueFormat<M>) format, description);
    }

    private static void checkState(String name, JavaType state) {
        if (state.isJavaLangObject()) {
            throw untyped(name, "state is");
        }
        Optional<String> why = Json.standard().whyUnreadable(state);
        if (why.isPresent()) {
            throw HandlerException.of(
                    SETTING,
                    "the state of %s can't be read from JSON; make it a record: %s"
                            .formatted(name, why.get()));
        }
    }

    static HandlerException untyped(String name, String what) {
        return HandlerException.of(
                SETTING,
                ("%s does not say what its %s: write Fold<TheState, TheValue> with classes, or"
                                + " JsonNode for any JSON")
                        .formatted(name, what));
    }

    private static String describe(String name, JavaType state, JavaType value) {
        String kept = state.getRawClass().getSimpleName();
        return "%s: (%s, %s) -> %s"
                .formatted(name, kept, value.getRawClass().getSimpleName(), kept);
    }
}
