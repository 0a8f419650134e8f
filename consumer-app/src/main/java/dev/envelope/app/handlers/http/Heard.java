package dev.envelope.app.handlers.http;

import static java.util.Objects.requireNonNull;

import dev.envelope.core.api.Words;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What was heard of the answer to one request: its status, and of a failure the beginning of what
 * the server says. The rest is read and forgotten, so that the connection can be used again. A
 * status counts, whatever comes behind it: a message that was taken is done.
 *
 * <p>Threads: the client's call one method after the other; the thread that asks comes behind them.
 */
final class Heard implements BodyHandler<String>, BodySubscriber<String> {

    private static final int MOST_BYTES = 300;
    private static final int MOST_READ = 1 << 20;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private volatile @Nullable ResponseInfo info;
    private Flow.@Nullable Subscription answer;
    private int most;
    private long read;

    @Override
    public BodySubscriber<String> apply(ResponseInfo response) {
        if (response.statusCode() / 100 == 2) {
            text.complete("");
        } else { // the status is known, and says enough
            most = MOST_BYTES;
            text.completeOnTimeout("", 1, TimeUnit.SECONDS);
        }
        info = response;
        return this;
    }

    /** Whether there is a status; only then has it the rest. */
    boolean isAnything() {
        return info != null;
    }

    int status() {
        return requireNonNull(info).statusCode();
    }

    Optional<String> header(String name) {
        return requireNonNull(info).headers().firstValue(name);
    }

    /** What the server says, so far. */
    String words() {
        return text.getNow("");
    }

    @Override
    public CompletionStage<String> getBody() {
        return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        answer = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> buffers) {
        for (ByteBuffer buffer : buffers) {
            read += buffer.remaining();
            byte[] bytes = new byte[Math.min(most - kept.size(), buffer.remaining())];
            buffer.get(bytes);
            kept.writeBytes(bytes);
        }
        if (read > MOST_READ && answer != null) {
            onComplete();
            answer.cancel(); // rather lose the connection
        }
    }

    @Override
    public void onError(Throwable thrown) {
        onComplete(); // what it said before counts
    }

    @Override
    public void onComplete() {
        String said = Words.line(kept.toString(StandardCharsets.UTF_8)).strip();
        text.complete(said.isEmpty() ? "" : ": " + said);
    }
}
