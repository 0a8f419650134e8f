package dev.envelope.idempotency.json;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.envelope.idempotency.fold.MalformedException;
import java.lang.reflect.Type;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.core.util.ByteArrayBuilder;
import tools.jackson.core.util.JsonRecyclerPools;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

/**
 * Reads and writes all JSON of this product: within limits, strictly, with exact numbers, and never
 * creating classes that a document names.
 *
 * <p>Threads: thread-safe; immutable, as are the Jackson objects that it holds.
 */
public final class Json {

    private static final Json STANDARD = new Json(JsonLimits.DEFAULT);

    private final JsonLimits limits;
    private final JsonFactory factory;
    private final JsonFactory strictFactory;
    private final JsonMapper mapper;
    private final JsonMapper messageMapper;
    private final DeserializationProblemHandler passingOverFormer;

    public Json(JsonLimits limits) {
        this.limits = limits;
        factory =
                JsonFactory.builder()
                        .streamReadConstraints(constraints(limits))
                        // Workers are few and live long: each has a buffer of its own.
                        .recyclerPool(JsonRecyclerPools.threadLocalPool())
                        .disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
                        .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                        .build();
        strictFactory =
                factory.rebuild().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
        mapper = mapper(strictFactory);
        messageMapper =
                mapper.rebuild().annotationIntrospector(new PassingOverTheUnknown()).build();
        passingOverFormer = RecordMembers.passingOverFormer(mapper);
    }

    /** With {@link JsonLimits#DEFAULT}. */
    public static Json standard() {
        return STANDARD;
    }

    /** Jackson's form of a Java type with its parameters. */
    public JavaType type(Type type) {
        return mapper.constructType(type);
    }

    /**
     * Refuses a document that is not UTF-8, not JSON, over the limits, or not storable as {@code
     * jsonb}.
     */
    public void checkStorable(byte[] document) {
        checkBytes(document);
        checkMark(document);
        try (JsonParser parser = strictFactory.createParser(ObjectReadContext.empty(), document)) {
            Jsonb.checkDocument(parser);
        } catch (JacksonException e) {
            throw malformed(e);
        }
    }

    /**
     * The same for a document that a {@link #stateReader} reads afterwards. What that reader
     * refuses is not checked here, so that most documents are parsed once.
     */
    void checkStorableBeforeRead(byte[] document) {
        if (limits.numberChars() > Jsonb.MAX_PLAIN_CHARS || Jsonb.needsALook(document)) {
            checkStorable(document);
        } else {
            checkBytes(document);
            checkMark(document);
        }
    }

    private static void checkMark(byte[] document) {
        if (document[0] == (byte) 0xEF) {
            throw new MalformedException("the JSON starts with a byte order mark");
        }
    }

    /** Checks the bytes without parsing: not empty, not too many, UTF-8. */
    public void checkBytes(byte[] document) {
        if (document.length == 0) {
            throw new MalformedException("no JSON: the value is empty");
        }
        if (document.length > limits.bytes()) {
            throw new MalformedException(
                    "the JSON has %d bytes, more than the limit of %d"
                            .formatted(document.length, limits.bytes()));
        }
        for (int i = 0; i < Math.min(4, document.length); i++) {
            if (document[i] == 0) { // the parser would take it for UTF-16 or UTF-32
                throw new MalformedException("the JSON is not UTF-8");
            }
        }
        Utf8.check(document);
    }

    /**
     * Reads a document; returns null for JSON's {@code null}.
     *
     * @param otherwise the beginning of the message if it can't be read; the reason follows
     */
    public static @Nullable Object read(ObjectReader reader, byte[] document, String otherwise) {
        try {
            return reader.readValue(document);
        } catch (JacksonException e) {
            throw new MalformedException(otherwise + ": " + Brief.of(e));
        } catch (ArithmeticException | NumberFormatException e) { // Jackson lets them through
            throw new MalformedException(
                    Brief.text(otherwise + ": a number is out of range: " + e.getMessage()));
        }
    }

    /** Whether the bytes are one or more JSON values of any shape. */
    boolean isWellFormed(byte[] document) {
        try (JsonParser parser = parser(document)) {
            boolean isThere = parser.nextToken() != null;
            while (parser.nextToken() != null) {
                // Read to the end.
            }
            return isThere;
        } catch (JacksonException e) {
            return false;
        }
    }

    /** The exception to throw when Jackson could not read or write. */
    public static MalformedException malformed(JacksonException thrown) {
        return new MalformedException("not the JSON that is expected: " + Brief.of(thrown));
    }

    /**
     * Why no document can be read as this type, as far as Jackson finds out from the class; empty
     * for a type that can be read.
     */
    public Optional<String> whyUnreadable(JavaType type) {
        try {
            mapper.readerFor(type).readValue(type.isContainerType() ? "[]" : "{}");
        } catch (InvalidDefinitionException e) {
            return Optional.of(Brief.of(e));
        } catch (JacksonException e) {
            return Optional.empty(); // the document is wrong, not the type
        }
        return Optional.empty();
    }

    /** A parser that does not check for duplicate names; its caller does, where it matters. */
    public JsonParser parser(byte[] document) {
        return factory.createParser(ObjectReadContext.empty(), document);
    }

    /** A generator of UTF-8. */
    public JsonGenerator generator(ByteArrayBuilder out) {
        return factory.createGenerator(ObjectWriteContext.empty(), out);
    }

    /**
     * Reads messages. Unknown members are ignored. A missing number is refused where its default
     * would be a zero that nobody sent.
     */
    public ObjectReader messageReader(JavaType type) {
        return messageMapper.readerFor(type);
    }

    /**
     * Reads states. Unknown members are refused, since they would be lost at the next save, except
     * those that a record's getters wrote in an earlier release ({@link RecordMembers}). A missing
     * member gets its default: the state was written before the type had it.
     */
    ObjectReader stateReader(JavaType type) {
        return mapper.readerFor(type)
                .withHandler(passingOverFormer)
                .with(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);
    }

    /**
     * Whether everything that {@link PlainScan} accepts and {@link FlatRecord} writes is within the
     * limits.
     */
    boolean readsPlain() {
        return PlainScan.staysWithin(limits) && FlatRecord.staysWithin(limits);
    }

    ObjectWriter writer(JavaType type) {
        return mapper.writerFor(type);
    }

    private static StreamReadConstraints constraints(JsonLimits limits) {
        return StreamReadConstraints.builder()
                .maxDocumentLength(limits.bytes())
                .maxNestingDepth(limits.depth())
                .maxTokenCount(limits.tokens())
                .maxStringLength(limits.stringChars())
                .maxNameLength(limits.nameChars())
                .maxNumberLength(limits.numberChars())
                .build();
    }

    private static JsonMapper mapper(JsonFactory factory) {
        return JsonMapper.builder(factory)
                // No type is allowed, so annotations that name classes don't work either.
                .polymorphicTypeValidator(BasicPolymorphicTypeValidator.builder().build())
                .accessorNaming(RecordMembers.naming())
                .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
                .build();
    }

    /**
     * Treats each message type as one that ignores unknown members. Otherwise Jackson would copy
     * every unknown member of a record before it drops it.
     */
    private static final class PassingOverTheUnknown extends JacksonAnnotationIntrospector {

        private static final long serialVersionUID = 1L;

        @Override
        public JsonIgnoreProperties.Value findPropertyIgnoralByName(
                MapperConfig<?> config, Annotated of) {
            return super.findPropertyIgnoralByName(config, of).withIgnoreUnknown();
        }
    }
}
