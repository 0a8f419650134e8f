package dev.envelope.idempotency.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * A fast reader of plain JSON, as most messages are: objects whose strings have no escapes, short
 * numbers without exponents, and no deep nesting. Plain documents are read exactly as Jackson reads
 * them; any other is reported as not plain, and Jackson reads it.
 *
 * <p>It creates no objects but the values that are asked for.
 *
 * <p>Threads: one thread, one document.
 */
final class PlainScan {

    /** Larger documents go to Jackson, so that its limits need not be checked here. */
    private static final int MAX_BYTES = 1 << 16;

    private static final int MAX_DEPTH = 32;
    private static final int MAX_NAME_BYTES = 256;
    private static final int MAX_DIGITS = 18; // always fits a long
    private static final int NOTHING = -1;

    private final byte[] document;
    private final boolean passesOverTheUnknown;
    private int at;

    private PlainScan(byte[] document, boolean passesOverTheUnknown) {
        this.document = document;
        this.passesOverTheUnknown = passesOverTheUnknown;
    }

    /**
     * Reads the values that the tree asks for.
     *
     * @param document checked to be UTF-8
     * @param found partly filled if the result is false
     * @return whether the whole document is plain
     */
    static boolean read(byte[] document, PointerTree tree, Scalars found) {
        return read(new PlainScan(document, true), tree, found);
    }

    /** The same of a document that has no other members than the tree. */
    static boolean readAll(byte[] document, PointerTree tree, Scalars found) {
        return read(new PlainScan(document, false), tree, found);
    }

    private static boolean read(PlainScan scan, PointerTree tree, Scalars found) {
        if (scan.document.length > MAX_BYTES) {
            return false;
        }
        return scan.peek() == '{' && scan.value(tree, found, MAX_DEPTH) && scan.peek() == NOTHING;
    }

    /** Whether every plain document is within these limits. */
    static boolean staysWithin(JsonLimits limits) {
        return Math.min(limits.tokens(), limits.stringChars()) >= MAX_BYTES
                && limits.nameChars() >= MAX_NAME_BYTES
                && limits.numberChars() > MAX_DIGITS + 2
                && limits.depth() > MAX_DEPTH + 1;
    }

    /** The next byte that is not blank, without consuming it, or {@link #NOTHING}. */
    private int peek() {
        while (at < document.length) {
            byte next = document[at];
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                return next;
            }
            at++;
        }
        return NOTHING;
    }

    private boolean takes(char expected) {
        boolean isThere = peek() == expected;
        if (isThere) {
            at++;
        }
        return isThere;
    }

    private boolean object(PointerTree tree, Scalars found, int depthLeft) {
        at++; // the brace
        if (takes('}')) {
            return true;
        }
        long seen = 0;
        do {
            if (peek() != '"') {
                return false;
            }
            int from = at + 1;
            int to = endOfText();
            if (to < 0 || to - from > MAX_NAME_BYTES || !takes(':')) {
                return false;
            }
            int child = tree.indexOf(document, from, to);
            if (child < 0) {
                if (!passesOverTheUnknown || !skip(depthLeft)) {
                    return false;
                }
            } else if ((seen & 1L << child) != 0 || !value(tree.child(child), found, depthLeft)) {
                return false;
            } else {
                seen |= 1L << child;
            }
        } while (takes(','));
        return takes('}');
    }

    private boolean value(PointerTree tree, Scalars found, int depthLeft) {
        int place = tree.place();
        switch (peek()) {
            case '{' -> {
                if (place != PointerTree.NO_PLACE) {
                    found.putStructure(place);
                }
                return tree.isLeaf()
                        ? skip(depthLeft)
                        : depthLeft > 0 && object(tree, found, depthLeft - 1);
            }
            case '[' -> {
                if (place != PointerTree.NO_PLACE) {
                    found.putStructure(place);
                }
                return tree.isLeaf() && skip(depthLeft); // pointers into arrays are left to Jackson
            }
            case '"' -> {
                int from = at + 1;
                int to = endOfText();
                if (to >= 0 && place != PointerTree.NO_PLACE) {
                    found.put(place, new String(document, from, to - from, StandardCharsets.UTF_8));
                }
                return to >= 0;
            }
            case 't' -> {
                if (place != PointerTree.NO_PLACE) {
                    found.put(place, true);
                }
                return word("true");
            }
            case 'f' -> {
                if (place != PointerTree.NO_PLACE) {
                    found.put(place, false);
                }
                return word("false");
            }
            case 'n' -> {
                return word("null"); // counts as missing
            }
            default -> {
                return number(place, found);
            }
        }
    }

    /** Skips a value of any kind. */
    private boolean skip(int depthLeft) {
        switch (peek()) {
            case '{' -> {
                return depthLeft > 0 && object(PointerTree.NONE, Scalars.NONE, depthLeft - 1);
            }
            case '[' -> {
                return depthLeft > 0 && skipArray(depthLeft - 1);
            }
            case '"' -> {
                return endOfText() >= 0;
            }
            case 't' -> {
                return word("true");
            }
            case 'f' -> {
                return word("false");
            }
            case 'n' -> {
                return word("null");
            }
            default -> {
                return number(PointerTree.NO_PLACE, Scalars.NONE);
            }
        }
    }

    private boolean skipArray(int depthLeft) {
        at++; // the bracket
        if (takes(']')) {
            return true;
        }
        do {
            if (!skip(depthLeft)) {
                return false;
            }
        } while (takes(','));
        return takes(']');
    }

    /**
     * Reads a string from its opening quote on; returns the index of the closing quote, or -1 if it
     * is not plain.
     */
    private int endOfText() {
        for (int i = at + 1; i < document.length; i++) {
            byte next = document[i];
            if (next == '"') {
                at = i + 1;
                return i;
            } else if (next == '\\' || (next >= 0 && next < ' ')) {
                return -1;
            }
        }
        return -1;
    }

    private boolean word(String word) {
        if (document.length - at < word.length()) {
            return false;
        }
        for (int i = 0; i < word.length(); i++) {
            if (document[at + i] != word.charAt(i)) {
                return false;
            }
        }
        at += word.length();
        return true;
    }

    private boolean number(int place, Scalars found) {
        boolean isNegative = at < document.length && document[at] == '-';
        int start = isNegative ? at + 1 : at;
        int point = NOTHING;
        long digits = 0;
        int i = start;
        for (; i < document.length; i++) {
            byte next = document[i];
            if (next >= '0' && next <= '9') {
                digits = digits * 10 + (next - '0');
            } else if (next == '.' && point == NOTHING) {
                point = i;
            } else {
                break;
            }
        }
        int whole = (point == NOTHING ? i : point) - start;
        int fraction = point == NOTHING ? 0 : i - point - 1;
        boolean isPlain =
                whole > 0
                        && whole + fraction <= MAX_DIGITS
                        && (whole == 1 || document[start] != '0')
                        && (point == NOTHING || fraction > 0)
                        && !goesOnAsNumber(i);
        if (!isPlain) {
            return false;
        }
        at = i;
        if (place != PointerTree.NO_PLACE) {
            long value = isNegative ? -digits : digits;
            if (point == NOTHING) {
                found.putLong(place, value);
            } else {
                found.put(place, BigDecimal.valueOf(value, fraction));
            }
        }
        return true;
    }

    private boolean goesOnAsNumber(int i) {
        if (i == document.length) {
            return false;
        }
        byte next = document[i];
        return next == 'e' || next == 'E' || next == '.' || next == '+' || next == '-';
    }
}
