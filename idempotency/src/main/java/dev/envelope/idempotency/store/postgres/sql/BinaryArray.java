package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.InvariantViolation;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PGBinaryObject;
import org.postgresql.util.PGobject;

/**
 * A one-dimensional array in the server's binary form. The driver's own arrays would decode a
 * state's UTF-8 bytes into characters and encode them again.
 *
 * <p>Threads: immutable.
 */
@SuppressWarnings("serial") // never serialized
public final class BinaryArray extends PGobject implements PGBinaryObject {

    private static final long serialVersionUID = 1L;

    private static final int HEAD_BYTES = 20;
    private static final int GUESSED_BYTES = 32; // of an element whose size is not known

    private final byte[] bytes;
    private final int length;

    private BinaryArray(String elementType, byte[] bytes, int length) {
        this.type = "_" + elementType;
        this.bytes = bytes;
        this.length = length;
    }

    /**
     * Makes an array element by element. Several builders make several arrays in one pass over what
     * they are made of: where that is spread over the heap, looking at it is what costs.
     *
     * <p>Threads: one thread.
     */
    public static final class Builder {

        private final String elementType;
        private final int oid;
        private ByteBuffer buffer;
        private int elements;
        private boolean hasNulls;

        private Builder(String elementType, int oid, long bytes) {
            this.elementType = elementType;
            this.oid = oid;
            this.buffer = ByteBuffer.allocate(Math.toIntExact(HEAD_BYTES + bytes));
            buffer.position(HEAD_BYTES);
        }

        public void add(int value) {
            room(8).putInt(4).putInt(value);
        }

        public void add(long value) {
            room(12).putInt(8).putLong(value);
        }

        public void add(byte @Nullable [] value) {
            if (value == null) {
                room(4).putInt(-1);
                hasNulls = true;
            } else {
                room(4L + value.length).putInt(value.length).put(value);
            }
        }

        /**
         * Bytes that are written into the array at once, without an object of their own.
         *
         * @param length how many
         * @param writer writes them from an index on
         */
        public void add(int length, ObjIntConsumer<byte[]> writer) {
            room(4L + length).putInt(length);
            writer.accept(buffer.array(), buffer.position());
            buffer.position(buffer.position() + length);
        }

        /**
         * Text that is stored exactly or not at all.
         *
         * @throws SQLException with the server's SQLSTATE for invalid characters
         */
        public void add(@Nullable String text) throws SQLException {
            add(text == null ? null : utf8(text));
        }

        /** Counts one more element. */
        private ByteBuffer room(long bytes) {
            elements++;
            long wanted = buffer.position() + bytes;
            if (wanted > buffer.capacity()) {
                int larger = (int) Math.min(2L * buffer.capacity(), Integer.MAX_VALUE - 8);
                byte[] copy =
                        Arrays.copyOf(buffer.array(), Math.max(larger, Math.toIntExact(wanted)));
                buffer = ByteBuffer.wrap(copy).position(buffer.position());
            }
            return buffer;
        }

        /** The array; nothing is added any more. */
        public BinaryArray built() {
            int dimensions = 1;
            int lowerBound = 1;
            int length = buffer.position();
            buffer.position(0)
                    .putInt(dimensions)
                    .putInt(hasNulls ? 1 : 0)
                    .putInt(oid)
                    .putInt(elements)
                    .putInt(lowerBound);
            return new BinaryArray(elementType, buffer.array(), length);
        }
    }

    public static Builder ints(int elements) {
        return new Builder("int4", 23, elements * 8L);
    }

    public static Builder longs(int elements) {
        return new Builder("int8", 20, elements * 12L);
    }

    public static Builder texts(int elements) {
        return new Builder("text", 25, (long) elements * GUESSED_BYTES);
    }

    public static Builder bytes(int elements) {
        return new Builder("bytea", 17, (long) elements * GUESSED_BYTES);
    }

    /** Of JSON that is UTF-8 already. */
    public static Builder json(int elements) {
        return new Builder("json", 114, (long) elements * GUESSED_BYTES);
    }

    public static <T> BinaryArray ofInts(List<T> from, ToIntFunction<T> value) {
        Builder array = ints(from.size());
        for (T each : from) {
            array.add(value.applyAsInt(each));
        }
        return array.built();
    }

    public static <T> BinaryArray ofLongs(List<T> from, ToLongFunction<T> value) {
        Builder array = longs(from.size());
        for (T each : from) {
            array.add(value.applyAsLong(each));
        }
        return array.built();
    }

    /**
     * Text that is stored exactly or not at all.
     *
     * @throws SQLException with the server's SQLSTATE for invalid characters
     */
    public static <T> BinaryArray ofTexts(List<T> from, Function<T, @Nullable String> value)
            throws SQLException {
        Builder array = texts(from.size());
        for (T each : from) {
            array.add(value.apply(each));
        }
        return array.built();
    }

    public static <T> BinaryArray ofBytes(List<T> from, Function<T, byte @Nullable []> value) {
        return filled(bytes(from.size()), from, value);
    }

    /** JSON that is UTF-8 already. */
    public static <T> BinaryArray ofJson(List<T> from, Function<T, byte @Nullable []> value) {
        return filled(json(from.size()), from, value);
    }

    private static <T> BinaryArray filled(
            Builder array, List<T> from, Function<T, byte @Nullable []> value) {
        for (T each : from) {
            array.add(value.apply(each));
        }
        return array.built();
    }

    private static byte[] utf8(String text) throws SQLException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (byte each : bytes) {
            if (each == '?') {
                return utf8OrFail(text);
            }
        }
        return bytes;
    }

    /** A question mark in the bytes may be one, or stand for half a surrogate pair. */
    private static byte[] utf8OrFail(String text) throws SQLException {
        try {
            ByteBuffer encoded =
                    StandardCharsets.UTF_8
                            .newEncoder()
                            .onMalformedInput(CodingErrorAction.REPORT)
                            .encode(CharBuffer.wrap(text));
            byte[] bytes = new byte[encoded.remaining()];
            encoded.get(bytes);
            return bytes;
        } catch (CharacterCodingException e) {
            throw new SQLException("half a surrogate pair in a text", "22021", e);
        }
    }

    @Override
    public void setByteValue(byte[] value, int offset) {
        throw new InvariantViolation("only sent, never received");
    }

    @Override
    public int lengthInBytes() {
        return length;
    }

    @Override
    public void toBytes(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, length);
    }

    /** Called only if the driver sent it as text. */
    @Override
    public String getValue() {
        throw new InvariantViolation("the driver does not send " + type + " in binary");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public Object clone() {
        return this;
    }

    @Override
    public String toString() {
        return type + " of " + length + " bytes";
    }
}
