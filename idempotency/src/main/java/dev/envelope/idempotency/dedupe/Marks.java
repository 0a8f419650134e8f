package dev.envelope.idempotency.dedupe;

import dev.envelope.core.api.Digits;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * How far each source is applied to a key: for each source, the next offset not applied and the
 * leader epoch of the last one applied. They are per source because a key moves to another
 * partition when partitions are added; a single offset per key would then drop new records in
 * silence.
 *
 * <p>Threads: immutable.
 */
public final class Marks {

    /** The marks of a key without applied messages. */
    public static final Marks NONE = new Marks(new long[0]);

    /**
     * Two longs per source, ascending by source: the source with the leader epoch, then the next
     * offset. A single array saves memory in the cache, which has one per row.
     */
    private final long[] marks;

    private Marks(long[] marks) {
        this.marks = marks;
    }

    private static long head(int source, int leaderEpoch) {
        return (long) source << Integer.SIZE | Integer.toUnsignedLong(leaderEpoch);
    }

    private int source(int at) {
        return (int) (marks[at] >> Integer.SIZE);
    }

    private int leaderEpoch(int at) {
        return (int) marks[at];
    }

    private long offset(int at) {
        return marks[at + 1];
    }

    /** The index of a source's mark; if it has none, {@code -1 -} the index to insert it at. */
    private int find(int source) {
        int at = 0;
        while (at < marks.length && source(at) < source) {
            at += 2;
        }
        return at < marks.length && source(at) == source ? at : -1 - at;
    }

    /**
     * Whether a message is new to the key. After an accepted truncation the log has a new source,
     * but some of its records may have been applied under the former one, before the truncation was
     * found. A leader epoch has one leader: a record with the leader epoch of the last one applied,
     * and a lower offset, was in the same log as that one.
     */
    public Verdict judge(Message message) {
        PartitionEpoch epoch = message.epoch();
        Verdict verdict = judge(epoch.source(), message.offset(), message.leaderEpoch());
        if (verdict != Verdict.NEW) {
            return verdict;
        }
        for (int former : epoch.formerSources()) {
            int at = find(former);
            if (at >= 0
                    && message.offset() < offset(at)
                    && message.leaderEpoch() == leaderEpoch(at)
                    && message.leaderEpoch() != NextOffset.NO_EPOCH) {
                return Verdict.DUPLICATE;
            }
        }
        return Verdict.NEW;
    }

    /** The same for one source, without its former ones. */
    Verdict judge(int source, long offset, int leaderEpoch) {
        int at = find(source);
        if (at < 0 || offset >= offset(at)) {
            return Verdict.NEW;
        }
        boolean epochsKnown =
                leaderEpoch != NextOffset.NO_EPOCH && leaderEpoch(at) != NextOffset.NO_EPOCH;
        return epochsKnown && leaderEpoch > leaderEpoch(at) ? Verdict.REWRITTEN : Verdict.DUPLICATE;
    }

    /** These marks with the mark of one source advanced; a mark never shrinks (I5). */
    public Marks advance(int source, NextOffset next) {
        int at = find(source);
        long[] advanced;
        if (at >= 0) {
            if (next.offset() <= offset(at)) {
                throw new InvariantViolation(
                        "a mark would shrink from " + offset(at) + " to " + next);
            }
            advanced = marks.clone();
        } else {
            at = -1 - at;
            advanced = Arrays.copyOf(marks, marks.length + 2);
            System.arraycopy(marks, at, advanced, at + 2, marks.length - at);
        }
        advanced[at] = head(source, next.leaderEpoch());
        advanced[at + 1] = next.offset();
        return new Marks(advanced);
    }

    /** Whether the source has a mark. */
    public boolean has(int source) {
        return find(source) >= 0;
    }

    /** The first of these messages that is below its source's mark; null if none is. */
    public @Nullable Message firstBelow(List<Message> messages) {
        for (Message message : messages) {
            if (message.offset() < nextOffset(message.epoch().source())) {
                return message;
            }
        }
        return null;
    }

    /** Only the marks of these sources. */
    public Marks of(IntPredicate wanted) {
        long[] kept = new long[marks.length];
        int size = 0;
        for (int at = 0; at < marks.length; at += 2) {
            if (wanted.test(source(at))) {
                kept[size++] = marks[at];
                kept[size++] = marks[at + 1];
            }
        }
        return size == marks.length ? this : new Marks(Arrays.copyOf(kept, size));
    }

    /** Calls the consumer with each source and its mark. */
    public void forEach(BiConsumer<Integer, NextOffset> to) {
        for (int at = 0; at < marks.length; at += 2) {
            to.accept(source(at), new NextOffset(offset(at), leaderEpoch(at)));
        }
    }

    /** The next offset of a source, or 0 if it has no mark. */
    public long nextOffset(int source) {
        int at = find(source);
        return at < 0 ? 0 : offset(at);
    }

    public int size() {
        return marks.length / 2;
    }

    /** The form in the row: {@code source:nextOffset@leaderEpoch}, separated by blanks. */
    public String format() {
        return new String(utf8(), StandardCharsets.US_ASCII);
    }

    private byte[] utf8() {
        byte[] text = new byte[utf8Length()];
        writeTo(text, 0);
        return text;
    }

    /** The length of {@link #format} in bytes. */
    public int utf8Length() {
        int length = Math.max(0, size() - 1);
        for (int at = 0; at < marks.length; at += 2) {
            boolean hasEpoch = leaderEpoch(at) != NextOffset.NO_EPOCH;
            length += Digits.count(source(at)) + 1 + Digits.count(offset(at));
            length += hasEpoch ? 1 + Digits.count(leaderEpoch(at)) : 0;
        }
        return length;
    }

    /** Writes the same as {@link #format} into an array, from that index on. */
    public void writeTo(byte[] text, int from) {
        int end = from;
        for (int at = 0; at < marks.length; at += 2) {
            if (at > 0) {
                text[end++] = ' ';
            }
            end = Digits.write(text, end, source(at));
            text[end++] = ':';
            end = Digits.write(text, end, offset(at));
            if (leaderEpoch(at) != NextOffset.NO_EPOCH) {
                text[end++] = '@';
                end = Digits.write(text, end, leaderEpoch(at));
            }
        }
    }

    /** Reads what {@link #format} wrote. */
    public static Marks parse(String text) {
        if (text.isEmpty()) {
            return NONE;
        }
        long[] marks = new long[2 + 2 * (int) text.chars().filter(c -> c == ' ').count()];
        int from = 0;
        for (int into = 0; into < marks.length; into += 2) {
            int end = text.indexOf(' ', from);
            end = end < 0 ? text.length() : end;
            int colon = text.indexOf(':', from);
            int at = text.indexOf('@', from);
            boolean hasEpoch = at >= 0 && at < end;
            try {
                int source = Integer.parseInt(text, from, colon, 10);
                int epoch =
                        hasEpoch ? Integer.parseInt(text, at + 1, end, 10) : NextOffset.NO_EPOCH;
                marks[into] = head(source, epoch);
                marks[into + 1] = Long.parseLong(text, colon + 1, hasEpoch ? at : end, 10);
            } catch (IndexOutOfBoundsException | NumberFormatException e) {
                throw new InvariantViolation("these are no marks: " + text, e);
            }
            from = end + 1;
        }
        return new Marks(marks);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Marks that && Arrays.equals(marks, that.marks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(marks);
    }

    @Override
    public String toString() {
        return format();
    }
}
