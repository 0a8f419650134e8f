package dev.envelope.app.gateway.peer;

import dev.envelope.app.config.value.Secret;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the gateways of other processes of the application, with the token that they all have. One
 * that does not answer in time is left alone for a second: its readers go to the database
 * meanwhile.
 *
 * <p>Threads: thread-safe. Futures are completed on the client's threads, or on that of a timer.
 */
public final class Peers {

    private static final Logger log = LoggerFactory.getLogger(Peers.class);
    private static final long REST = Duration.ofSeconds(1).toNanos();

    private final Duration patience;
    private final Supplier<@Nullable SSLContext> tls;
    private final Map<String, Long> restsUntil = new ConcurrentHashMap<>();
    private volatile Optional<Secret> token;
    private volatile @Nullable Client client;

    /** A client, and the certificates that it was made with. */
    private record Client(HttpClient http, @Nullable SSLContext tls) {}

    /**
     * @param patience how long an answer is waited for
     * @param token that the others want
     * @param tls the certificates of this process; null for HTTP without encryption
     */
    public Peers(Duration patience, Optional<Secret> token, Supplier<@Nullable SSLContext> tls) {
        this.patience = patience;
        this.token = token;
        this.tls = tls;
    }

    /** Shows this token from now on. */
    public void show(Optional<Secret> next) {
        token = next;
    }

    /**
     * The body of a process's answer; empty if it has none for us, or not in time.
     *
     * @param address of its gateway
     * @param body null for a GET
     */
    public CompletableFuture<Optional<byte[]>> ask(
            String address, String path, byte @Nullable [] body) {
        Long until = restsUntil.get(address);
        if (until != null && System.nanoTime() - until < 0) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        SSLContext certificates = tls.get();
        HttpRequest request;
        try {
            request =
                    request((certificates == null ? "http://" : "https://") + address + path, body);
        } catch (IllegalArgumentException e) { // an address that is none
            return rests(address, e);
        }
        CompletableFuture<HttpResponse<byte[]>> answer =
                client(certificates).sendAsync(request, HttpResponse.BodyHandlers.ofByteArray());
        return answer.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS)
                .handle(
                        (it, failure) -> {
                            if (failure == null && it.statusCode() == 200) {
                                return Optional.of(it.body());
                            } else if (failure != null || it.statusCode() != 404) {
                                answer.cancel(true);
                                var unused = rests(address, failure == null ? it : failure);
                            }
                            return Optional.empty();
                        });
    }

    private HttpRequest request(String url, byte @Nullable [] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
        token.ifPresent(it -> request.header("Authorization", "Bearer " + it.reveal()));
        if (body != null) {
            request.POST(HttpRequest.BodyPublishers.ofByteArray(body));
        }
        return request.build();
    }

    private CompletableFuture<Optional<byte[]>> rests(String address, Object why) {
        if (restsUntil.put(address, System.nanoTime() + REST) == null) {
            log.info("{} is read for in the database, since it does not answer: {}", address, why);
        }
        return CompletableFuture.completedFuture(Optional.empty());
    }

    /** A client keeps the certificates that it was made with; there may be new ones. */
    private HttpClient client(@Nullable SSLContext certificates) {
        Client now = client;
        if (now == null || now.tls != certificates) {
            HttpClient.Builder builder =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .connectTimeout(patience);
            if (certificates != null) {
                builder.sslContext(certificates);
            }
            now = new Client(builder.build(), certificates);
            client = now;
        }
        return now.http;
    }
}
