package dev.envelope.idempotency.json;

import java.lang.annotation.Annotation;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * A fast path between JSON and the records that most handlers use: integers, decimals, strings and
 * booleans, no annotations. Jackson's binding of such a record costs many times what parsing does.
 *
 * <p>It has no rules of its own. It handles only plain cases, and only types for which samples have
 * shown that it writes the same bytes as Jackson and that Jackson reads them as an equal record. In
 * all other cases it returns null and its caller uses Jackson. So all rules and all refusals are
 * Jackson's. Only the record's constructor can refuse a written document when it is read, so it is
 * called before the document is returned.
 *
 * <p>Threads: immutable.
 */
final class FlatRecord {

    private enum Kind {
        LONG,
        INT,
        BOOLEAN,
        TEXT,
        DECIMAL;

        static @Nullable Kind of(Class<?> type) {
            if (type == long.class || type == Long.class) {
                return LONG;
            } else if (type == int.class || type == Integer.class) {
                return INT;
            } else if (type == boolean.class || type == Boolean.class) {
                return BOOLEAN;
            } else if (type == String.class) {
                return TEXT;
            }
            return type == BigDecimal.class ? DECIMAL : null;
        }

        Object sample() {
            return switch (this) {
                case LONG -> 1L << 40;
                case INT -> 7;
                case BOOLEAN -> true;
                case TEXT -> "text";
                case DECIMAL -> new BigDecimal("1.50");
            };
        }
    }

    /**
     * How one component is read and written.
     *
     * @param name as it is written, with what stands around it
     */
    private record Part(Kind kind, boolean isPrimitive, String name, MethodHandle getter) {}

    private static final int MAX_DECIMAL_CHARS = 100;
    private static final int MAX_CHARS = 1 << 16; // far below what Jackson's limits allow

    private final Class<?> type;
    private final Part[] parts;
    private final MethodHandle constructor; // takes an array of objects, returns an object
    private final PointerTree names;

    private FlatRecord(Class<?> type, Part[] parts, MethodHandle constructor, PointerTree names) {
        this.type = type;
        this.parts = parts;
        this.constructor = constructor;
        this.names = names;
    }

    /**
     * For a type that is such a record and that Jackson reads and writes in the same way; empty for
     * any other.
     */
    static Optional<FlatRecord> of(Json json, JavaType type, ObjectReader reader) {
        ObjectWriter writer = json.writer(type);
        return Optional.of(type.getRawClass())
                .filter(raw -> json.readsPlain())
                .flatMap(FlatRecord::of)
                .filter(flat -> flat.agreesWith(reader, writer));
    }

    /** Whether everything that it writes is within these limits. */
    static boolean staysWithin(JsonLimits limits) {
        return limits.bytes() >= MAX_CHARS && limits.numberChars() >= MAX_DECIMAL_CHARS;
    }

