package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import dev.envelope.core.waiting.Slabs;
import dev.envelope.core.waiting.WaitingMessages;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What waits for a shard: messages in the order of their polls, and notices, which go first.
 *
 * <p>Its size is bounded by the byte budget of the process: the poll thread stops fetching at that.
 *
 * <p>Threads: any thread posts notices (a concurrent queue), the poll thread messages; only the
 * shard's runner takes.
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
    private final WaitingMessages messages;
    private final AtomicLong posts = new AtomicLong();

    Mailbox(Slabs slabs) {
        messages = new WaitingMessages(slabs);
    }

    void post(List<Message> batch, long now) {
        messages.add(batch, now);
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
    @Nullable Message nextMessage(long now) {
        return messages.next(now);
    }

    /** Grows with every post. */
    long posts() {
        return posts.get();
    }

    boolean hasMessages() {
        return messages.isWaiting();
    }

    boolean hasNotices() {
        return !notices.isEmpty();
    }
}
