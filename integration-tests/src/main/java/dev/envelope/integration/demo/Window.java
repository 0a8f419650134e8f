package dev.envelope.integration.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The last minute.
 *
 * <p>Threads: one thread.
 */
final class Window {

    static final int SECONDS = 60;

    private final Deque<Second> seconds = new ArrayDeque<>();

    void add(Second second) {
        seconds.addLast(second);
        if (seconds.size() > SECONDS) {
            seconds.removeFirst();
        }
    }

    /** The oldest first. */
    List<Second> seconds() {
        return List.copyOf(seconds);
    }
}
