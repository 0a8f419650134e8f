package dev.envelope.app.ops.http;

import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Callers;
import dev.envelope.app.http.Refused;
import dev.envelope.app.ops.api.Live;
import dev.envelope.app.ops.api.Route;
import dev.envelope.core.api.UnavailableException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers requests: checks access, finds the route, and turns errors into answers.
 *
 * <p>It keeps threads free for the probes: of all other requests only so many are answered at a
 * time, and the rest get a 503. Callers that do not read their answers block no more threads than
 * that.
 *
 * <p>Threads: thread-safe (a semaphore).
 */
final class Responder extends Handler.Abstract {

    /** The most answers at a time, streams included. */
    static final int MOST = Live.MOST_STREAMS + 8;

    private static final Logger log = LoggerFactory.getLogger(Responder.class);

    private final Access access;
    private final List<Route> routes;
    private final Callers callers;
    private final Semaphore places = new Semaphore(MOST);

    Responder(Access access, List<Route> routes, Callers callers) {
        this.access = access;
        this.routes = List.copyOf(routes);
        this.callers = callers;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Connection caller = request.getConnectionMetaData().getConnection();
        callers.asks(caller);
        Callback answered = Callback.from(callback, () -> callers.isAnswered(caller));
        boolean hasPlace = false;
        try {
            if (Access.isProbe(path(request))) {
                write(answer(request, response.getHeaders()), response, answered);
                return true;
            }
            hasPlace = places.tryAcquire();
            if (!hasPlace) {
                write(Answer.problem(503, "too many requests at a time"), response, answered);
                return true;
            }
            Answer answer = answer(request, response.getHeaders());
            answer.begin(response, Access.HEADERS);
            try (OutputStream to = Response.asBufferedOutputStream(request, response)) {
                answer.body().writeTo(to);
            }
            answered.succeeded();
        } catch (IOException e) { // the caller has disconnected, or does not read
            answered.failed(e);
        } catch (RuntimeException e) { // in the middle of a stream
            log.warn("{} could not be answered", path(request), e);
            answered.failed(e);
        } finally {
            if (hasPlace) {
                places.release();
            }
        }
        return true;
    }

    /** The path as it was sent; some requests have none. */
    private static String path(Request request) {
        return String.valueOf(request.getHttpURI().getPath());
    }

    /** Hands a small answer to Jetty, so that no thread waits for the caller to read it. */
    private static void write(Answer answer, Response response, Callback answered) {
        answer.begin(response, Access.HEADERS);
        response.write(true, ByteBuffer.wrap(answer.bytes()), answered);
    }

    private Answer answer(Request request, HttpFields.Mutable headers) {
        try {
            Call call = new Call(request);
            access.guard(call, headers);
            return routed(call);
        } catch (Refused e) {
            return e.answer();
        } catch (UnavailableException e) {
            return Answer.problem(503, String.valueOf(e.getMessage()));
        } catch (IOException | RuntimeException e) {
            if (e instanceof HttpException bad) { // an address that can't be parsed
                return Answer.problem(bad.getCode(), String.valueOf(bad.getReason()));
            }
            log.warn("{} could not be answered", path(request), e);
            return Answer.problem(500, "could not be answered, see the log");
        }
    }

    private Answer routed(Call call) throws IOException {
        boolean isHead = call.method().equals("HEAD");
        for (Route route : routes) {
            if (route.isFor(isHead ? "GET" : call.method(), call.path())) {
                if (isHead && !Access.isProbe(call.path())) {
                    return Answer.text(200, "text/plain", "");
                }
                Answer answer = route.handler().answer(call);
                return isHead ? Answer.text(answer.status(), "text/plain", "") : answer;
            }
        }
        throw new Refused(404, "Endpoint %s %s not found".formatted(call.method(), call.path()));
    }
}
