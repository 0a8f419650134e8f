package dev.envelope.idempotency.json;

import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;

/**
 * States that are records, plain classes or trees.
 *
 * <p>Of a record, wherever it stands in the state, the components are written and what is annotated
 * to be. A plain class keeps the rules of beans: its getters are written, and each must have a
 * place to be read into.
 *
 * <p>What was written is read again before it is handed out, by the same rules by which the next
 * load will read it. So a state that can't be read back, or can't be cast to {@code jsonb}, is the
 * fault of the message that led to it, however a serializer came to write it. Where {@link
 * FlatRecord} writes, there is nothing in the text that could be refused, and only the record's
 * constructor is asked again.
 *
 * <p>A name that the type does not know, or a shape that it can't be read from, is of another
 * version of the handler, whose state would otherwise be dropped in silence: its key waits. A type
 * that gives names up says so itself, with {@code @JsonIgnoreProperties}. Excepted is what getters
 * of a record wrote before they were left out ({@link RecordMembers}); the next save drops it. A
 * name that is missing gets the type's default.
 *
 * <p>Threads: thread-safe.
 */
public final class JsonStateCodec<S> implements StateCodec<S> {

    private final Json json;
    private final String name;
    private final ObjectReader reader;
    private final ObjectWriter writer;
    private final @Nullable FlatRecord flat;
    private final String unlikeRow;
    private final String unlikeWritten;

    private JsonStateCodec(Json json, JavaType type) {
        this.json = json;
        name = type.getRawClass().getSimpleName();
        reader = json.stateReader(type);
        writer = json.writer(type);
        flat = FlatRecord.of(json, type, reader).orElse(null);
        unlikeRow = "the state in the row is not a " + name;
        unlikeWritten = "the state can't be read back as a " + name;
    }

    public static <S> JsonStateCodec<S> of(Class<S> type) {
        return of(Json.standard(), type);
    }

    /**
     * For a type with parameters.
     *
     * @param type of the states; that it is {@code S} is the caller's word
     */
    public static <S> JsonStateCodec<S> of(Json json, Type type) {
        return new JsonStateCodec<>(json, json.type(type));
    }

    @Override
    public byte[] encode(S state) {
        byte[] plain = flat == null ? null : flat.write(state);
        return plain == null ? write(state) : plain;
    }

    private byte[] write(S state) {
        byte[] document;
        try {
            document = writer.writeValueAsBytes(state);
        } catch (JacksonException e) {
            throw new MalformedException(
                    Brief.text(
                            "the state can't be written as JSON (%s): %s"
                                    .formatted(name, Brief.of(e))));
        }
        try {
            json.checkStorableBeforeRead(document);
        } catch (MalformedException e) {
            throw new MalformedException(
                    Brief.text("the state can't be stored: " + e.getMessage()));
        }
        read(document, unlikeWritten);
        return document;
    }

    @Override
    @SuppressWarnings("unchecked") // what is made of a type's documents is of the type
    public S decode(byte[] document) {
        json.checkBytes(document);
        try {
            return (S) read(document, unlikeRow);
        } catch (MalformedException e) {
            if (json.isWellFormed(document)) { // so somebody's state, and not ours
                throw UnreadableStateException.ofOtherVersion(String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    @Override
    @SuppressWarnings("unchecked") // as above
    public S decodeStrictly(byte[] document) {
        json.checkBytes(document);
        return (S) read(document, unlikeRow);
    }

    private Object read(byte[] document, String otherwise) {
        Object state = Json.read(reader, document, otherwise);
        if (state == null) {
            throw new MalformedException(otherwise + ": it is null");
        }
        return state;
    }
}