    private boolean agreesWith(ObjectReader reader, ObjectWriter writer) {
        @Nullable Object[] full = new Object[parts.length];
        @Nullable Object[] sparse = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            full[i] = parts[i].kind().sample();
            sparse[i] = parts[i].isPrimitive() ? full[i] : null;
        }
        Object sample = make(full);
        Object withNulls = make(sparse);
        try {
            return sample != null
                    && agrees(sample, reader, writer)
                    // A record that refuses nulls never has to be written with one.
                    && (withNulls == null || agrees(withNulls, reader, writer));
        } catch (JacksonException e) {
            return false;
        }
    }

    private boolean agrees(Object sample, ObjectReader reader, ObjectWriter writer) {
        byte[] document = writer.writeValueAsBytes(sample);
        return Arrays.equals(document, write(sample))
                && sample.equals(reader.readValue(document))
                && sample.equals(read(document))
                && sample.equals(readAll(document));
    }

    private static Optional<FlatRecord> of(Class<?> type) {
        if (!type.isRecord() || isAnnotated(type)) {
            return Optional.empty();
        }
        RecordComponent[] components = type.getRecordComponents();
        if (components.length == 0 || components.length > PointerTree.MAX_CHILDREN) {
            return Optional.empty();
        }
        List<Part> parts = new ArrayList<>();
        List<String> pointers = new ArrayList<>();
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            for (RecordComponent component : components) {
                Kind kind = Kind.of(component.getType());
                if (kind == null || !isPlain(component.getName())) {
                    return Optional.empty();
                }
                MethodHandle getter =
                        lookup.unreflect(component.getAccessor())
                                .asType(MethodType.methodType(Object.class, Object.class));
                parts.add(
                        new Part(
                                kind,
                                component.getType().isPrimitive(),
                                (parts.isEmpty() ? "{\"" : ",\"") + component.getName() + "\":",
                                getter));
                pointers.add('/' + component.getName());
            }
            MethodHandle constructor =
                    lookup.unreflectConstructor(canonical(type, components))
                            .asSpreader(Object[].class, components.length)
                            .asType(MethodType.methodType(Object.class, Object[].class));
            return Optional.of(
                    new FlatRecord(
                            type,
                            parts.toArray(Part[]::new),
                            constructor,
                            PointerTree.of(pointers)));
        } catch (ReflectiveOperationException e) { // a module that does not open its package
            return Optional.empty();
        }
    }

    private static Constructor<?> canonical(Class<?> type, RecordComponent[] components)
            throws NoSuchMethodException {
        return type.getDeclaredConstructor(
                Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
    }

    /** Whether any part of the type has an annotation of Jackson's. */
    private static boolean isAnnotated(Class<?> type) {
        return Stream.<Stream<? extends AnnotatedElement>>of(
                        Stream.of(type),
                        Stream.of(type.getDeclaredConstructors()),
                        Stream.of(type.getDeclaredConstructors())
                                .flatMap(each -> Stream.of(each.getParameters())),
                        Stream.of(type.getDeclaredMethods()),
                        Stream.of(type.getDeclaredFields()),
                        Stream.of(type.getInterfaces()))
                .flatMap(elements -> elements)
                .flatMap(element -> Stream.of(element.getAnnotations()))
                .map(Annotation::annotationType)
                .anyMatch(FlatRecord::isJacksons);
    }

    private static boolean isJacksons(Class<? extends Annotation> annotation) {
        return Stream.concat(
                        Stream.of(annotation),
                        Stream.of(annotation.getAnnotations()).map(Annotation::annotationType))
                .anyMatch(each -> each.getName().contains(".jackson."));
    }

    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char next = text.charAt(i);
            if (next < ' ' || next > '~' || next == '"' || next == '\\') {
                return false;
            }
        }
        return true;
    }

    /**
     * The record that a document holds; null if the document is not plain.
     *
     * @param document checked to be UTF-8
     */
    @Nullable Object read(byte[] document) {
        Scalars found = new Scalars(parts.length);
        return PlainScan.read(document, names, found) ? record(found) : null;
    }

    /** The same of a document that has no other members than the record. */
    @Nullable Object readAll(byte[] document) {
        Scalars found = new Scalars(parts.length);
        return PlainScan.readAll(document, names, found) ? record(found) : null;
    }

    private @Nullable Object record(Scalars found) {
        @Nullable Object[] arguments = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            if (!found.isMissing(i)) {
                arguments[i] = argument(parts[i].kind(), found, i);
            }
            if (arguments[i] == null && (parts[i].isPrimitive() || !found.isMissing(i))) {
                return null; // a default or a refusal: Jackson decides
            }
        }
        return make(arguments);
    }

    private static @Nullable Object argument(Kind kind, Scalars found, int place) {
        boolean isLong = found.isLong(place);
        return switch (kind) {
            case LONG -> isLong ? found.asLong(place) : null;
            case INT -> {
                long value = isLong ? found.asLong(place) : Long.MAX_VALUE;
                yield value == (int) value ? (int) value : null;
            }
            case BOOLEAN ->
                    found.kind(place) == Scalars.Kind.BOOLEAN ? found.asBoolean(place) : null;
            case TEXT -> found.kind(place) == Scalars.Kind.TEXT ? found.asText(place) : null;
            case DECIMAL ->
                    isLong || found.kind(place) == Scalars.Kind.DECIMAL
                            ? found.asDecimal(place)
                            : null;
        };
    }

    private @Nullable Object make(@Nullable Object[] arguments) {
        try {
            return constructor.invokeExact(arguments);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) { // the constructor refuses them: Jackson will report it
            return null;
        }
    }

    /** The document of a record; null if it is not plain. */
    byte @Nullable [] write(Object record) {
        if (record.getClass() != type) {
            return null;
        }
        AsciiText json = new AsciiText(24 * parts.length);
        @Nullable Object[] values = new Object[parts.length];
        for (int i = 0; i < parts.length; i++) {
            json.append(parts[i].name());
            values[i] = get(parts[i], record);
            if (!append(json, values[i]) || json.length() >= MAX_CHARS) {
                return null;
            }
        }
        if (make(values) == null) { // a constructor may refuse the values of its own record
            return null;
        }
        json.append("}");
        return json.bytes();
    }

    private static @Nullable Object get(Part part, Object record) {
        try {
            return (Object) part.getter().invokeExact(record);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) { // an accessor declares nothing else
            throw new IllegalStateException(e);
        }
    }

    private static boolean append(AsciiText json, @Nullable Object value) {
        if (value instanceof Long number) {
            json.append(number);
        } else if (value instanceof String text) {
            if (!isPlain(text)) {
                return false;
            }
            json.append("\"");
            json.append(text);
            json.append("\"");
        } else if (value instanceof BigDecimal decimal) {
            String text = decimal.toString();
            json.append(text);
            return text.length() <= MAX_DECIMAL_CHARS && text.indexOf('E') < 0;
        } else {
            json.append(String.valueOf(value)); // an int, a boolean or null
        }
        return true;
    }
}
