package dev.envelope.app.handlers;

import dev.envelope.app.config.problem.Nearest;
import dev.envelope.core.decode.Deserializers;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.BytesValueFormat;
import dev.envelope.idempotency.json.DeserializerValueFormat;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.json.StringValueFormat;
import dev.envelope.idempotency.json.debezium.DebeziumValueFormat;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.serialization.Deserializer;
import tools.jackson.databind.JavaType;

/** Makes the value format that the settings name, and checks that it fits the fold's value type. */
final class ValueFormats {

    static final String JSON = "json";
    static final String DEBEZIUM = "debezium";
    static final String STRING = "string";
    static final String BYTES = "bytes";

    private static final String SETTING = "value.format";

    private ValueFormats() {}

    static ValueFormat<?> of(HandlerRequest request, JavaType value, HandlerClasses classes) {
        if (value.isJavaLangObject()) {
            throw OwnHandler.untyped(request.handler(), "values are");
        }
        return switch (request.valueFormat()) {
            case JSON -> json(request, value);
            case DEBEZIUM -> new DebeziumValueFormat<>(json(request, value));
            case STRING -> {
                boolean fits = value.getRawClass().isAssignableFrom(String.class);
                require(fits, "String", request, value);
                yield new StringValueFormat();
            }
            case BYTES -> {
                require(value.hasRawClass(byte[].class), "byte[]", request, value);
                yield new BytesValueFormat();
            }
            default -> deserializer(request, value, classes);
        };
    }

    private static ValueFormat<?> json(HandlerRequest request, JavaType value) {
        if (value.hasRawClass(byte[].class)) {
            throw HandlerException.of(
                    SETTING,
                    "%s takes byte[], but %s gives it documents: set value.format=bytes"
                            .formatted(request.handler(), request.valueFormat()));
        }
        Optional<String> why = Json.standard().whyUnreadable(value);
        if (why.isPresent()) {
            throw HandlerException.of(
                    "handler",
                    "the values of %s can't be read from JSON; make them a record: %s"
                            .formatted(request.handler(), why.get()));
        }
        return JsonValueFormat.of(Json.standard(), value);
    }

    private static ValueFormat<?> deserializer(
            HandlerRequest request, JavaType value, HandlerClasses classes) {
        String name = request.valueFormat();
        if (!name.contains(".")) {
            List<String> near = Nearest.to(name, List.of(JSON, DEBEZIUM, STRING, BYTES));
            throw HandlerException.of(
                    SETTING,
                    "there is no format %s; %s"
                            .formatted(
                                    name,
                                    near.isEmpty()
                                            ? "write json, debezium, string, bytes or the name of a Deserializer class"
                                            : "did you mean " + near.get(0) + "?"));
        }
        Class<?> type = classes.find(name, SETTING);
        for (JavaType made : Json.standard().type(type).findTypeParameters(Deserializer.class)) {
            // A deserializer of a supertype, such as Object or a schema library's Message, is
            // accepted: it may return the right type.
            boolean fits =
                    value.getRawClass().isAssignableFrom(made.getRawClass())
                            || made.getRawClass().isAssignableFrom(value.getRawClass());
            require(fits, made.getRawClass().getSimpleName(), request, value);
        }
        return new DeserializerValueFormat<>(
                new Deserializers<>(
                        OwnDeserializer.maker(
                                classes, type, request.deserializerConfig(), false, SETTING),
                        System::nanoTime));
    }

    private static void require(
            boolean fits, String given, HandlerRequest request, JavaType value) {
        if (!fits) {
            throw HandlerException.of(
                    SETTING,
                    "%s gives %s, but %s takes %s: change one of them"
                            .formatted(
                                    request.valueFormat(),
                                    given,
                                    request.handler(),
                                    value.getRawClass().getSimpleName()));
        }
    }
}
