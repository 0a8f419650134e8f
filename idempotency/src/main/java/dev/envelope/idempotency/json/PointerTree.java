package dev.envelope.idempotency.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * JSON pointers as a tree of their names.
 *
 * <p>Threads: immutable once built.
 */
final class PointerTree {

    static final int NO_PLACE = -1;

    /** Asks for nothing. */
    static final PointerTree NONE = new PointerTree();

    /** The most names that may be asked for in one object: a long is the bit set of those seen. */
    static final int MAX_CHILDREN = Long.SIZE;

    private final List<String> names = new ArrayList<>();
    private byte[][] utf8Names = {};
    private final List<PointerTree> children = new ArrayList<>();
    private int[] arrayIndexes = {}; // the names as indexes into an array, or -1
    private int place = NO_PLACE;

    private PointerTree() {}

    static PointerTree of(List<String> pointers) {
        PointerTree root = new PointerTree();
        for (int i = 0; i < pointers.size(); i++) {
            PointerTree end = root;
            for (String token : tokens(pointers.get(i))) {
                end = end.childFor(token);
            }
            if (end.place != NO_PLACE) {
                throw new IllegalArgumentException("twice the same pointer: " + pointers.get(i));
            }
            end.place = i;
        }
        return root;
    }

    /** The place in {@link Scalars} of the value at this node, or {@link #NO_PLACE}. */
    int place() {
        return place;
    }

    boolean isLeaf() {
        return children.isEmpty();
    }

    PointerTree child(int index) {
        return children.get(index);
    }

    int indexOf(String name) {
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** The same for a name given as bytes of a document. */
    int indexOf(byte[] document, int from, int to) {
        for (int i = 0; i < utf8Names.length; i++) {
            byte[] name = utf8Names[i];
            if (name.length == to - from
                    && Arrays.equals(name, 0, name.length, document, from, to)) {
                return i;
            }
        }
        return -1;
    }

    int indexOf(int arrayIndex) {
        for (int i = 0; i < arrayIndexes.length; i++) {
            if (arrayIndexes[i] == arrayIndex) {
                return i;
            }
        }
        return -1;
    }

    private PointerTree childFor(String name) {
        int index = indexOf(name);
        if (index >= 0) {
            return children.get(index);
        }
        if (children.size() == MAX_CHILDREN) {
            throw new IllegalArgumentException(
                    "more than " + MAX_CHILDREN + " pointers into one object");
        }
        PointerTree child = new PointerTree();
        names.add(name);
        utf8Names = Arrays.copyOf(utf8Names, names.size());
        utf8Names[names.size() - 1] = name.getBytes(StandardCharsets.UTF_8);
        arrayIndexes = Arrays.copyOf(arrayIndexes, names.size());
        arrayIndexes[names.size() - 1] =
                name.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(name) : -1;
        children.add(child);
        return child;
    }

    /** The names in a pointer, unescaped. */
    private static List<String> tokens(String pointer) {
        List<String> tokens = new ArrayList<>();
        if (pointer.isEmpty()) {
            return tokens; // the whole document
        }
        if (pointer.charAt(0) != '/') {
            throw new IllegalArgumentException(
                    "a JSON pointer starts with a slash, as in /amount; found: " + pointer);
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(pointer)) {
            throw new IllegalArgumentException(
                    "a JSON pointer with half a surrogate pair names nothing");
        }
        for (String token : pointer.substring(1).split("/", -1)) {
            if (token.matches(".*~(?![01]).*")) {
                throw new IllegalArgumentException(
                        "in a JSON pointer ~ is written ~0, and / in a name ~1; found: " + pointer);
            }
            tokens.add(token.replace("~1", "/").replace("~0", "~"));
        }
        return tokens;
    }
}
