package dev.envelope.app.gateway;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Callers;
import dev.envelope.app.http.Listener;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * A request that is answered once, from any thread. Its body and its answer must get on at a
 * minimum pace.
 *
 * <p>Threads: thread-safe (atomics, a volatile reference).
 */
final class Exchange {

    /** What a body or an answer has in any case. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    private static final long LEAST_BYTES_A_SECOND = 64 << 10;

    static final HttpFields HEADERS =
            HttpFields.build(Listener.HEADERS)
                    .put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
                    .asImmutable();

    private final Request request;
    private final Response response;
    private final Callback jetty;
    private final Callers callers;
    private final Connection caller;
    private final Unanswered unanswered;
    private final Space unread;
    private final AtomicBoolean isAnswered = new AtomicBoolean();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    private volatile @Nullable Presence presence;

    /**
     * Begins with a request.
     *
     * @param callers are told of it, and of its end
     * @param unread the bytes of answers that callers have not read yet
     */
    Exchange(
            Request request,
            Response response,
            Callback jetty,
            Callers callers,
            Unanswered unanswered,
            Space unread) {
        this.request = request;
        this.response = response;
        this.jetty = jetty;
        this.callers = callers;
        this.caller = request.getConnectionMetaData().getConnection();
        this.unanswered = unanswered;
        this.unread = unread;
        unanswered.begins();
        callers.asks(caller);
        request.addIdleTimeoutListener(timeout -> false); // while it waits for its outcome
    }

    Request request() {
        return request;
    }

    /** Completed once the answer is written, or the caller is gone. */
    CompletableFuture<?> over() {
        return over;
    }

    /** The path as it was sent; some requests have none. */
    String path() {
        return String.valueOf(request.getHttpURI().getPath());
    }

    /** Sets a header of the answer; before {@link #answer}. */
    void put(String header, String value) {
        response.getHeaders().put(header, value);
    }

    /** The connection ends with the answer: what is left of the body is not read. */
    void isLast() {
        put("Connection", "close");
    }

    /**
     * Ends the exchange without an answer if its caller ends the connection before there is one.
     *
     * @param gone is told; must not block
     */
    void watch(Runnable gone) {
        Presence watched =
                Presence.watch(
                        caller,
                        () -> {
                            gone.run(); // before the wait for this exchange ends, which it may
                            // cancel
                            if (isAnswered.compareAndSet(false, true)) {
                                caller.close();
                                end(0);
                                jetty.failed(new EofException("the caller is gone"));
                            }
                        });
        presence = watched;
        if (isAnswered.get()) { // meanwhile
            watched.end();
        }
    }

    /** Answers; a second answer is dropped. */
    void answer(Answer answer) {
        if (!isAnswered.compareAndSet(false, true)) {
            return;
        }
        @Nullable Presence watched = presence;
        if (watched != null) {
            watched.end();
        }
        byte[] body = answer.bytes();
        if (unread.take(body.length)) {
            write(answer, body, body.length);
        } else {
            Answer instead = Answer.problem(503, "callers do not read their answers");
            write(instead, instead.bytes(), 0);
        }
    }

    private void write(Answer answer, byte[] body, int taken) {
        answer.begin(response, HEADERS);
        Callback written =
                Callback.from(
                        () -> {
                            end(taken);
                            jetty.succeeded();
                        },
                        failure -> {
                            end(taken);
                            jetty.failed(failure);
                        });
        response.write(true, ByteBuffer.wrap(body), written);
        if (!isOver.get()) {
            after(time(body.length), this::giveUp);
        }
    }

    /** Before Jetty is told, which may begin with the connection's next request. */
    private void end(int taken) {
        isOver.set(true);
        over.complete(null);
        unread.free(taken);
        callers.isAnswered(caller);
        unanswered.ends();
    }

    /** The caller has not read its answer in time. */
    private void giveUp() {
        if (!isOver.get()) {
            caller.close();
        }
    }

    /** The time for so many bytes, from the caller or to it. */
    static Duration time(long bytes) {
        return GRACE.plusMillis(1_000 * bytes / LEAST_BYTES_A_SECOND);
    }

    /** Runs a task after that time. */
    Scheduler.Task after(Duration time, Runnable task) {
        return request.getComponents()
                .getScheduler()
                .schedule(task, time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
