package dev.envelope.app.gateway;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.Callback;

/**
 * Notices that the caller of a request that waits has ended the connection. Jetty reads nothing of
 * a connection between a request and its answer, so it sees no end. Here one byte is read. If there
 * is one, it belongs to the next request: it is handed to Jetty, and nothing more is read.
 *
 * <p>Threads: guarded by this.
 */
final class Presence implements Callback {

    /** The request is answered; without a stack trace, since that is usual. */
    private static final class AnsweredException extends Exception {

        private static final long serialVersionUID = 1L;

        AnsweredException() {
            super("the request is answered", null, false, false);
        }
    }

    private final AbstractEndPoint channel;
    private final Connection.UpgradeTo next;
    private final Runnable gone;
    private boolean isWatching;
    private boolean isOver;

    private Presence(AbstractEndPoint channel, Connection.UpgradeTo next, Runnable gone) {
        this.channel = channel;
        this.next = next;
        this.gone = gone;
    }

    /**
     * Watches a connection of which a whole request has been read, until {@link #end}.
     *
     * @param gone called once, if the connection ends before that; must not block
     */
    static Presence watch(Connection connection, Runnable gone) {
        if (connection.getEndPoint() instanceof AbstractEndPoint channel
                && connection instanceof Connection.UpgradeTo next) {
            Presence presence = new Presence(channel, next, gone);
            presence.begin();
            return presence;
        }
        throw new IllegalStateException("a connection that can't be watched: " + connection);
    }

    private synchronized void begin() {
        isWatching = !isOver && channel.tryFillInterested(this);
    }

    /** Before the answer is written: behind that, Jetty reads again. */
    void end() {
        boolean wasWatching;
        synchronized (this) {
            wasWatching = isWatching;
            isOver = true;
            isWatching = false;
        }
        if (wasWatching) { // false if it is being called just now: then it finds that it is over
            channel.getFillInterest().onFail(new AnsweredException());
        }
    }

    @Override
    public void succeeded() {
        if (isAtItsEnd()) {
            gone.run();
        }
    }

    private synchronized boolean isAtItsEnd() {
        isWatching = false;
        if (isOver) {
            return false;
        }
        ByteBuffer one = BufferUtil.allocate(1);
        try {
            int read = channel.fill(one);
            if (read == 0) {
                begin();
                return false;
            }
            isOver = true;
            if (read > 0) {
                next.onUpgradeTo(one);
            }
            return read < 0;
        } catch (IOException e) {
            isOver = true;
            return true;
        }
    }

    @Override
    public void failed(Throwable failure) {
        boolean isGone;
        synchronized (this) {
            isGone = !isOver;
            isOver = true;
            isWatching = false;
        }
        if (isGone) {
            gone.run();
        }
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }
}
