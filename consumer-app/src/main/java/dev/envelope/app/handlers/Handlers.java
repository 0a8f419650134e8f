package dev.envelope.app.handlers;

import dev.envelope.app.handlers.HandlerException.Problem;
import dev.envelope.app.handlers.expression.Expression;
import dev.envelope.app.handlers.expression.ExpressionFold;
import dev.envelope.app.handlers.expression.ExpressionParser;
import dev.envelope.app.handlers.http.HttpBatch;
import dev.envelope.app.handlers.http.HttpWork;
import dev.envelope.app.handlers.http.Target;
import dev.envelope.core.decode.Deserializers;
import dev.envelope.core.key.DeserializedKeys;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.BytesValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.Jsonb;
import dev.envelope.idempotency.json.PointerReader;
import dev.envelope.idempotency.json.debezium.DebeziumValueFormat;
import dev.envelope.idempotency.work.Calls;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Finds the handler that the settings name, and prepares it. */
public final class Handlers {

    /** The prefix of an expression's name. */
    public static final String EXPRESSION = "handler.fold.";

    /** The handler of expressions. */
    public static final String FOLD = "fold";

    private static final String LATEST = "latest";
    private static final String HTTP = "http";
    private static final int MAX_NAME_CHARS = 128;

    private Handlers() {}

    /**
     * The handler, its codec and its format of values.
     *
     * @throws HandlerException with every problem
     */
    public static HandlerSpec<?, ?> resolve(HandlerRequest request) {
        return switch (request.handler()) {
            case FOLD -> fold(request);
            case LATEST -> latest(request);
            default -> {
                refuse(request.expressions(), EXPRESSION, "only handler=fold reads it");
                yield OwnHandler.resolve(request);
            }
        };
    }

    /**
     * The handler that keeps no rows, and its format of values.
     *
     * @param http where the built-in one posts to; empty if the settings do not say so
     * @param atOnce how many messages a call may have; empty if the settings do not say so
     * @throws HandlerException with every problem
     */
    public static WorkSpec<?> work(
            HandlerRequest request,
            Optional<Target> http,
            Optional<Integer> atOnce,
            String applicationId) {
        if (!request.handler().equals(HTTP)) {
            return OwnWork.resolve(request, atOnce);
        }
        refuse(request.config(), "handler.config.", "handler=http does not read it");
        Target target =
                http.orElseThrow(() -> HandlerException.of("handler", "needs handler.http.url"));
        try {
            return atOnce.filter(most -> most > 1)
                    .<WorkSpec<?>>map(most -> batches(request, target, applicationId, most))
                    .orElseGet(
                            () ->
                                    new WorkSpec<>(
                                            Calls.of(
                                                    new HttpWork(
                                                            target,
                                                            applicationId,
                                                            System::nanoTime)),
                                            new BytesValueFormat(),
                                            "http: POST " + target));
        } catch (IllegalArgumentException e) { // the client sets some headers itself
            throw HandlerException.of("handler", "http: " + e.getMessage());
        }
    }

    private static WorkSpec<byte[]> batches(
            HandlerRequest request, Target target, String applicationId, int most) {
        return new WorkSpec<>(
                Calls.of(new HttpBatch(target, applicationId, System::nanoTime), most),
                request.valueFormat().equals(ValueFormats.JSON)
                        ? HttpBatch.documents()
                        : HttpBatch.texts(),
                "http: POST " + target + ", up to " + most + " messages at a time");
    }

    /**
     * A key format that calls deserializers of that class.
     *
     * @param config the settings {@code key.deserializer.*} without that prefix
     * @throws HandlerException if there is no such class, or it can't be used
     */
    public static DeserializedKeys keyFormat(
            String className, List<Path> path, Map<String, String> config) {
        HandlerClasses classes = HandlerClasses.on(path);
        Class<?> type = classes.find(className, "key.format");
        return new DeserializedKeys(
                new Deserializers<Object>(
                        OwnDeserializer.maker(classes, type, config, true, "key.format"),
                        System::nanoTime));
    }

    private static HandlerSpec<?, ?> fold(HandlerRequest request) {
        refuse(request.config(), "handler.config.", "handler=fold does not read it");
        ExpressionParser parser = new ExpressionParser();
        List<Expression> expressions = parse(request.expressions(), parser);
        PointerReader reader = reader(parser.pointers());
        ExpressionFold fold = new ExpressionFold(expressions, request.givenUp());
        return new HandlerSpec<>(
                UserFold.of(fold),
                fold,
                documents(request, (value, message) -> reader.read(value)),
                "fold: " + String.join(", ", request.expressions().keySet()));
    }

    /**
     * The meaning of each expression, by name. If the text differs, the expression computes
     * something else.
     *
     * @throws HandlerException with everything that is wrong
     */
    public static SortedMap<String, String> meanings(Map<String, String> expressions) {
        SortedMap<String, String> meanings = new TreeMap<>();
        parse(expressions, new ExpressionParser())
                .forEach(expression -> meanings.put(expression.name(), expression.meaning()));
        return meanings;
    }

    private static List<Expression> parse(Map<String, String> texts, ExpressionParser parser) {
        if (texts.isEmpty()) {
            throw HandlerException.of(
                    "handler",
                    "fold needs at least one expression, as in handler.fold.balance=sum(/amount)");
        }
        List<Expression> expressions = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        texts.forEach(
                (name, text) -> {
                    try {
                        checkName(name);
                        expressions.add(parser.parse(name, text));
                    } catch (IllegalArgumentException e) {
                        String message = String.valueOf(e.getMessage());
                        problems.add(new Problem(EXPRESSION + name, message));
                    }
                });
        if (!problems.isEmpty()) {
            throw new HandlerException(problems);
        }
        return expressions;
    }

    private static PointerReader reader(List<String> pointers) {
        try {
            return new PointerReader(Json.standard(), pointers);
        } catch (IllegalArgumentException e) {
            throw HandlerException.of("handler", String.valueOf(e.getMessage()));
        }
    }

    private static HandlerSpec<?, ?> latest(HandlerRequest request) {
        refuse(request.config(), "handler.config.", "handler=latest does not read it");
        refuse(request.expressions(), EXPRESSION, "only handler=fold reads it");
        LatestHandler latest = new LatestHandler();
        return new HandlerSpec<>(
                UserFold.of(latest),
                latest,
                documents(request, latest),
                "latest document of each key");
    }

    /** The value format of a built-in handler, which reads JSON documents. */
    private static <M> ValueFormat<M> documents(HandlerRequest request, ValueFormat<M> json) {
        return switch (request.valueFormat()) {
            case ValueFormats.JSON -> json;
            case ValueFormats.DEBEZIUM -> new DebeziumValueFormat<>(json);
            default ->
                    throw HandlerException.of(
                            "value.format",
                            ("handler=%s reads JSON only: set value.format to json or debezium, or"
                                            + " write a handler of your own")
                                    .formatted(request.handler()));
        };
    }

    private static void refuse(Map<String, String> settings, String prefix, String why) {
        if (!settings.isEmpty()) {
            throw new HandlerException(
                    settings.keySet().stream()
                            .map(name -> new Problem(prefix + name, why + ": take it out"))
                            .toList());
        }
    }

    private static void checkName(String name) {
        if (name.isEmpty() || name.length() > MAX_NAME_CHARS || !Jsonb.isStorable(name)) {
            throw new IllegalArgumentException(
                    "the name has to have 1 to " + MAX_NAME_CHARS + " plain characters");
        }
        if (name.startsWith(ExpressionFold.HELPERS)) {
            throw new IllegalArgumentException("names that start with $ are kept for helpers");
        }
    }
}
