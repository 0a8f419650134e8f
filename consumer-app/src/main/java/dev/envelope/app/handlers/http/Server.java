package dev.envelope.app.handlers.http;

import static java.util.Objects.requireNonNull;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.work.CallRate;
import dev.envelope.idempotency.work.NoRetryException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLHandshakeException;

/**
 * The server that messages are posted to. While it says that it can't serve, or can't be reached,
 * nothing is sent.
 *
 * <p>Threads: thread-safe (the client is; atomics, a semaphore).
 */
final class Server {

    /** Failures of the server that may be others with the next attempt. */
    private static final Set<Integer> WORTH_ANOTHER_ATTEMPT = Set.of(408, 425);

    private static final Set<Integer> BUSY = Set.of(429, 503);

    /** The server does not let us in, whatever the message. */
    private static final Set<Integer> NOT_LET_IN = Set.of(401, 407);

    /** The URL or the rights may be wrong, as long as the server has never taken a message. */
    private static final Set<Integer> NOTHING_THERE = Set.of(403, 404, 405);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Target target;
    private final HttpClient client;
    private final LongSupplier nanoTime;
    private final Semaphore streams; // of HTTP/2
    private final CallRate rate;
    private final AtomicReference<Pause> pause;
    private final AtomicInteger outages = new AtomicInteger(); // one after the other
    private volatile boolean hasTakenOne;

    /** Until then, in nanoseconds, nothing is sent. */
    private record Pause(long until, String why) {}

    /** The server's answer says that the message is not done. */
    static final class NotDoneException extends Exception {

        private static final long serialVersionUID = 1L;

        NotDoneException(String answer) {
            super(answer);
        }
    }

    /**
     * @throws IllegalArgumentException if the client does not let a header be set
     */
    Server(Target target, LongSupplier nanoTime) {
        this.target = target;
        this.nanoTime = nanoTime;
        HttpRequest.Builder probe = HttpRequest.newBuilder(target.url());
        target.headers().forEach((name, value) -> check(probe, name, value));
        boolean isShared = target.version() == HttpClient.Version.HTTP_2;
        streams = new Semaphore(isShared ? Target.LEAST_STREAMS : Integer.MAX_VALUE);
        rate = new CallRate(target.maxRate(), nanoTime);
        pause = new AtomicReference<>(new Pause(nanoTime.getAsLong(), ""));
        client =
                HttpClient.newBuilder()
                        .version(target.version())
                        .connectTimeout(target.timeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
    }

    /** Names the header, and not its value, as the client would. */
    private static void check(HttpRequest.Builder probe, String name, String value) {
        try {
            probe.setHeader(name, value);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the header " + name + " can't be set, or not to this value");
        }
    }

    /** The beginning of a request. */
    HttpRequest.Builder request() {
        return HttpRequest.newBuilder(target.url()).timeout(target.timeout());
    }

    /**
     * Sends a request, with the headers that all have; returns when the server has taken it.
     *
     * @throws UnavailableException if nothing can be sent now, or not more often
     * @throws NoRetryException if the server will never take it
     */
    void post(HttpRequest.Builder request)
            throws IOException, InterruptedException, NotDoneException {
        Pause present = requireNonNull(pause.get());
        long left = present.until() - nanoTime.getAsLong();
        if (left > 0) {
            throw new UnavailableException(
                    present.why() + "; it is asked again in " + seconds(left) + " s");
        }
        target.headers().forEach(request::setHeader);
        judge(send(request.build()));
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos) + 1;
    }

    /** What breaks once there is a connection may be the message's fault: a failed attempt. */
    private Heard send(HttpRequest request) throws IOException, InterruptedException {
        if (!streams.tryAcquire()) {
            throw new UnavailableException(
                    target + " has as many requests as a connection may have");
        }
        Heard heard = new Heard();
        try {
            rate.take(target.host());
            client.send(request, heard);
        } catch (HttpConnectTimeoutException | ConnectException | SSLHandshakeException e) {
            String why = target + " can't be reached: " + Words.describe(e);
            pauseForLonger(why);
            throw new UnavailableException(why, e);
        } catch (IOException e) {
            if (!heard.isAnything()) {
                throw e;
            }
        } finally {
            streams.release();
        }
        return heard;
    }

    private void judge(Heard heard) throws NotDoneException {
        int status = heard.status();
        if (status / 100 == 2) {
            hasTakenOne = true;
            outages.set(0);
            return;
        }
        String said = target + " answered " + status + heard.words();
        boolean hasNoPlace = NOTHING_THERE.contains(status) && !hasTakenOne;
        if (BUSY.contains(status) || NOT_LET_IN.contains(status) || hasNoPlace) {
            heard.header("Retry-After")
                    .flatMap(it -> RetryAfter.of(it, Instant.now()))
                    .ifPresentOrElse(it -> pause(it, said), () -> pauseForLonger(said));
            throw new UnavailableException(said);
        } else if (status / 100 == 5 || WORTH_ANOTHER_ATTEMPT.contains(status)) {
            throw new NotDoneException(said);
        }
        throw new NoRetryException(said);
    }

    /** For so long nothing is sent; the latest time that was asked for counts. */
    private void pause(Duration time, String why) {
        pause.accumulateAndGet(
                new Pause(nanoTime.getAsLong() + time.toNanos(), why),
                (one, other) -> one.until() - other.until() > 0 ? one : other);
    }

    /** Twice as long as before, until a message is taken; once for all who find the same. */
    private void pauseForLonger(String why) {
        long now = nanoTime.getAsLong();
        Pause before = requireNonNull(pause.get());
        if (before.until() - now <= 0) {
            Duration doubled =
                    FIRST_PAUSE.multipliedBy(1L << Math.min(outages.getAndIncrement(), 10));
            Duration next = doubled.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : doubled;
            pause.compareAndSet(before, new Pause(now + next.toNanos(), why));
        }
    }
}
