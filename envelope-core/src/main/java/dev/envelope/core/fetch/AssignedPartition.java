package dev.envelope.core.fetch;

import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.Divergence;
import dev.envelope.core.offset.Position;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition from its assignment to its revocation: what is done with it now.
 *
 * <p>Threads: poll thread only.
 */
final class AssignedPartition {

    /** What is done with an assigned partition. */
    sealed interface Phase {}

    /** Its position is being looked for; nothing is fetched, committed or counted. */
    record Finding() implements Phase {}

    /** It is read, as far as the budget allows. */
    record Flowing(Commitment commitment) implements Phase {}

    /**
     * It is not read any more, since its position is not in the log; what was read of it is still
     * saved and committed, and then its position is looked for anew.
     *
     * @param deadline when it is looked for at the latest, by the engine's clock
     * @param diverged what was seen of its log
     */
    record Finishing(Commitment commitment, long deadline, Optional<Divergence> diverged)
            implements Phase {}

    /**
     * It does not go on without a person; what was read of it is still saved and committed.
     *
     * @param reason what happened, and the choices
     */
    record Stopped(Optional<Commitment> commitment, String reason) implements Phase {}

    private final TopicPartition partition;
    private final Optional<Divergence> diverged;
    private Phase phase = new Finding();
    private Optional<Position.Found> found = Optional.empty();
    private long confirmedTo;

    AssignedPartition(TopicPartition partition) {
        this(partition, Optional.empty());
    }

    /**
     * @param diverged why its position is looked for anew, if that is the reason
     */
    AssignedPartition(TopicPartition partition, Optional<Divergence> diverged) {
        this.partition = partition;
        this.diverged = diverged;
    }

    TopicPartition partition() {
        return partition;
    }

    Optional<Divergence> diverged() {
        return diverged;
    }

    /** What its position was found to be. */
    Optional<Position.Found> found() {
        return found;
    }

    void found(Position.Found position) {
        found = Optional.of(position);
        confirmedTo = position.next().offset();
    }

    /** What is below the offset was read while the topic had the id that was found. */
    void confirm(long offset) {
        confirmedTo = offset;
    }

    /** How many records may have been read of another topic with the same name. */
    long inDoubt() {
        return commitment().map(it -> it.ledger().position().offset() - confirmedTo).orElse(0L);
    }

    Phase phase() {
        return phase;
    }

    void become(Phase next) {
        phase = next;
    }

    /** Its progress, once it has been positioned. */
    Optional<Commitment> commitment() {
        if (phase instanceof Flowing flowing) {
            return Optional.of(flowing.commitment());
        } else if (phase instanceof Finishing finishing) {
            return Optional.of(finishing.commitment());
        } else if (phase instanceof Stopped stopped) {
            return stopped.commitment();
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        return partition + " " + phase.getClass().getSimpleName();
    }
}
