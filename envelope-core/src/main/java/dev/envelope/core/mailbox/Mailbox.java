package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a shard: lists of messages in the order of their polls, and notices, which go
 * first.
 *
 * <p>Its size is bounded by the byte budget of the process: the poll thread stops fetching at that.
 *
 * <p>Threads: thread-safe for posting (concurrent queues); only the shard's runner takes.
 */
final class Mailbox {

    /** What is posted to a shard besides messages. */
    sealed interface Notice {}

    /** Notices without content. */
    enum Told implements Notice {
        /** A timer has gone off. */
        TIME_HAS_COME,
        /** Epochs have ended: forget their messages. */
        EPOCHS_ENDED
    }

    /**
     * A fold that was left behind has returned.
     *
     * @param turn the number of the turn that left it behind
     * @param folded its result, or null if there is nothing to keep
     */
    record FoldReturned(long turn, String key, @Nullable Object folded) implements Notice {}

    private final Queue<Notice> notices = new ConcurrentLinkedQueue<>();
    private final Queue<List<Message>> messages = new ConcurrentLinkedQueue<>();
    private final AtomicLong posts = new AtomicLong();
    private List<Message> opened =
            List.of(); // runner only: taken from the queue, partly handed out
    private int handedOut; // runner only

    void post(List<Message> batch) {
        messages.add(batch);
        posts.incrementAndGet();
    }

    void post(Notice notice) {
        notices.add(notice);
        posts.incrementAndGet();
    }

    @Nullable Notice nextNotice() {
        return notices.poll();
    }

    /** The next message in order, or null when nothing waits. */
    @Nullable Message nextMessage() {
        if (handedOut == opened.size()) {
            List<Message> next = messages.poll();
            if (next == null) {
                opened = List.of();
                handedOut = 0;
                return null;
            }
            opened = next;
            handedOut = 0;
        }
        return opened.get(handedOut++);
    }

    /** Grows with every post. */
    long posts() {
        return posts.get();
    }

    boolean hasMessages() {
        return handedOut < opened.size() || !messages.isEmpty();
    }

    boolean hasNotices() {
        return !notices.isEmpty();
    }
}
