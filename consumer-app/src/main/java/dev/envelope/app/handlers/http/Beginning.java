package dev.envelope.app.handlers.http;

import dev.envelope.core.api.Words;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of what a server says of a failure. The rest is read and forgotten, so that the
 * connection can be used again. A message that was taken is done, whatever comes behind that.
 *
 * <p>Threads: the client calls it, one call after the other.
 */
final class Beginning implements BodySubscriber<String> {

    private static final int MOST_BYTES = 300;
    private static final int MOST_READ = 1 << 20;

    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private final int most;
    private Flow.@Nullable Subscription answer;
    private long read;

    private Beginning(int most) {
        this.most = most;
        if (most == 0) {
            text.complete("");
        } else { // the status is known, and says enough
            text.completeOnTimeout("", 1, TimeUnit.SECONDS);
        }
    }

    static BodySubscriber<String> of(ResponseInfo response) {
        return new Beginning(response.statusCode() / 100 == 2 ? 0 : MOST_BYTES);
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
