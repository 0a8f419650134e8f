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
 * A codec for states that are records, plain classes or trees.
 *
 * <p>Of a record, at any depth, the components and annotated methods are written. A plain class
 * follows the bean rules: its getters are written, and each needs a property to be read into.
 *
 * <p>What was written is read back before it is returned, by the rules of the next load. So a state
 * that can't be read back, or can't be cast to {@code jsonb}, fails the message that led to it,
 * whichever serializer wrote it. Text that {@link FlatRecord} writes has nothing that could be
 * refused; there, only the record's constructor is called again.
 *
 * <p>A name that the type does not know, or a shape that it can't be read from, comes from another
 * version of the handler. Its key waits, since part of that state would otherwise be lost in
 * silence. A type that no longer needs a name says so with {@code @JsonIgnoreProperties}. An
 * exception are names that getters of a record wrote before getters were left out ({@link
 * RecordMembers}); the next save drops them. A missing name gets the type's default.
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
     * @param type of the states; the caller guarantees that it is {@code S}
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
    @SuppressWarnings("unchecked") // the reader makes objects of the type
    public S decode(byte[] document) {
        json.checkBytes(document);
        @Nullable Object plain = flat == null ? null : flat.readAll(document);
        if (plain != null) {
            return (S) plain;
        }
        try {
            return (S) read(document, unlikeRow);
        } catch (MalformedException e) {
            if (json.isWellFormed(document)) { // so it is the state of another version
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
