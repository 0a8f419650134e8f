package dev.envelope.idempotency.store.postgres.sql;

import dev.envelope.core.api.InvariantViolation;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
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

    private final byte[] bytes;

    private BinaryArray(String elementType, byte[] bytes) {
        this.type = "_" + elementType;
        this.bytes = bytes;
    }

    public static <T> BinaryArray ofInts(List<T> from, ToIntFunction<T> value) {
        byte[] bytes = allocate(from.size() * 8L);
        ByteBuffer buffer = start(bytes, from.size(), 23, false);
        for (T each : from) {
            buffer.putInt(4).putInt(value.applyAsInt(each));
        }
        return new BinaryArray("int4", bytes);
    }

    public static <T> BinaryArray ofLongs(List<T> from, ToLongFunction<T> value) {
        byte[] bytes = allocate(from.size() * 12L);
        ByteBuffer buffer = start(bytes, from.size(), 20, false);
        for (T each : from) {
            buffer.putInt(8).putLong(value.applyAsLong(each));
        }
        return new BinaryArray("int8", bytes);
    }

    /**
     * Text that is stored exactly or not at all.
     *
     * @throws SQLException with the server's SQLSTATE for invalid characters
     */
    public static <T> BinaryArray ofTexts(List<T> from, Function<T, @Nullable String> value)
            throws SQLException {
        List<byte @Nullable []> elements = new ArrayList<>(from.size());
        for (T each : from) {
            String text = value.apply(each);
            elements.add(text == null ? null : utf8(text));
        }
        return of("text", 25, elements);
    }

    /** Text that is UTF-8 already. */
    public static <T> BinaryArray ofUtf8(List<T> from, Function<T, byte @Nullable []> value) {
        return of("text", 25, collect(from, value));
    }

    public static <T> BinaryArray ofBytes(List<T> from, Function<T, byte @Nullable []> value) {
        return of("bytea", 17, collect(from, value));
    }

    /** JSON that is UTF-8 already. */
    public static <T> BinaryArray ofJson(List<T> from, Function<T, byte @Nullable []> value) {
        return of("json", 114, collect(from, value));
    }

    private static <T> List<byte @Nullable []> collect(
            List<T> from, Function<T, byte @Nullable []> value) {
        List<byte @Nullable []> elements = new ArrayList<>(from.size());
        for (T each : from) {
            elements.add(value.apply(each));
        }
        return elements;
    }

    private static BinaryArray of(String elementType, int oid, List<byte @Nullable []> elements) {
        long size = 0;
        boolean hasNulls = false;
        for (byte[] element : elements) {
            size += 4 + (element == null ? 0 : element.length);
            hasNulls |= element == null;
        }
        byte[] bytes = allocate(size);
        ByteBuffer buffer = start(bytes, elements.size(), oid, hasNulls);
        for (byte[] element : elements) {
            if (element == null) {
                buffer.putInt(-1);
            } else {
                buffer.putInt(element.length).put(element);
            }
        }
        return new BinaryArray(elementType, bytes);
    }

    private static byte[] allocate(long elementBytes) {
        return new byte[Math.toIntExact(HEAD_BYTES + elementBytes)];
    }

    private static ByteBuffer start(byte[] bytes, int elements, int oid, boolean hasNulls) {
        int dimensions = 1;
        int lowerBound = 1;
        return ByteBuffer.wrap(bytes)
                .putInt(dimensions)
                .putInt(hasNulls ? 1 : 0)
                .putInt(oid)
                .putInt(elements)
                .putInt(lowerBound);
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
        return bytes.length;
    }

    @Override
    public void toBytes(byte[] target, int offset) {
        System.arraycopy(bytes, 0, target, offset, bytes.length);
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
        return type + " of " + bytes.length + " bytes";
    }
}
