package dev.envelope.idempotency.json;

import dev.envelope.idempotency.fold.MalformedException;
import java.math.BigDecimal;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads the values that a few JSON pointers (RFC 6901) name, in one pass over the tokens of a
 * document and without building a tree.
 *
 * <p>The rest of the document is skipped, but still parsed: a document that is not well-formed to
 * its end is refused. A duplicate name in an object is refused if a pointer asks for it, since
 * readers disagree about which one counts. Other duplicates don't change the result, and checking
 * for them would cost more than everything else.
 *
 * <p>Threads: immutable.
 */
public final class PointerReader {

    private final Json json;
    private final int size;
    private final PointerTree root;

    /**
     * @param pointers in the order of the places in {@link Scalars}
     * @throws IllegalArgumentException if one is not a pointer
     */
    public PointerReader(Json json, List<String> pointers) {
        this.json = json;
        size = pointers.size();
        root = PointerTree.of(pointers);
    }

    /**
     * Refuses a text that is not a JSON pointer.
     *
     * @throws IllegalArgumentException with what is wrong with it
     */
    public static void check(String pointer) {
        PointerTree.of(List.of(pointer));
    }

    /** The values that the pointers name in this document. */
    public Scalars read(byte[] document) {
        json.checkBytes(document);
        if (json.readsPlain()) {
            Scalars found = new Scalars(size);
            if (PlainScan.read(document, root, found)) {
                return found;
            }
        }
        return parse(document);
    }

    private Scalars parse(byte[] document) {
        Scalars found = new Scalars(size);
        try (JsonParser parser = json.parser(document)) {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw new MalformedException("no JSON: the value is blank");
            }
            value(parser, token, root, found);
            if (parser.nextToken() != null) {
                throw new MalformedException("more follows after the JSON document");
            }
            return found;
        } catch (JacksonException e) {
            throw Json.malformed(e);
        }
    }

    private static void value(JsonParser parser, JsonToken token, PointerTree tree, Scalars found) {
        if (tree.place() != PointerTree.NO_PLACE) {
            keep(parser, token, tree.place(), found);
        }
        if (tree.isLeaf()) {
            parser.skipChildren();
        } else if (token == JsonToken.START_OBJECT) {
            object(parser, tree, found);
        } else if (token == JsonToken.START_ARRAY) {
            array(parser, tree, found);
        }
    }

    private static void object(JsonParser parser, PointerTree tree, Scalars found) {
        long seen = 0;
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            int child = tree.indexOf(name);
            JsonToken token = parser.nextToken();
            if (child < 0) {
                parser.skipChildren();
                continue;
            }
            if ((seen & 1L << child) != 0) {
                throw new MalformedException(
                        "the name \"" + Brief.text(name) + "\" occurs twice in an object");
            }
            seen |= 1L << child;
            value(parser, token, tree.child(child), found);
        }
    }

    private static void array(JsonParser parser, PointerTree tree, Scalars found) {
        int index = 0;
        for (JsonToken token = parser.nextToken();
                token != JsonToken.END_ARRAY;
                token = parser.nextToken()) {
            int child = tree.indexOf(index++);
            if (child < 0) {
                parser.skipChildren();
            } else {
                value(parser, token, tree.child(child), found);
            }
        }
    }

    private static void keep(JsonParser parser, JsonToken token, int place, Scalars found) {
        switch (token) {
            case VALUE_NUMBER_INT -> {
                if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
                    found.put(place, parser.getDecimalValue());
                } else {
                    found.putLong(place, parser.getLongValue());
                }
            }
            case VALUE_NUMBER_FLOAT -> found.put(place, decimal(parser));
            case VALUE_STRING -> found.put(place, parser.getString());
            case VALUE_TRUE -> found.put(place, true);
            case VALUE_FALSE -> found.put(place, false);
            case VALUE_NULL -> {} // counts as missing
            default -> found.putStructure(place);
        }
    }

    private static BigDecimal decimal(JsonParser parser) {
        try {
            return parser.getDecimalValue();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new MalformedException(
                    "a number is out of range: " + Brief.text(parser.getString()));
        }
    }
}
