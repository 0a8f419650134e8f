package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Offsets of a log that are done although one before them is not. Where there is no database, a
 * commit carries them in its metadata, so that little is repeated after a restart.
 *
 * <p>Threads: immutable.
 */
public final class DoneAhead {

    /** Nothing is done ahead. */
    public static final DoneAhead NONE = new DoneAhead(new long[0], NextOffset.NO_EPOCH);

    private static final int CHECKSUM_BYTES = 4;
    private static final int MOST_RANGES = 8_192; // more would not fit into any commit
    private static final int MOST_BYTES = 20 * MOST_RANGES + 10; // of what a text is unpacked to

    /** From, to, from, to; each greater than the one before. What is at an end is not done. */
    private final long[] bounds;

    private final int leaderEpoch;

    private DoneAhead(long[] bounds, int leaderEpoch) {
        this.bounds = bounds;
        this.leaderEpoch = leaderEpoch;
    }

    /** The latest leader epoch of what is done; a record of a later one is another record. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** Collects ranges in ascending order. Those that touch or overlap become one. */
    static final class Builder {

        private long[] bounds = new long[16];
        private int count;

        void add(long from, long to) {
            if (from >= to) {
                return;
            }
            if (count > 0 && from <= bounds[count - 1]) {
                bounds[count - 1] = Math.max(bounds[count - 1], to);
                return;
            }
            if (count == bounds.length) {
                bounds = Arrays.copyOf(bounds, 2 * count);
            }
            bounds[count++] = from;
            bounds[count++] = to;
        }

        DoneAhead build(int leaderEpoch) {
            return new DoneAhead(Arrays.copyOf(bounds, count), leaderEpoch);
        }
    }

    public boolean isEmpty() {
        return bounds.length == 0;
    }

    public boolean contains(long offset) {
        int at = Arrays.binarySearch(bounds, offset);
        int last = at >= 0 ? at : -at - 2; // the last bound that is not above it
        return last >= 0 && last % 2 == 0;
    }

    /** How many ranges there are. */
    int ranges() {
        return bounds.length / 2;
    }

    /** Both, without what is below an offset. */
    DoneAhead and(DoneAhead other, long from) {
        Builder both = new Builder();
        int mine = 0;
        int others = 0;
        while (mine < bounds.length || others < other.bounds.length) {
            boolean isMine =
                    others == other.bounds.length
                            || (mine < bounds.length && bounds[mine] <= other.bounds[others]);
            long[] next = isMine ? bounds : other.bounds;
            int at = isMine ? mine : others;
            both.add(Math.max(from, next[at]), next[at + 1]);
            if (isMine) {
                mine += 2;
            } else {
                others += 2;
            }
        }
        return both.build(Math.max(leaderEpoch, other.leaderEpoch));
    }

    /** What of it is below an offset. */
    DoneAhead below(long end) {
        Builder below = new Builder();
        for (int i = 0; i < bounds.length; i += 2) {
            below.add(bounds[i], Math.min(end, bounds[i + 1]));
        }
        return below.build(leaderEpoch);
    }

    /** The first of its ranges. */
    private DoneAhead first(int ranges) {
        return new DoneAhead(Arrays.copyOf(bounds, 2 * ranges), leaderEpoch);
    }

    /**
     * As text for the metadata of a commit: about as many of the first ranges as fit.
     *
     * @param committed the offset of that commit; in another it means nothing
     * @param most how long it may be, in characters
     */
    Text text(long committed, int most) {
        int fitting = Math.min(ranges(), MOST_RANGES);
        String text = first(fitting).packed(committed);
        while (text.length() > most
                && fitting > 0) { // each time a twentieth less than seems to fit
            fitting = (int) (0.95 * fitting * most / text.length());
            text = first(fitting).packed(committed);
        }
        if (text.length() > most) {
            return new Text("", ranges());
        }
        return new Text(text, ranges() - fitting);
    }

    /**
     * @param text empty if not even no ranges would fit
     * @param leftOut how many ranges are not in it
     */
    record Text(String text, int leftOut) {}

    private String packed(long committed) {
        ByteBuffer plain = ByteBuffer.allocate(10 * (bounds.length + 2));
        put(plain, committed);
        put(plain, leaderEpoch + 1);
        long before = committed;
        for (long bound : bounds) {
            put(plain, bound - before);
            before = bound;
        }
        CRC32 checksum = new CRC32();
        checksum.update(plain.array(), 0, plain.position());
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        try {
            deflater.setInput(plain.array(), 0, plain.position());
            deflater.finish();
            byte[] packed = new byte[plain.position() + plain.position() / 500 + 64]; // it may grow
            int length = deflater.deflate(packed, 0, packed.length - CHECKSUM_BYTES);
            ByteBuffer.wrap(packed).putInt(length, (int) checksum.getValue());
            byte[] all = Arrays.copyOf(packed, length + CHECKSUM_BYTES);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(all);
        } finally {
            deflater.end();
        }
    }

    /**
     * What a text says that belongs to a commit of that offset; empty if it is of another, or
     * damaged: then nothing is known.
     */
    static Optional<DoneAhead> read(String text, long committed) {
        byte[] packed;
        try {
            packed = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        if (packed.length <= CHECKSUM_BYTES) {
            return Optional.empty();
        }
        int length = packed.length - CHECKSUM_BYTES;
        byte[] plain = new byte[MOST_BYTES];
        Inflater inflater = new Inflater(true);
        try {
            inflater.setInput(packed, 0, length);
            int unpacked = inflater.inflate(plain);
            CRC32 checksum = new CRC32();
            checksum.update(plain, 0, unpacked);
            boolean isWhole =
                    inflater.finished()
                            && (int) checksum.getValue() == ByteBuffer.wrap(packed).getInt(length);
            return isWhole
                    ? read(ByteBuffer.wrap(plain, 0, unpacked), committed)
                    : Optional.empty();
        } catch (DataFormatException e) {
            return Optional.empty();
        } finally {
            inflater.end();
        }
    }

    private static Optional<DoneAhead> read(ByteBuffer plain, long committed) {
        if (!plain.hasRemaining() || get(plain) != committed || !plain.hasRemaining()) {
            return Optional.empty();
        }
        int leaderEpoch = (int) get(plain) - 1;
        long[] bounds = new long[plain.remaining()];
        int count = 0;
        long before = committed;
        while (plain.hasRemaining()) {
            long more = get(plain);
            if (more <= 0 && count > 0) {
                return Optional.empty();
            }
            before += more;
            bounds[count++] = before;
        }
        return count % 2 == 1
                ? Optional.empty()
                : Optional.of(new DoneAhead(Arrays.copyOf(bounds, count), leaderEpoch));
    }

    /** Seven bits a byte, the lowest first. */
    private static void put(ByteBuffer into, long value) {
        long rest = value;
        while (rest > 0x7f) {
            into.put((byte) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        into.put((byte) rest);
    }

    private static long get(ByteBuffer from) {
        long value = 0;
        for (int shift = 0; from.hasRemaining(); shift += 7) {
            byte next = from.get();
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        return -1; // it ends too early
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DoneAhead it
                && leaderEpoch == it.leaderEpoch
                && Arrays.equals(bounds, it.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    /** For instance {@code 5-7,9}. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < bounds.length; i += 2) {
            text.append(i == 0 ? "" : ",").append(bounds[i]);
            if (bounds[i + 1] - 1 > bounds[i]) {
                text.append('-').append(bounds[i + 1] - 1);
            }
        }
        return text.toString();
    }
}
