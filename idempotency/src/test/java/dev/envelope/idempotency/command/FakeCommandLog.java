package dev.envelope.idempotency.command;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A log that acknowledges when it is told to. Threads: guarded by this. */
final class FakeCommandLog implements CommandLog {

    private final ArrayDeque<Consumer<Put>> underWay = new ArrayDeque<>();
    private final List<String> puts = new ArrayList<>();
    private String trouble = "";
    private boolean isFull;
    private boolean isClosed;

    @Override
    public String topic() {
        return "orders";
    }

    @Override
    public synchronized Optional<String> trouble() {
        return trouble.isEmpty() ? Optional.empty() : Optional.of(trouble);
    }

    synchronized void trouble(String why) {
        trouble = why;
    }

    @Override
    public synchronized boolean put(int partition, Command command, Consumer<Put> then) {
        puts.add(command.key() + "/" + command.id() + " to " + partition);
        if (isFull) {
            then.accept(new Put.NotWritten("no room"));
            return false;
        }
        underWay.add(then);
        notifyAll();
        return true;
    }

    /** From now on there is no room, or some again. */
    synchronized void full(boolean now) {
        isFull = now;
    }

    /** What was put, as key, id and partition. */
    synchronized List<String> puts() {
        return List.copyOf(puts);
    }

    /** Waits until so many were put. */
    synchronized void awaitPuts(int count) throws InterruptedException {
        while (puts.size() < count) {
            wait();
        }
    }

    /** Tells of the oldest that is under way. */
    synchronized void answer(Put put) {
        underWay.remove().accept(put);
    }

    /** Tells of all that are under way. */
    synchronized void answerAll(Put put) {
        while (!underWay.isEmpty()) {
            answer(put);
        }
    }

    synchronized boolean isClosed() {
        return isClosed;
    }

    @Override
    public synchronized void close() {
        isClosed = true;
    }
}
