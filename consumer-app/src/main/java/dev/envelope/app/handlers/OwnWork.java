package dev.envelope.app.handlers;

import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.work.Calls;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkBatch;
import java.util.Optional;
import tools.jackson.databind.JavaType;

/** Makes a handler that keeps no rows from a class name; its type parameter gives the value. */
final class OwnWork {

    private static final String SETTING = "handler";
    private static final int AT_ONCE = 100;

    private OwnWork() {}

    /**
     * @param atOnce how many messages a call may have, if the settings say so
     */
    static WorkSpec<?> resolve(HandlerRequest request, Optional<Integer> atOnce) {
        String name = request.handler();
        HandlerClasses classes = HandlerClasses.on(request.path());
        Class<?> type = OwnHandler.find(name, classes);
        Class<?> kind = kind(name, type);
        if (kind == Work.class && atOnce.isPresent()) {
            throw HandlerException.of(
                    "batch.max.messages",
                    "%s takes one message at a time: take this out, or let it implement WorkBatch"
                            .formatted(name));
        }
        JavaType[] types = Json.standard().type(type).findTypeParameters(kind);
        if (types.length == 0) {
            throw HandlerException.of(
                    SETTING,
                    "%s does not say what its values are: write %s<TheValue> with a class, or JsonNode for any JSON"
                            .formatted(name, kind.getSimpleName()));
        }
        ValueFormat<?> format = ValueFormats.of(request, types[0], classes);
        Object handler = classes.create(type, request.config(), SETTING);
        String value = types[0].getRawClass().getSimpleName();
        return spec(handler, atOnce.orElse(AT_ONCE), format, name + ": " + value);
    }

    private static Class<?> kind(String name, Class<?> type) {
        boolean isOfOne = Work.class.isAssignableFrom(type);
        boolean isOfMany = WorkBatch.class.isAssignableFrom(type);
        if (isOfOne == isOfMany) {
            throw HandlerException.of(
                    SETTING,
                    isOfOne
                            ? "%s implements both Work and WorkBatch; leave out one".formatted(name)
                            : "%s does not implement %s<Value> or WorkBatch, as mode=work wants it; let it, or name the class that does"
                                    .formatted(name, Work.class.getName()));
        }
        return isOfOne ? Work.class : WorkBatch.class;
    }

    /** The one unchecked cast, of the type that reflection has found. */
    @SuppressWarnings("unchecked")
    private static <M> WorkSpec<M> spec(
            Object handler, int atOnce, ValueFormat<?> format, String description) {
        ValueFormat<M> values = (ValueFormat<M>) format;
        return handler instanceof WorkBatch<?> batches
                ? new WorkSpec<>(
                        Calls.of((WorkBatch<M>) batches, atOnce),
                        values,
                        description + ", up to " + atOnce + " at a time")
                : new WorkSpec<>(Calls.of((Work<M>) handler), values, description);
    }
}
