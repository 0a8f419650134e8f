package dev.envelope.app.handlers.http;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.work.Work;
import dev.envelope.idempotency.work.WorkId;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Posts each value to a server, by itself.
 *
 * <p>Threads: thread-safe (the server is).
 */
public final class HttpWork implements Work<byte[]> {

    private final Target target;
    private final String applicationId;
    private final Server server;

    /**
     * @throws IllegalArgumentException if the client does not let a header be set
     */
    public HttpWork(Target target, String applicationId, LongSupplier nanoTime) {
        this.target = target;
        this.applicationId = applicationId;
        this.server = new Server(target, nanoTime);
    }

    @Override
    public void run(byte @Nullable [] value, Message message) throws Exception {
        HttpRequest.Builder request =
                server.request()
                        .setHeader(Passed.CONTENT_TYPE, target.contentType())
                        .setHeader("Idempotency-Key", WorkId.of(applicationId, message))
                        .setHeader("Envelope-Topic", message.topic())
                        .setHeader("Envelope-Partition", Integer.toString(message.partition()))
                        .setHeader("Envelope-Offset", Long.toString(message.offset()))
                        .POST(
                                value == null
                                        ? BodyPublishers.noBody()
                                        : BodyPublishers.ofByteArray(value));
        if (value == null) {
            request.setHeader("Envelope-Tombstone", "true");
        }
        byte @Nullable [] key = message.keyBytes();
        if (key != null) {
            request.setHeader("Envelope-Key", Passed.text(key));
        }
        Passed.of(message).forEach(request::setHeader);
        server.post(request);
    }
}
