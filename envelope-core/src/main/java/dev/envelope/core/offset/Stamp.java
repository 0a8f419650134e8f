package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * What our commits carry in their metadata, to tell them from an operator's: Kafka's own tools
 * write none.
 */
final class Stamp {

    private static final String TEXT = "envelope/1";

    private Stamp() {}

    static OffsetAndMetadata stamped(NextOffset next) {
        Optional<Integer> epoch =
                next.leaderEpoch() == NextOffset.NO_EPOCH
                        ? Optional.empty()
                        : Optional.of(next.leaderEpoch());
        return new OffsetAndMetadata(next.offset(), epoch, TEXT);
    }

    static boolean isOurs(TopicAdmin.Commit commit) {
        return commit.metadata().startsWith("envelope/");
    }
}
