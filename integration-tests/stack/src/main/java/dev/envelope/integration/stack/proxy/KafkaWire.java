package dev.envelope.integration.stack.proxy;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * The protocol of Kafka, without TLS: a request is described by the name of its API, such as {@code
 * OffsetCommit}.
 *
 * <p>Replies are not told apart: a client may have several requests under way, and the first whole
 * reply after a request counts as its own.
 *
 * <p>Threads: immutable.
 */
public final class KafkaWire implements Wire {

    private static final Frames.Layout LAYOUT = new Frames.Layout(0, 4);

    @Override
    public Dialogue open() {
        return new Reader();
    }

    /** Threads: the client's part by one thread, the server's by another. */
    private static final class Reader implements Dialogue {

        private final Frames sent = new Frames();
        private final Frames received = new Frames();
        private int replies;

        @Override
        public List<String> requests(byte[] piece, int length) {
            List<String> complete = new ArrayList<>();
            sent.read(
                    piece,
                    length,
                    () -> LAYOUT,
                    frame -> {
                        short api = frame.getShort(4);
                        complete.add(ApiKeys.hasId(api) ? ApiKeys.forId(api).name : "api " + api);
                    });
            return complete;
        }

        @Override
        public int replies(byte[] piece, int length) {
            replies = 0;
            received.read(piece, length, () -> LAYOUT, frame -> replies++);
            return replies;
        }
    }
}
