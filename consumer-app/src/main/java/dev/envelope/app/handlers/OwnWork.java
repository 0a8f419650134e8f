package dev.envelope.app.handlers;

import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.work.Calls;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkBatch;
import dev.envelope.idempotency.work.WorkBatchInTransaction;
import dev.envelope.idempotency.work.WorkInTransaction;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JavaType;

/** Makes a handler that keeps no rows from a class name; its type parameter gives the value. */
final class OwnWork {

    private static final String SETTING = "handler";
    private static final int AT_ONCE = 100;

    private static final List<Class<?>> KINDS =
            List.of(
                    Work.class,
                    WorkBatch.class,
                    WorkInTransaction.class,
                    WorkBatchInTransaction.class);

    private OwnWork() {}

    /**
     * @param atOnce how many messages a call may have, if the settings say so
     */
    static WorkSpec<?> resolve(HandlerRequest request, Optional<Integer> atOnce) {
        String name = request.handler();
        HandlerClasses classes = HandlerClasses.on(request.path());
        Class<?> type = OwnHandler.find(name, classes);
        Class<?> kind = kind(name, type);
        if (isOfOne(kind) && atOnce.isPresent()) {
            throw HandlerException.of(
                    "batch.max.messages",
                    "%s takes one message at a time: take this out, or let it implement %s"
                            .formatted(
                                    name,
                                    kind == Work.class ? "WorkBatch" : "WorkBatchInTransaction"));
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
        List<Class<?>> found = KINDS.stream().filter(it -> it.isAssignableFrom(type)).toList();
        if (found.isEmpty()) {
            throw HandlerException.of(
                    SETTING,
                    "%s does not implement %s<Value> or WorkBatch, as mode=work wants it (with dedupe=store WorkInTransaction or WorkBatchInTransaction); let it, or name the class that does"
                            .formatted(name, Work.class.getName()));
        } else if (found.size() > 1) {
            throw HandlerException.of(
                    SETTING,
                    "%s implements both %s and %s; leave out one"
                            .formatted(
                                    name,
                                    found.get(0).getSimpleName(),
                                    found.get(1).getSimpleName()));
        }
        return found.get(0);
    }

    private static boolean isOfOne(Class<?> kind) {
        return kind == Work.class || kind == WorkInTransaction.class;
    }

    /** The one unchecked cast, of the type that reflection has found. */
    @SuppressWarnings("unchecked")
    private static <M> WorkSpec<M> spec(
            Object handler, int atOnce, ValueFormat<?> format, String description) {
        Calls<M> calls;
        if (handler instanceof WorkBatch<?> batches) {
            calls = Calls.of((WorkBatch<M>) batches, atOnce);
        } else if (handler instanceof WorkBatchInTransaction<?> batches) {
            calls = Calls.of((WorkBatchInTransaction<M>) batches, atOnce);
        } else if (handler instanceof WorkInTransaction<?> work) {
            calls = Calls.of((WorkInTransaction<M>) work);
        } else {
            calls = Calls.of((Work<M>) handler);
        }
        return new WorkSpec<>(
                calls,
                (ValueFormat<M>) format,
                description
                        + (calls.most() > 1 ? ", up to " + atOnce + " at a time" : "")
                        + (calls.inTransaction() ? ", in a transaction" : ""));
    }
}
