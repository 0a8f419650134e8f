package dev.envelope.idempotency.json;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * The values that a {@link PointerReader} found: for each pointer a number, a string, a boolean,
 * the fact that it is an object or array, or nothing. A number that fits a long is stored as one,
 * without an object.
 *
 * <p>Threads: immutable once read.
 */
public final class Scalars {

    /** The kind of value at a pointer. JSON null counts as missing. */
    public enum Kind {
        MISSING,
        LONG,
        DECIMAL,
        TEXT,
        BOOLEAN,
        /** An object or an array. */
        STRUCTURE
    }

    /** For no pointers. */
    static final Scalars NONE = new Scalars(0);

    private final long[] longs;
    private final @Nullable Object[] objects; // for a long or a structure, its Kind

    Scalars(int size) {
        longs = new long[size];
        objects = new Object[size];
    }

    public int size() {
        return longs.length;
    }

    public Kind kind(int place) {
        Object object = objects[place];
        if (object == null) {
            return Kind.MISSING;
        } else if (object instanceof Kind kind) {
            return kind;
        } else if (object instanceof BigDecimal) {
            return Kind.DECIMAL;
        }
        return object instanceof String ? Kind.TEXT : Kind.BOOLEAN;
    }

    public boolean isMissing(int place) {
        return objects[place] == null;
    }

    public boolean isLong(int place) {
        return objects[place] == Kind.LONG;
    }

    /** The value of a {@link Kind#LONG}. */
    public long asLong(int place) {
        return longs[place];
    }

    /** The value of a {@link Kind#LONG} or a {@link Kind#DECIMAL}. */
    public BigDecimal asDecimal(int place) {
        return objects[place] instanceof BigDecimal decimal
                ? decimal
                : BigDecimal.valueOf(longs[place]);
    }

    /** The value of a {@link Kind#TEXT}. */
    public String asText(int place) {
        return (String) require(place);
    }

    /** The value of a {@link Kind#BOOLEAN}. */
    public boolean asBoolean(int place) {
        return (Boolean) require(place);
    }

    void put(int place, Object object) {
        objects[place] = object;
    }

    void putLong(int place, long value) {
        longs[place] = value;
        objects[place] = Kind.LONG;
    }

    void putStructure(int place) {
        objects[place] = Kind.STRUCTURE;
    }

    private Object require(int place) {
        Object object = objects[place];
        if (object == null) {
            throw new IllegalStateException("there is nothing at place " + place);
        }
        return object;
    }
}
