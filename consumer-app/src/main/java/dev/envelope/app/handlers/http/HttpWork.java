package dev.envelope.app.handlers.http;

import static java.util.Objects.requireNonNull;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.work.NoRetryException;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkId;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLHandshakeException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Posts each value to a server. While the server says that it can't serve, or can't be reached, all
 * messages wait.
 *
 * <p>Threads: thread-safe (the client is; atomics, a semaphore).
 */
public final class HttpWork implements Work<byte[]> {

    /** Failures of the server that may be others with the next attempt. */
    private static final Set<Integer> WORTH_ANOTHER_ATTEMPT = Set.of(408, 425);

    private static final Set<Integer> BUSY = Set.of(429, 503);

    /** The server does not let us in, whatever the message. */
    private static final Set<Integer> NOT_LET_IN = Set.of(401, 407);

    /** The URL or the rights may be wrong, as long as the server has never taken a message. */
    private static final Set<Integer> NOTHING_THERE = Set.of(403, 404, 405);

    private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private static final String CONTENT_TYPE = "content-type";

    /** Headers of a record that are of the request, too. */
    private static final Set<String> PASSED_ON = Set.of("traceparent", "tracestate", CONTENT_TYPE);

    /** What a server should allow on a connection; the client does not wait for its turn. */
    private static final int LEAST_STREAMS = 100;

    private static final String CLOUD_EVENT = "ce_";

    private final To to;
    private final String applicationId;
    private final HttpClient client;
    private final LongSupplier nanoTime;
    private final Semaphore streams; // of HTTP/2
    private final AtomicReference<Pause> pause;
    private final AtomicInteger outages = new AtomicInteger(); // one after the other
    private volatile boolean hasTakenOne;

    /**
     * Where requests go, and what they have in common.
     *
     * @param contentType of values whose record does not name one
     * @param atOnce how many requests there may be at a time
     */
    public record To(
            URI url,
            Duration timeout,
            String contentType,
            Map<String, String> headers,
            int atOnce) {

        public To {
            headers = Map.copyOf(headers);
        }

        /** One connection is enough only as long as servers let that have so many requests. */
        private HttpClient.Version version() {
            return url.getScheme().equals("https") && atOnce <= LEAST_STREAMS
                    ? HttpClient.Version.HTTP_2
                    : HttpClient.Version.HTTP_1_1;
        }

        /** Without what may be a secret. */
        @Override
        public String toString() {
            return url.getScheme() + "://" + url.getAuthority() + url.getPath();
        }
    }

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
    public HttpWork(To to, String applicationId, LongSupplier nanoTime) {
        this.to = to;
        this.applicationId = applicationId;
        this.nanoTime = nanoTime;
        HttpRequest.Builder probe = HttpRequest.newBuilder(to.url());
        to.headers().forEach((name, value) -> check(probe, name, value));
        boolean isShared = to.version() == HttpClient.Version.HTTP_2;
        streams = new Semaphore(isShared ? LEAST_STREAMS : Integer.MAX_VALUE);
        pause = new AtomicReference<>(new Pause(nanoTime.getAsLong(), ""));
        client =
                HttpClient.newBuilder()
                        .version(to.version())
                        .connectTimeout(to.timeout())
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

    @Override
    public void run(byte @Nullable [] value, Message message) throws Exception {
        Pause present = requireNonNull(pause.get());
        long left = present.until() - nanoTime.getAsLong();
        if (left > 0) {
            throw new UnavailableException(
                    present.why() + "; it is asked again in " + seconds(left) + " s");
        }
        judge(send(request(value, message)));
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos) + 1;
    }

    /** What breaks once there is a connection may be the message's fault: a failed attempt. */
    private HttpResponse<String> send(HttpRequest request)
            throws IOException, InterruptedException {
        if (!streams.tryAcquire()) {
            throw new UnavailableException(to + " has as many requests as a connection may have");
        }
        try {
            return client.send(request, Beginning::of);
        } catch (HttpConnectTimeoutException | ConnectException | SSLHandshakeException e) {
            String why = to + " can't be reached: " + Words.describe(e);
            pauseForLonger(why);
            throw new UnavailableException(why, e);
        } finally {
            streams.release();
        }
    }

    private HttpRequest request(byte @Nullable [] value, Message message) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(to.url())
                        .timeout(to.timeout())
                        .setHeader(CONTENT_TYPE, to.contentType())
                        .setHeader("Idempotency-Key", WorkId.of(applicationId, message))
                        .setHeader("Envelope-Topic", message.topic())
                        .setHeader("Envelope-Partition", Integer.toString(message.partition()))
                        .setHeader("Envelope-Offset", Long.toString(message.offset()))
                        .POST(
                                value == null
                                        ? HttpRequest.BodyPublishers.noBody()
                                        : HttpRequest.BodyPublishers.ofByteArray(value));
        if (value == null) {
            request.setHeader("Envelope-Tombstone", "true");
        }
        byte @Nullable [] key = message.keyBytes();
        if (key != null) {
            request.setHeader("Envelope-Key", text(key));
        }
        for (Header header : message.headers()) {
            pass(header, request);
        }
        to.headers().forEach(request::setHeader);
        return request.build();
    }

    /** The attributes of a CloudEvent get the names that they have in HTTP. */
    private static void pass(Header header, HttpRequest.Builder to) {
        String name = header.key();
        byte @Nullable [] value = header.value();
        if (value == null) {
            return;
        }
        if (name.matches(CLOUD_EVENT + "[a-z0-9]+")) {
            to.setHeader("ce-" + name.substring(CLOUD_EVENT.length()), text(value));
        } else if (PASSED_ON.contains(name) && isPlain(value)) {
            to.setHeader(name, new String(value, StandardCharsets.US_ASCII));
        }
    }

    private static boolean isPlain(byte[] value) {
        for (byte one : value) {
            if (one < ' ' || one >= 0x7f) {
                return false;
            }
        }
        return true;
    }

    /** Bytes as CloudEvents have them in headers: what is not printable becomes percent and hex. */
    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte one : bytes) {
            if (one > ' ' && one < 0x7f && one != '%' && one != '"') {
                text.append((char) one);
            } else {
                text.append(String.format("%%%02X", one));
            }
        }
        return text.toString();
    }

    private void judge(HttpResponse<String> response) throws NotDoneException {
        int status = response.statusCode();
        if (status / 100 == 2) {
            hasTakenOne = true;
            outages.set(0);
            return;
        }
        String said = to + " answered " + status + response.body();
        boolean hasNoPlace = NOTHING_THERE.contains(status) && !hasTakenOne;
        if (BUSY.contains(status) || NOT_LET_IN.contains(status) || hasNoPlace) {
            asked(response).ifPresentOrElse(it -> pause(it, said), () -> pauseForLonger(said));
            throw new UnavailableException(said);
        } else if (status / 100 == 5 || WORTH_ANOTHER_ATTEMPT.contains(status)) {
            throw new NotDoneException(said);
        }
        throw new NoRetryException(said);
    }

    private static Optional<Duration> asked(HttpResponse<String> response) {
        return response.headers()
                .firstValue("Retry-After")
                .flatMap(it -> RetryAfter.of(it, Instant.now()));
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
