package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The unacked records of a ledger by their sequences: what commits and people ask of them, in pages
 * of numbers and characters. So the garbage collector has few objects to follow, and the messages
 * themselves need not be kept. A page of which all is acked is used again. If there are many, those
 * of which most is acked become small ones.
 *
 * <p>Threads: poll thread only.
 */
final class UnackedRecords {

    private static final int BITS = RecordPage.BITS;

    /** Free pages that are kept at least. */
    private static final int KEPT_PAGES = 16;

    /** With no more pages than these, small ones are not worth their work. */
    private static final int MANY_PAGES = 64;

    private final List<@Nullable RecordPage> pages = new ArrayList<>(); // null where all is acked
    private final ArrayDeque<RecordPage> spare = new ArrayDeque<>();
    private int largePages; // of them
    private long firstPage; // the number of the first of them
    private long end; // the sequence after the last record

    /** Adds a record, whose sequence is the next. */
    void add(Message message) {
        if (RecordPage.at(end) == 0) {
            RecordPage kept = spare.poll();
            pages.add(kept == null ? new RecordPage() : kept);
            largePages++;
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
        RecordPage page = sequence < 0 || sequence >= end ? null : page(sequence);
        int bytes = page == null ? 0 : page.remove(RecordPage.at(sequence));
        if (page == null || bytes == 0) {
            throw new InvariantViolation(
                    "acked sequence %d twice or never received: %d is the first unacked, %d is next"
                            .formatted(sequence, firstAt(0), end));
        }
        if (page.isDone()) {
            replace(page, sequence, null);
            forgetFirstPages();
        } else if (pages.size() > MANY_PAGES && page.isMostlyDone()) {
            replace(page, sequence, page.small());
        }
        return bytes;
    }

    private void replace(RecordPage page, long sequence, @Nullable RecordPage by) {
        pages.set((int) ((sequence >> BITS) - firstPage), by);
        if (!page.isSmall()) {
            page.clear();
            spare.push(page);
            largePages--;
        }
        while (spare.size() > KEPT_PAGES + largePages) {
            spare.pop();
        }
    }

    private void forgetFirstPages() {
        int done = 0;
        while (done < pages.size() && pages.get(done) == null) {
            done++;
        }
        pages.subList(0, done).clear();
        firstPage += done;
    }

    /** The first unacked record at or behind this sequence, or the sequence after the last. */
    long firstAt(long sequence) {
        long next = Math.max(sequence, firstPage << BITS);
        while (next < end) {
            RecordPage page = page(next);
            if (page == null) {
                next = ((next >> BITS) + 1) << BITS;
            } else if (page.has(RecordPage.at(next))) {
                return next;
            } else {
                next++;
            }
        }
        return end;
    }

    long offset(long sequence) {
        return pageOf(sequence).offset(RecordPage.at(sequence));
    }

    NextOffset asNext(long sequence) {
        return pageOf(sequence).asNext(RecordPage.at(sequence));
    }

    MessageName name(TopicPartition partition, long sequence) {
        return pageOf(sequence).name(partition, RecordPage.at(sequence));
    }

    /** Adds up what they are held with. */
    long heldBytes() {
        return pages.stream()
                .filter(Objects::nonNull)
                .mapToLong(page -> Objects.requireNonNull(page).heldBytes())
                .sum();
    }

    /** For how many records there is room now. */
    int capacity() {
        int capacity = 0;
        for (RecordPage page : pages) {
            capacity += page == null ? 0 : page.capacity();
        }
        return capacity + spare.stream().mapToInt(RecordPage::capacity).sum();
    }

    private RecordPage pageOf(long sequence) {
        return Objects.requireNonNull(page(sequence));
    }

    private @Nullable RecordPage page(long sequence) {
        long index = (sequence >> BITS) - firstPage;
        return index < 0 || index >= pages.size() ? null : pages.get((int) index);
    }
}
