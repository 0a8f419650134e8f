package dev.envelope.app.handlers.expression;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import dev.envelope.idempotency.json.Json;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.util.ByteArrayBuilder;

/**
 * States of the handler {@code fold}: each expression's value under its name, in the order of the
 * expressions, then what they need besides under {@code "$"}.
 *
 * <p>A field that no expression has, or whose value is not of its expression, is of another version
 * of the expressions: the state is not read, unless a person has given the field up. A field that
 * is missing begins with the key's next message.
 *
 * <p>That {@code jsonb} takes it is seen to where values enter the accumulators: from messages, and
 * from a state that a person has written.
 *
 * <p>Threads: immutable.
 */
public final class FoldStateCodec implements StateCodec<FoldState> {

    /** The name under which the helpers stand. */
    public static final String HELPERS = "$";

    private final Expression[] expressions;
    private final SerializedString[] names;
    private final GivenUpFields givenUp;
    private final Json json = Json.standard();

    public FoldStateCodec(List<Expression> expressions) {
        this(expressions, new GivenUpFields());
    }

    /**
     * @param givenUp what is dropped of what other expressions have written
     */
    public FoldStateCodec(List<Expression> expressions, GivenUpFields givenUp) {
        this.givenUp = givenUp;
        this.expressions = expressions.toArray(Expression[]::new);
        names =
                expressions.stream()
                        .map(expression -> new SerializedString(expression.name()))
                        .toArray(SerializedString[]::new);
    }

    @Override
    public byte[] encode(FoldState state) {
        ByteArrayBuilder out = new ByteArrayBuilder(64 + 32 * names.length);
        try (JsonGenerator generator = json.generator(out)) {
            generator.writeStartObject();
            boolean helpers = false;
            for (int i = 0; i < names.length; i++) {
                generator.writeName(names[i]);
                state.at(i).writeValue(generator);
                helpers |= state.at(i).needsHelper();
            }
            if (helpers) {
                writeHelpers(state, generator);
            }
            generator.writeEndObject();
        }
        return out.toByteArray();
    }

    private void writeHelpers(FoldState state, JsonGenerator generator) {
        generator.writeName(HELPERS);
        generator.writeStartObject();
        for (int i = 0; i < names.length; i++) {
            if (state.at(i).needsHelper()) {
                generator.writeName(names[i]);
                state.at(i).writeHelper(generator);
            }
        }
        generator.writeEndObject();
    }

    @Override
    public FoldState decode(byte[] document) {
        try {
            return decode(document, false);
        } catch (UnknownField e) {
            throw UnreadableStateException.ofOtherVersion(
                    "it has the field %s, which no handler.fold.* has (handler.drop=%s would give it up); they have %s"
                            .formatted(Words.quote(e.name), Words.line(e.name), names()));
        } catch (OtherShape e) {
            throw UnreadableStateException.ofOtherVersion(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public FoldState decodeStrictly(byte[] document) {
        json.checkStorable(document);
        try {
            return decode(document, true);
        } catch (UnknownField e) {
            throw new MalformedException(
                    "there is no %s; its names are %s".formatted(Words.quote(e.name), names()));
        } catch (OtherShape e) {
            throw new MalformedException(String.valueOf(e.getMessage()));
        }
    }

    private List<String> names() {
        return Arrays.stream(expressions).map(Expression::name).toList();
    }

    /** A field that no expression has. */
    private static final class UnknownField extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final String name;

        UnknownField(String name) {
            super(name, null, false, false);
            this.name = name;
        }
    }

    /** What is there is JSON, but nothing that these expressions have written. */
    private static final class OtherShape extends RuntimeException {

        private static final long serialVersionUID = 1L;

        OtherShape(String message) {
            super(message, null, false, false);
        }
    }

    private FoldState decode(byte[] document, boolean strictly) {
        json.checkBytes(document);
        FoldState state = new FoldState(expressions);
        try (JsonParser parser = json.parser(document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new OtherShape("the state in the row is no object");
            }
            readValues(parser, state, strictly);
            if (parser.nextToken() != null) {
                throw new MalformedException("more follows after the state");
            }
        } catch (JacksonException e) {
            throw Json.malformed(e);
        }
        for (int i = 0; i < expressions.length; i++) {
            if (!state.at(i).isComplete()) {
                throw notOf(i, "the value without its helper under \"$\"");
            }
        }
        return state;
    }

    private void readValues(JsonParser parser, FoldState state, boolean strictly) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            JsonToken token = parser.nextToken();
            int index = indexOf(name);
            if (index >= 0) {
                readGuarded(index, () -> state.at(index).readValue(parser));
            } else if (name.equals(HELPERS) && token == JsonToken.START_OBJECT) {
                readHelpers(parser, state);
            } else {
                skip(name, parser, strictly);
            }
        }
    }

    private void readHelpers(JsonParser parser, FoldState state) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            int index = indexOf(name);
            if (index >= 0) {
                readGuarded(index, () -> state.at(index).readHelper(parser));
            } else {
                skip(name, parser, false);
            }
        }
    }

    /** What another version has written would be lost at the next save: only by a person's word. */
    private void skip(String name, JsonParser parser, boolean strictly) {
        if (strictly || !givenUp.has(name)) {
            throw new UnknownField(name);
        }
        parser.skipChildren();
    }

    private void readGuarded(int index, Runnable read) {
        try {
            read.run();
        } catch (MalformedException e) {
            throw notOf(index, String.valueOf(e.getMessage()));
        }
    }

    private OtherShape notOf(int index, String found) {
        return new OtherShape(
                "the state's \"%s\" is not of its expression (was that changed? then take a new name): %s"
                        .formatted(expressions[index].name(), found));
    }

    private int indexOf(String name) {
        for (int i = 0; i < expressions.length; i++) {
            if (expressions[i].name().equals(name)) {
                return i;
            }
        }
        return -1;
    }
}
