package dev.envelope.app.handlers.http;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.work.NoRetryException;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkId;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Posts each value to a server. While the server says that it can't serve, or can't be reached, all
 * messages wait.
 *
 * <p>Threads: thread-safe (the client is; one atomic).
 */
public final class HttpWork implements Work<byte[]> {

    /** Failures of the server that may be others with the next attempt. */
    private static final Set<Integer> WORTH_ANOTHER_ATTEMPT = Set.of(408, 425);

    private static final Set<Integer> BUSY = Set.of(429, 503);

    /** Headers of a record that are of the request, too. */
    private static final Set<String> PASSED_ON = Set.of("traceparent", "tracestate");

    private static final String CLOUD_EVENT = "ce_";
    private static final String CONTENT_TYPE = "content-type";

    private final To to;
    private final String applicationId;
    private final HttpClient client;
    private final LongSupplier nanoTime;
    private final AtomicLong notBefore; // in nanoseconds

    /**
     * Where requests go, and what they have in common.
     *
     * @param contentType of values whose record does not name one
     */
    public record To(URI url, Duration timeout, String contentType, Map<String, String> headers) {

        public To {
            headers = Map.copyOf(headers);
        }
    }

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
        to.headers().forEach(probe::setHeader);
        notBefore = new AtomicLong(nanoTime.getAsLong());
        client =
                HttpClient.newBuilder()
                        .version( // without TLS a server would have to be asked for an upgrade
                                to.url().getScheme().equals("https")
                                        ? HttpClient.Version.HTTP_2
                                        : HttpClient.Version.HTTP_1_1)
                        .connectTimeout(to.timeout())
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .build();
    }

    @Override
    public void run(byte @Nullable [] value, Message message) throws Exception {
        long wait = notBefore.get() - nanoTime.getAsLong();
        if (wait > 0) {
            throw new UnavailableException(
                    to.url() + " has asked for a pause, of which " + seconds(wait) + " s are left");
        }
        judge(send(request(value, message)));
    }

    private static long seconds(long nanos) {
        return TimeUnit.NANOSECONDS.toSeconds(nanos) + 1;
    }

    private HttpResponse<String> send(HttpRequest request)
            throws HttpTimeoutException, InterruptedException {
        try {
            return client.send(request, Beginning::of);
        } catch (HttpConnectTimeoutException e) {
            throw unreachable(e);
        } catch (HttpTimeoutException e) {
            throw e; // it may be the message that takes the server so long
        } catch (IOException e) {
            throw unreachable(e);
        }
    }

    private UnavailableException unreachable(IOException e) {
        return new UnavailableException(to.url() + " can't be reached: " + Words.describe(e), e);
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
        String text = text(value);
        if (name.matches(CLOUD_EVENT + "[a-z0-9]+")) {
            to.setHeader("ce-" + name.substring(CLOUD_EVENT.length()), text);
        } else if (PASSED_ON.contains(name) || name.equals(CONTENT_TYPE)) {
            to.setHeader(name, text);
        }
    }

    /** Bytes as a header can have them: what is not printable ASCII becomes percent and hex. */
    private static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte one : bytes) {
            if (one >= ' ' && one < 0x7f && one != '%' && one != '"') {
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
            return;
        }
        String said = to.url() + " answered " + status + response.body();
        if (BUSY.contains(status)) {
            pause(response);
            throw new UnavailableException(said);
        } else if (status / 100 == 5 || WORTH_ANOTHER_ATTEMPT.contains(status)) {
            throw new NotDoneException(said);
        }
        throw new NoRetryException(said);
    }

    /** Until then nothing is sent; the latest that was asked for counts. */
    private void pause(HttpResponse<String> response) {
        response.headers()
                .firstValue("Retry-After")
                .flatMap(it -> RetryAfter.of(it, Instant.now()))
                .ifPresent(
                        it -> {
                            long until = nanoTime.getAsLong() + it.toNanos();
                            notBefore.accumulateAndGet(
                                    until, (one, other) -> one - other > 0 ? one : other);
                        });
    }
}
