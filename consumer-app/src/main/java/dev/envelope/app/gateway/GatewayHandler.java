package dev.envelope.app.gateway;

import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.http.Answer;
import dev.envelope.app.http.Call;
import dev.envelope.app.http.Callers;
import dev.envelope.app.http.Refused;
import dev.envelope.app.ops.RateLimit;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.command.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes requests: checks access, finds what answers them, and turns errors into answers.
 *
 * <p>Threads: thread-safe (a volatile flag). No thread waits, for a body, an outcome or a caller.
 */
final class GatewayHandler extends Handler.Abstract.NonBlocking {

    /** The statuses of requests that become no command and no read. */
    static final int[] REFUSALS = {400, 401, 403, 404, 405, 408, 413, 415, 421, 429, 500, 503};

    private static final Logger log = LoggerFactory.getLogger(GatewayHandler.class);
    private static final String ROOT = "/v1/entities/";
    private static final String OWNER = "/v1/owner/";
    private static final String MESSAGES = "/messages";
    private static final String QUERY = "query";

    private final GatewayAccess access;
    private final Apis apis;
    private final Body.Limits bodies;
    private final Space unread;
    private final GatewayMeters meters;
    private final Executor executor;
    private final Callers callers;
    private final Unanswered unanswered = new Unanswered();
    private final RateLimit lines = new RateLimit(1, System::nanoTime);
    private volatile String closedBecause = "the process is starting";

    /** What answers. */
    record Apis(EntityKeys keys, CommandsApi commands, ReadsApi reads) {}

    /**
     * @param unread counts the bytes of answers that callers have not read yet
     * @param executor runs what answers when an outcome is there
     * @param callers are told of requests
     */
    GatewayHandler(
            GatewayAccess access,
            Apis apis,
            Body.Limits bodies,
            Space unread,
            GatewayMeters meters,
            Executor executor,
            Callers callers) {
        this.access = access;
        this.apis = apis;
        this.bodies = bodies;
        this.unread = unread;
        this.meters = meters;
        this.executor = executor;
        this.callers = callers;
    }

    /** Takes requests from now on; all are refused before. */
    void begin() {
        closedBecause = "";
    }

    /** Refuses requests from now on; those that have begun are answered. */
    void end() {
        closedBecause = "the process is ending";
    }

    /** Waits until all that have begun are answered, so long at most. */
    void awaitLastAnswers(Duration most) {
        unanswered.await(most);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        Exchange exchange = new Exchange(request, response, callback, callers, unanswered, unread);
        answering(exchange, () -> handle(exchange, new Call(request)));
        return true;
    }

    private void handle(Exchange exchange, Call call) {
        if (!closedBecause.isEmpty()) {
            throw new Refused(503, closedBecause);
        }
        access.guard(exchange, call);
        String path = call.path();
        if (path.equals("/v1/openapi.json")) {
            only("GET", exchange, call);
            exchange.answer(description());
        } else if (path.startsWith(OWNER)) {
            only("GET", exchange, call);
            exchange.answer(apis.reads.owner(apis.keys.ofPath(path.substring(OWNER.length()))));
        } else if (!path.startsWith(ROOT)) {
            throw new Refused(404, "there is no " + path);
        } else {
            ofEntities(exchange, call, path.substring(ROOT.length()));
        }
    }

    private void ofEntities(Exchange exchange, Call call, String rest) {
        int end = rest.indexOf('/');
        if (end >= 0 && rest.substring(end).equals(MESSAGES)) {
            only("POST", exchange, call);
            command(exchange, call, apis.keys.ofPath(rest.substring(0, end)));
        } else if (end >= 0) {
            throw new Refused(404, "there is no " + call.path());
        } else if (rest.equals(QUERY) && call.method().equals("POST")) {
            body(
                    exchange,
                    call,
                    body -> read(exchange, () -> apis.reads.query(call, body, exchange.over())));
        } else {
            only("GET", exchange, call);
            EntityKey key = apis.keys.ofPath(rest);
            read(exchange, () -> apis.reads.one(call, key, exchange.over()));
        }
    }

