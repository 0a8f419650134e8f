package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;

/**
 * What our commits carry in their metadata, to tell them from an operator's: Kafka's own tools
 * write none. It names the source that they are of: in another the same offsets mean other records.
 */
public final class Stamp {

    private static final String OURS = "envelope/";
    private static final String TEXT = OURS + "2/";

    private static final String REMEMBERING = OURS + "ahead/";

    private Stamp() {}

    public static OffsetAndMetadata stamped(NextOffset next, int source) {
        return commit(next, TEXT + source);
    }

    /**
     * A commit where no database knows more.
     *
     * @param partitionsAtFirst how many the topic had when reading it began; 0 if nobody knows
     */
    static OffsetAndMetadata remembering(
            NextOffset next, Uuid topicId, String doneAhead, int partitionsAtFirst) {
        String text = REMEMBERING + topicId + "/" + doneAhead;
        return commit(next, partitionsAtFirst == 0 ? text : text + "/" + partitionsAtFirst);
    }

    private static OffsetAndMetadata commit(NextOffset next, String metadata) {
        Optional<Integer> epoch =
                next.leaderEpoch() == NextOffset.NO_EPOCH
                        ? Optional.empty()
                        : Optional.of(next.leaderEpoch());
        return new OffsetAndMetadata(next.offset(), epoch, metadata);
    }

    /** The topic that a commit is of, if it says so. */
    public static Optional<Uuid> topicId(TopicAdmin.Commit commit) {
        return remembered(commit)
                .map(text -> text.substring(0, text.indexOf('/')))
                .flatMap(Stamp::uuid);
    }

    /** What a commit says is done behind it, of that topic; nothing if it can't be read. */
    public static DoneAhead doneAhead(TopicAdmin.Commit commit, Uuid topicId) {
        return topicId(commit)
                .filter(topicId::equals)
                .flatMap(id -> remembered(commit))
                .map(text -> text.split("/", -1)[1])
                .flatMap(text -> DoneAhead.read(text, commit.next().offset()))
                .orElse(DoneAhead.NONE);
    }

    /** How many partitions its topic had when reading it began; 0 if it does not say. */
    public static int partitionsAtFirst(TopicAdmin.Commit commit) {
        String[] parts = remembered(commit).orElse("").split("/", -1);
        try {
            return parts.length == 3 ? Math.max(0, Integer.parseInt(parts[2])) : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static Optional<String> remembered(TopicAdmin.Commit commit) {
        String text = commit.metadata();
        return text.startsWith(REMEMBERING) && text.indexOf('/', REMEMBERING.length()) > 0
                ? Optional.of(text.substring(REMEMBERING.length()))
                : Optional.empty();
    }

    private static Optional<Uuid> uuid(String text) {
        try {
            return Optional.of(Uuid.fromString(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
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
