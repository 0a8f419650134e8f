package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * What our commits carry in their metadata, to tell them from an operator's: Kafka's own tools
 * write none. It names the source that they are of: in another the same offsets mean other records.
 */
public final class Stamp {

    private static final String OURS = "envelope/";
    private static final String TEXT = OURS + "2/";

    private Stamp() {}

    public static OffsetAndMetadata stamped(NextOffset next, int source) {
        Optional<Integer> epoch =
                next.leaderEpoch() == NextOffset.NO_EPOCH
                        ? Optional.empty()
                        : Optional.of(next.leaderEpoch());
        return new OffsetAndMetadata(next.offset(), epoch, TEXT + source);
    }

    public static boolean isOurs(TopicAdmin.Commit commit) {
        return commit.metadata().startsWith(OURS);
    }

    /** The source that a commit of ours is of, where its stamp can be read. */
    public static OptionalInt source(TopicAdmin.Commit commit) {
        String text = commit.metadata();
        if (!text.startsWith(TEXT)) {
            return OptionalInt.empty();
        }
        try {
            return OptionalInt.of(Integer.parseInt(text, TEXT.length(), text.length(), 10));
        } catch (NumberFormatException e) {
            return OptionalInt.empty();
        }
    }
}