    private static void only(String method, Exchange exchange, Call call) {
        if (!call.method().equals(method)) {
            exchange.put("Allow", method);
            throw new Refused(405, "only " + method);
        }
    }

    private void command(Exchange exchange, Call call, EntityKey key) {
        CommandsApi.Asked asked = apis.commands.asked(call, key);
        exchange.put(CommandsApi.ID, asked.id());
        long begun = System.nanoTime();
        body(
                exchange,
                call,
                body ->
                        then(
                                exchange,
                                apis.commands.send(asked, body),
                                outcome -> {
                                    withhold(outcome);
                                    CommandsApi.Told told = apis.commands.told(asked, outcome);
                                    meters.command(told.result());
                                    if (told.isSettled()) {
                                        long nanos = System.nanoTime() - begun;
                                        meters.settled(Duration.ofNanos(nanos));
                                    }
                                    return told.answer();
                                }));
    }

    private void read(Exchange exchange, Supplier<CompletableFuture<ReadsApi.Told>> reading) {
        then(
                exchange,
                reading.get()
                        .exceptionally(
                                failure -> {
                                    ReadsApi.Told told = ReadsApi.failed(failure);
                                    if (told.result().equals(ReadsApi.UNAVAILABLE)) {
                                        withhold("a read", Words.describe(failure));
                                    }
                                    return told;
                                }),
                told -> {
                    meters.read(told.result());
                    return told.answer();
                });
    }

    /** Callers are not told of our servers; the log is, once a second. */
    private void withhold(Outcome outcome) {
        if (outcome instanceof Outcome.Busy it) {
            meters.turnedAway(it.reason());
            withhold("a command", it.why());
        } else if (outcome instanceof Outcome.Unknown it) {
            meters.turnedAway(it.reason());
            withhold("a command", it.why());
        }
    }

    private void withhold(String what, String why) {
        if (lines.admits()) {
            log.warn("{} could not be answered: {}", what, why);
        }
    }

    /** Reads the body, if it may have one. */
    private void body(Exchange exchange, Call call, Consumer<byte[]> then) {
        if (call.has("Content-Encoding")) {
            throw new Refused(415, "bodies with a Content-Encoding are not read");
        }
        Body.read(
                exchange,
                bodies,
                body -> answering(exchange, () -> then.accept(body)),
                why -> {
                    exchange.isLast();
                    refuse(exchange, why.answer());
                });
    }

    /** Answers once there is an outcome, on a thread of ours; a caller that is gone ends it. */
    private <T> void then(
            Exchange exchange, CompletableFuture<T> outcome, Function<T, Answer> answer) {
        if (!outcome.isDone()) {
            exchange.watch(() -> outcome.cancel(false));
        }
        var unused =
                outcome.whenCompleteAsync(
                        (it, failure) ->
                                answering(
                                        exchange,
                                        () -> {
                                            if (failure == null) {
                                                exchange.answer(answer.apply(it));
                                            } else if (!outcome.isCancelled()) {
                                                throw new IllegalStateException(failure);
                                            }
                                        }),
                        executor);
    }

    /** Runs what answers; what it throws is the answer. */
    private void answering(Exchange exchange, Runnable work) {
        try {
            work.run();
        } catch (Refused e) {
            refuse(exchange, e.answer());
        } catch (RuntimeException e) {
            if (e instanceof HttpException bad) { // an address that can't be parsed
                refuse(exchange, Answer.problem(bad.getCode(), String.valueOf(bad.getReason())));
            } else {
                log.warn("{} could not be answered", exchange.path(), e);
                refuse(exchange, Answer.problem(500, "could not be answered, see the log"));
            }
        }
    }

    private void refuse(Exchange exchange, Answer answer) {
        meters.refused(answer.status());
        exchange.answer(answer);
    }

    private static Answer description() {
        try (InputStream file = GatewayHandler.class.getResourceAsStream("openapi.json")) {
            if (file == null) {
                throw new IllegalStateException("the program is packed without openapi.json");
            }
            return Answer.of(200, "application/json", file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
