package dev.envelope.core.assignment;

import dev.envelope.core.offset.Commitment;
import dev.envelope.core.offset.OffsetLedger;
import dev.envelope.core.position.Divergence;
import dev.envelope.core.position.Position;
import dev.envelope.core.position.Young;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * One partition from its assignment to its revocation: what is done with it now.
 *
 * <p>Threads: poll thread only.
 */
public final class AssignedPartition {

    /** What is done with an assigned partition. */
    public sealed interface Phase {}

    /** Its position is being looked for; nothing is fetched, committed or counted. */
    public record Finding() implements Phase {}

    /** It is read, as far as the budget allows. */
    public record Flowing(Commitment commitment) implements Phase {}

    /**
     * It is not read any more, since its position is not in the log; what was read of it is still
     * saved and committed, and then its position is looked for anew.
     *
     * @param deadline when it is looked for at the latest, by the engine's clock
     * @param diverged what was seen of its log
     */
    public record Finishing(Commitment commitment, long deadline, Optional<Divergence> diverged)
            implements Phase {}

    /**
     * It does not go on without a person; what was read of it is still saved and committed.
     *
     * @param reason what happened, and the choices
     */
    public record Stopped(Optional<Commitment> commitment, String reason) implements Phase {}

    /** How long a broker may show a former topic id after the topic was made again. */
    private static final Duration ID_SETTLES_WITHIN = Duration.ofMinutes(3);

    private final TopicPartition partition;
    private final Optional<Divergence> diverged;
    private Phase phase = new Finding();
    private Optional<Position.Found> found = Optional.empty();
    private long lookedForSince;
    private long confirmedTo;
    private Optional<Young> young = Optional.empty();
    private long settlesAt;
    private Optional<HeldBatch> held = Optional.empty();
    private Optional<Undecoded> undecoded = Optional.empty();

    public AssignedPartition(TopicPartition partition) {
        this(partition, Optional.empty());
    }

    /**
     * @param diverged why its position is looked for anew, if that is the reason
     */
    AssignedPartition(TopicPartition partition, Optional<Divergence> diverged) {
        this.partition = partition;
        this.diverged = diverged;
    }

    /** The same partition at its beginning, with what was seen of its log and not yet judged. */
    public AssignedPartition anew() {
        if (phase instanceof Finishing finishing) {
            return new AssignedPartition(partition, finishing.diverged());
        }
        return new AssignedPartition(
                partition, phase instanceof Finding ? diverged : Optional.empty());
    }

    public TopicPartition partition() {
        return partition;
    }

    Optional<Divergence> diverged() {
        return diverged;
    }

    /**
     * Its position is being looked for.
     *
     * @param now by the engine's clock
     */
    void lookedFor(long now) {
        lookedForSince = now;
    }

    /** What was seen of its log, as it counts now. */
    Optional<Divergence> divergedAt(long now) {
        boolean isOld = now - lookedForSince >= ID_SETTLES_WITHIN.toNanos();
        return isOld ? diverged.map(Divergence::old) : diverged;
    }

    /** What its position was found to be. */
    public Optional<Position.Found> found() {
        return found;
    }

    /**
     * @param now by the engine's clock
     */
    void found(Position.Found position, long now) {
        found = Optional.of(position);
        confirmedTo = position.next().offset();
        young = position.young();
        settlesAt = now + young.map(it -> it.settlesIn().toNanos()).orElse(0L);
    }

    /** Whether what it brings waits for older partitions. */
    public Optional<Young> young() {
        return young;
    }

    /** Whether all producers had to know of it then. */
    public boolean isSettledAt(long nanoTime) {
        return nanoTime - settlesAt >= 0;
    }

    /** From now on nothing of it waits but what is in hand. */
    public void settled() {
        young = Optional.empty();
    }

    /** What is in hand of it, and not yet in its ledger. */
    public Optional<HeldBatch> held() {
        return held;
    }

    public void hold(HeldBatch batch) {
        held = Optional.of(batch);
    }

    /** What of it waits for its keys to be decoded, and is not yet in its ledger. */
    public Optional<Undecoded> undecoded() {
        return undecoded;
    }

    public void decodeLater(Undecoded batch) {
        undecoded = Optional.of(batch);
    }

    /** Whether something of it is in hand: then nothing more is fetched. */
    public boolean hasInHand() {
        return held.isPresent() || undecoded.isPresent();
    }

    /** The offset behind what was polled of it, in hand or in its ledger. */
    public long nextToPoll(OffsetLedger ledger) {
        return held.map(HeldBatch::nextOffset)
                .or(() -> undecoded.map(Undecoded::nextOffset))
                .orElseGet(() -> ledger.position().offset());
    }

    public void holdNothing() {
        held = Optional.empty();
        undecoded = Optional.empty();
    }

    /** What is below the offset was read while the topic had the id that was found. */
    public void confirm(long offset) {
        confirmedTo = offset;
    }

    /** How many records may have been read of another topic with the same name. */
    public long inDoubt() {
        return commitment().map(it -> it.ledger().position().offset() - confirmedTo).orElse(0L);
    }

    public Phase phase() {
        return phase;
    }

    public void become(Phase next) {
        phase = next;
    }

    /** Its progress, once it has been positioned. */
    public Optional<Commitment> commitment() {
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
