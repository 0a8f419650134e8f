package dev.envelope.app.ops.http;

import dev.envelope.app.ops.api.Live;
import dev.envelope.app.ops.api.Problem;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Keeps threads for the probes: of everything else so many are answered at a time, and whoever
 * comes beyond that is told to come again. Callers who do not read what they are answered hold
 * theirs, and no more than these.
 *
 * <p>Threads: thread-safe (a semaphore).
 */
final class Reserve extends Handler.Wrapper {

    /** At a time, with the streams. */
    static final int MOST = Live.MOST_STREAMS + 8;

    private final Callers callers;
    private final Semaphore places = new Semaphore(MOST);

    Reserve(Callers callers) {
        this.callers = callers;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Connection caller = request.getConnectionMetaData().getConnection();
        callers.asks(caller);
        Callback answered = Callback.from(callback, () -> callers.isAnswered(caller));
        if (Access.isProbe(Request.getPathInContext(request))) {
            return super.handle(request, response, answered);
        }
        if (!places.tryAcquire()) {
            response.setStatus(503);
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "1");
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, Problem.TYPE);
            Content.Sink.write(
                    response, true, Problem.text(503, "others are being answered"), answered);
            return true;
        }
        AtomicBoolean isHeld = new AtomicBoolean(true);
        Runnable free =
                () -> {
                    if (isHeld.getAndSet(false)) {
                        places.release();
                    }
                };
        boolean isHandled = false;
        try {
            isHandled = super.handle(request, response, Callback.from(answered, free));
            return isHandled;
        } finally {
            if (!isHandled) { // nobody completes the callback then
                free.run();
            }
        }
    }
}
