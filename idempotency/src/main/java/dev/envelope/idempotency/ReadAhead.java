package dev.envelope.idempotency;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.Work;
import java.util.List;

/**
 * Reads the values of the next works from memory. They have waited for so long that they are in no
 * cache of the processor. While they are folded, one after the other, each first look would wait
 * for memory; in one short loop many of these waits go on at once.
 *
 * <p>Threads: one thread.
 */
final class ReadAhead {

    /** So many that they fit into the smallest cache. */
    private static final int MESSAGES = 64;

    private final List<? extends Work<?>> works;
    private int begun;
    private int read;
    private int sum;

    ReadAhead(List<? extends Work<?>> works) {
        this.works = works;
    }

    /** The next work is about to begin. */
    void next() {
        if (begun == read) {
            int messages = 0;
            while (read < works.size() && messages < MESSAGES) {
                messages += read(works.get(read++).envelope().messages());
            }
        }
        begun++;
    }

    private int read(List<Message> messages) {
        int most = Math.min(messages.size(), 4 * MESSAGES);
        for (int i = 0; i < most; i++) {
            byte[] value = messages.get(i).value();
            if (value != null && value.length > 0) {
                sum += value[0] + value[value.length / 2] + value[value.length - 1];
            }
        }
        return messages.size();
    }

    /** Of all bytes that were read: without it, the compiler might leave the reads out. */
    int sum() {
        return sum;
    }
}
