package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * How far each source is applied to a key: source → next offset not applied, and the leader epoch
 * of the last one applied. Per source, because a key moves to another partition when partitions are
 * added, and one number per key would then drop new records in silence.
 *
 * <p>Threads: immutable.
 */
public final class Marks {

    /** Of a key that nothing was ever applied to. */
    public static final Marks NONE = new Marks(new int[0], new long[0], new int[0]);

    private final int[] sources; // ascending
    private final long[] nextOffsets;
    private final int[] leaderEpochs;

    private Marks(int[] sources, long[] nextOffsets, int[] leaderEpochs) {
        this.sources = sources;
        this.nextOffsets = nextOffsets;
        this.leaderEpochs = leaderEpochs;
    }

    /**
     * Whether a message is new to the key. Behind an accepted truncation there is another source,
     * but some of what is there may have been applied before the truncation was found, under the
     * former one. A leader epoch has one leader: what has the epoch of the last record that was
     * applied, and a smaller offset, was in the log that this record was read from.
     */
    public Verdict judge(Message message) {
        PartitionEpoch epoch = message.epoch();
        Verdict verdict = judge(epoch.source(), message.offset(), message.leaderEpoch());
        if (verdict != Verdict.NEW) {
            return verdict;
        }
        for (int former : epoch.formerSources()) {
            int at = Arrays.binarySearch(sources, former);
            if (at >= 0
                    && message.offset() < nextOffsets[at]
                    && message.leaderEpoch() == leaderEpochs[at]
                    && message.leaderEpoch() != NextOffset.NO_EPOCH) {
                return Verdict.DUPLICATE;
            }
        }
        return Verdict.NEW;
    }

    /** Whether the record at that place of the source's log is new to the key. */
    Verdict judge(int source, long offset, int leaderEpoch) {
        int at = Arrays.binarySearch(sources, source);
        if (at < 0 || offset >= nextOffsets[at]) {
            return Verdict.NEW;
        }
        boolean epochsKnown =
                leaderEpoch != NextOffset.NO_EPOCH && leaderEpochs[at] != NextOffset.NO_EPOCH;
        return epochsKnown && leaderEpoch > leaderEpochs[at]
                ? Verdict.REWRITTEN
                : Verdict.DUPLICATE;
    }

    /** These marks with one source moved on; a mark never shrinks (I5). */
    public Marks advance(int source, NextOffset next) {
        int at = Arrays.binarySearch(sources, source);
        if (at >= 0) {
            if (next.offset() <= nextOffsets[at]) {
                throw new InvariantViolation(
                        "a mark would shrink from " + nextOffsets[at] + " to " + next);
            }
            long[] offsets = nextOffsets.clone();
            int[] epochs = leaderEpochs.clone();
            offsets[at] = next.offset();
            epochs[at] = next.leaderEpoch();
            return new Marks(sources, offsets, epochs);
        }
        int into = -at - 1;
        Marks wider =
                new Marks(
                        Arrays.copyOf(sources, sources.length + 1),
                        Arrays.copyOf(nextOffsets, sources.length + 1),
                        Arrays.copyOf(leaderEpochs, sources.length + 1));
        int moved = sources.length - into;
        System.arraycopy(sources, into, wider.sources, into + 1, moved);
        System.arraycopy(nextOffsets, into, wider.nextOffsets, into + 1, moved);
        System.arraycopy(leaderEpochs, into, wider.leaderEpochs, into + 1, moved);
        wider.sources[into] = source;
        wider.nextOffsets[into] = next.offset();
        wider.leaderEpochs[into] = next.leaderEpoch();
        return wider;
    }

    /** Whether there is one of that source. */
    public boolean has(int source) {
        return Arrays.binarySearch(sources, source) >= 0;
    }

    /** Those of these sources alone. */
    public Marks of(IntPredicate wanted) {
        int[] kept =
                IntStream.range(0, sources.length).filter(at -> wanted.test(sources[at])).toArray();
        return kept.length == sources.length
                ? this
                : new Marks(
                        Arrays.stream(kept).map(at -> sources[at]).toArray(),
                        Arrays.stream(kept).mapToLong(at -> nextOffsets[at]).toArray(),
                        Arrays.stream(kept).map(at -> leaderEpochs[at]).toArray());
    }

    /** The mark of each source that has one. */
    public void forEach(BiConsumer<Integer, NextOffset> to) {
        for (int at = 0; at < sources.length; at++) {
            to.accept(sources[at], new NextOffset(nextOffsets[at], leaderEpochs[at]));
        }
    }

    /** The next offset of a source, or 0 where nothing of it was applied. */
    public long nextOffset(int source) {
        int at = Arrays.binarySearch(sources, source);
        return at < 0 ? 0 : nextOffsets[at];
    }

    public int size() {
        return sources.length;
    }

    /** As it stands in the row: {@code source:nextOffset@leaderEpoch}, blank-separated. */
    public String format() {
        return new String(utf8(), StandardCharsets.US_ASCII);
    }

    /** What {@link #format} says, as bytes. */
    public byte[] utf8() {
        int length = Math.max(0, sources.length - 1);
        for (int i = 0; i < sources.length; i++) {
            boolean hasEpoch = leaderEpochs[i] != NextOffset.NO_EPOCH;
            length += digits(sources[i]) + 1 + digits(nextOffsets[i]);
            length += hasEpoch ? 1 + digits(leaderEpochs[i]) : 0;
        }
        byte[] text = new byte[length];
        int at = 0;
        for (int i = 0; i < sources.length; i++) {
            if (i > 0) {
                text[at++] = ' ';
            }
            at = append(text, at, sources[i]);
            text[at++] = ':';
            at = append(text, at, nextOffsets[i]);
            if (leaderEpochs[i] != NextOffset.NO_EPOCH) {
                text[at++] = '@';
                at = append(text, at, leaderEpochs[i]);
            }
        }
        return text;
    }

    private static int digits(long number) {
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        return digits;
    }

    private static int append(byte[] text, int from, long number) {
        int end = from + digits(number);
        long rest = number;
        for (int at = end - 1; at >= from; at--) {
            text[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        return end;
    }

    /** Reads what {@link #format} wrote. */
    public static Marks parse(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        int size = 1 + (int) text.chars().filter(c -> c == ' ').count();
        Marks marks = new Marks(new int[size], new long[size], new int[size]);
        int from = 0;
        for (int i = 0; i < size; i++) {
            int end = text.indexOf(' ', from);
            end = end < 0 ? text.length() : end;
            int colon = text.indexOf(':', from);
            int at = text.indexOf('@', from);
            boolean hasEpoch = at >= 0 && at < end;
            try {
                marks.sources[i] = Integer.parseInt(text, from, colon, 10);
                marks.nextOffsets[i] = Long.parseLong(text, colon + 1, hasEpoch ? at : end, 10);
                marks.leaderEpochs[i] =
                        hasEpoch ? Integer.parseInt(text, at + 1, end, 10) : NextOffset.NO_EPOCH;
            } catch (IndexOutOfBoundsException | NumberFormatException e) {
                throw new InvariantViolation("these are no marks: " + text, e);
            }
            from = end + 1;
        }
        return marks;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Marks that
                && Arrays.equals(sources, that.sources)
                && Arrays.equals(nextOffsets, that.nextOffsets)
                && Arrays.equals(leaderEpochs, that.leaderEpochs);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(sources) * 31 + Arrays.hashCode(nextOffsets);
    }

    @Override
    public String toString() {
        return format();
    }
}
