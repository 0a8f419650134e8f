package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The unacked records of a ledger by their sequences: what commits and people ask of them, in pages
 * of numbers and characters. So the garbage collector has no objects to follow, and the messages
 * themselves need not be kept. A page of which all is acked takes no memory.
 *
 * <p>Threads: poll thread only.
 */
final class UnackedRecords {

    private static final int BITS = 7;
    private static final int OF_A_PAGE = 1 << BITS;

    /** Room for the characters of their keys, if these are of an ordinary length. */
    private static final int KEYS = 16 * OF_A_PAGE;

    /** What an empty ledger keeps of its room. */
    private static final int KEPT_PAGES = 32;

    /** Records one after the other. */
    private static final class Page {
        private final long[] offsets = new long[OF_A_PAGE];
        private final long[] timestamps = new long[OF_A_PAGE];
        private final int[] leaderEpochs = new int[OF_A_PAGE];
        private final int[] heldBytes = new int[OF_A_PAGE]; // 0 of those that are acked
        private final int[] keyEnds = new int[OF_A_PAGE];
        private final @Nullable String[] keptKeys = new String[OF_A_PAGE];
        private char[] keys = new char[KEYS]; // the others
        private int records;
        private int unacked;

        void add(Message message) {
            int at = records++;
            offsets[at] = message.offset();
            timestamps[at] = message.timestampMillis();
            leaderEpochs[at] = message.leaderEpoch();
            heldBytes[at] = message.heldBytes();
            keptKeys[at] = message.isKeyKept() ? message.key() : null;
            keyEnds[at] = message.isKeyKept() ? keyStart(at) : copy(message.key(), keyStart(at));
            unacked++;
        }

        private int copy(String key, int start) {
            int end = start + key.length();
            if (end > keys.length) {
                keys = Arrays.copyOf(keys, Math.max(end, 2 * keys.length));
            }
            key.getChars(0, key.length(), keys, start);
            return end;
        }

        private int keyStart(int at) {
            return at == 0 ? 0 : keyEnds[at - 1];
        }

        String key(int at) {
            int start = keyStart(at);
            String kept = keptKeys[at];
            return kept == null ? new String(keys, start, keyEnds[at] - start) : kept;
        }

        void clear() {
            records = 0;
            if (keys.length > 4 * KEYS) {
                keys = new char[KEYS];
            }
        }
    }

    private final List<@Nullable Page> pages = new ArrayList<>(); // null where all is acked
    private final ArrayDeque<Page> spare = new ArrayDeque<>();
    private long firstPage; // the number of the first of them
    private long end; // the sequence after the last record

    /** Adds a record, whose sequence is the next. */
    void add(Message message) {
        int at = (int) (end & (OF_A_PAGE - 1));
        if (at == 0) {
            Page kept = spare.poll();
            pages.add(kept == null ? new Page() : kept);
        }
        Objects.requireNonNull(pages.get(pages.size() - 1)).add(message);
        end++;
    }

    /**
     * Takes out a record that is acked.
     *
     * @return the bytes that it was held with
     */
    int remove(long sequence) {
        Page page = sequence < 0 || sequence >= end ? null : page(sequence);
        int at = at(sequence);
        int bytes = page == null ? 0 : page.heldBytes[at];
        if (page == null || bytes == 0) {
            throw new InvariantViolation(
                    "acked sequence %d twice or never received: %d are".formatted(sequence, end));
        }
        page.heldBytes[at] = 0;
        page.unacked--;
        if (page.unacked == 0 && page.records == OF_A_PAGE) {
            free(page, sequence);
        }
        return bytes;
    }

    private void free(Page page, long sequence) {
        page.clear();
        spare.push(page);
        pages.set((int) ((sequence >> BITS) - firstPage), null);
        int done = 0;
        while (done < pages.size() && pages.get(done) == null) {
            done++;
        }
        pages.subList(0, done).clear();
        firstPage += done;
    }

    /** Gives back most of the room that a burst has taken of which nothing is left. */
    void trim() {
        while (spare.size() > KEPT_PAGES) {
            spare.pop();
        }
    }

    /** The first unacked record at or behind this sequence, or the sequence after the last. */
    long firstAt(long sequence) {
        long next = Math.max(sequence, firstPage << BITS);
        while (next < end) {
            Page page = page(next);
            if (page == null) {
                next = ((next >> BITS) + 1) << BITS;
            } else if (page.heldBytes[at(next)] > 0) {
                return next;
            } else {
                next++;
            }
        }
        return end;
    }

    long offset(long sequence) {
        return pageOf(sequence).offsets[at(sequence)];
    }

    NextOffset asNext(long sequence) {
        return new NextOffset(offset(sequence), pageOf(sequence).leaderEpochs[at(sequence)]);
    }

    MessageName name(TopicPartition partition, long sequence) {
        Page page = pageOf(sequence);
        int at = at(sequence);
        return new MessageName(partition, page.offsets[at], page.key(at), page.timestamps[at]);
    }

    /** Adds up what they are held with. */
    long heldBytes() {
        long sum = 0;
        for (Page page : pages) {
            if (page != null) {
                for (int at = 0; at < page.records; at++) {
                    sum += page.heldBytes[at];
                }
            }
        }
        return sum;
    }

    /** For how many records there is room now. */
    int capacity() {
        long used = pages.stream().filter(Objects::nonNull).count();
        return (int) (used + spare.size()) * OF_A_PAGE;
    }

    private Page pageOf(long sequence) {
        return Objects.requireNonNull(page(sequence));
    }

    private @Nullable Page page(long sequence) {
        long index = (sequence >> BITS) - firstPage;
        return index < 0 || index >= pages.size() ? null : pages.get((int) index);
    }

    private static int at(long sequence) {
        return (int) (sequence & (OF_A_PAGE - 1));
    }
}
