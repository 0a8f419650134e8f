package dev.envelope.app.handlers.expression;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import dev.envelope.idempotency.json.Json;
import dev.envelope.idempotency.json.Scalars;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.io.SerializedString;
import tools.jackson.core.util.ByteArrayBuilder;

/**
 * The handler {@code fold}. Its state is one accumulator for each expression, in their order; a
 * tombstone deletes it. The row has each expression's value under its name, then the helpers under
 * {@code "$"}.
 *
 * <p>A field that no expression has, or whose value does not fit its expression, was written by
 * another version of the expressions. Such a state is not read, unless an operator has given the
 * field up. A missing field begins with the key's next message.
 *
 * <p>Whether {@code jsonb} can store a value is checked when it enters an accumulator: from a
 * message, or from a state that an operator has written.
 *
 * <p>Threads: immutable; the state that it changes has one owner at a time.
 */
public final class ExpressionFold
        implements Fold<Accumulator[], Scalars>, StateCodec<Accumulator[]> {

    /** The name of the field with the helpers. */
    public static final String HELPERS = "$";

    private final Expression[] expressions;
    private final List<String> names;
    private final SerializedString[] encodedNames;
    private final GivenUpFields givenUp;
    private final Json json = Json.standard();

    /**
     * @param givenUp the fields of other expressions that are dropped
     */
    public ExpressionFold(List<Expression> expressions, GivenUpFields givenUp) {
        this.givenUp = givenUp;
        this.expressions = expressions.toArray(Expression[]::new);
        names = expressions.stream().map(Expression::name).toList();
        encodedNames = names.stream().map(SerializedString::new).toArray(SerializedString[]::new);
    }

    @Override
    public Accumulator @Nullable [] apply(
            Accumulator @Nullable [] state, @Nullable Scalars value, Message message) {
        if (value == null) {
            return null;
        }
        Accumulator[] next = state == null ? begun() : state;
        for (int i = 0; i < next.length; i++) {
            expressions[i].apply(next[i], value);
        }
        return next;
    }

    private Accumulator[] begun() {
        Accumulator[] state = new Accumulator[expressions.length];
        for (int i = 0; i < state.length; i++) {
            state[i] = expressions[i].newAccumulator();
        }
        return state;
    }

    @Override
    public byte[] encode(Accumulator[] state) {
        ByteArrayBuilder out = new ByteArrayBuilder(64 + 32 * state.length);
        try (JsonGenerator generator = json.generator(out)) {
            generator.writeStartObject();
            boolean helpers = false;
            for (int i = 0; i < state.length; i++) {
                generator.writeName(encodedNames[i]);
                Scalar.write(generator, state[i].value());
                helpers |= state[i].needsHelper();
            }
            if (helpers) {
                writeHelpers(state, generator);
            }
            generator.writeEndObject();
        }
        return out.toByteArray();
    }

    private void writeHelpers(Accumulator[] state, JsonGenerator generator) {
        generator.writeName(HELPERS);
        generator.writeStartObject();
        for (int i = 0; i < state.length; i++) {
            if (state[i].needsHelper()) {
                generator.writeName(encodedNames[i]);
                state[i].writeHelper(generator);
            }
        }
        generator.writeEndObject();
    }

    @Override
    public Accumulator[] decode(byte[] document) {
        return decode(document, false);
    }

    @Override
    public Accumulator[] decodeStrictly(byte[] document) {
        json.checkStorable(document);
        return decode(document, true);
    }

    private Accumulator[] decode(byte[] document, boolean strictly) {
        json.checkBytes(document);
        Accumulator[] state = begun();
        try (JsonParser parser = json.parser(document)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw unreadable("the state in the row is no object", strictly);
            }
            readFields(parser, state, false, strictly);
            if (parser.nextToken() != null) {
                throw new MalformedException("more follows after the state");
            }
        } catch (JacksonException e) {
            throw Json.malformed(e);
        }
        for (int i = 0; i < state.length; i++) {
            if (!state[i].isComplete()) {
                throw notOf(names.get(i), "the value without its helper under \"$\"", strictly);
            }
        }
        return state;
    }

    private void readFields(
            JsonParser parser, Accumulator[] state, boolean helpers, boolean strictly) {
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            JsonToken token = parser.nextToken();
            int index = names.indexOf(name);
            if (index >= 0) {
                read(parser, state[index], name, helpers, strictly);
            } else if (!helpers && name.equals(HELPERS) && token == JsonToken.START_OBJECT) {
                readFields(parser, state, true, strictly);
            } else if (givenUp.has(name) && (helpers || !strictly)) {
                parser.skipChildren();
            } else {
                throw unknown(name, strictly);
            }
        }
    }

    private static void read(
            JsonParser parser, Accumulator to, String name, boolean helper, boolean strictly) {
        try {
            if (helper) {
                to.readHelper(parser);
            } else {
                to.readValue(parser);
            }
        } catch (MalformedException e) {
            throw notOf(name, String.valueOf(e.getMessage()), strictly);
        }
    }

    /** The next save would lose a field of another version, so an operator must give it up. */
    private RuntimeException unknown(String name, boolean strictly) {
        return unreadable(
                strictly
                        ? "there is no %s; its names are %s".formatted(Words.quote(name), names)
                        : "it has the field %s, which no handler.fold.* has (handler.drop=%s would give it up); they have %s"
                                .formatted(Words.quote(name), Words.line(name), names),
                strictly);
    }

    private static RuntimeException notOf(String name, String found, boolean strictly) {
        return unreadable(
                "the state's \"%s\" is not of its expression (was that changed? then take a new name): %s"
                        .formatted(name, found),
                strictly);
    }

    /** The state is JSON, but was not written by these expressions. */
    private static RuntimeException unreadable(String why, boolean strictly) {
        return strictly
                ? new MalformedException(why)
                : UnreadableStateException.ofOtherVersion(why);
    }
}
