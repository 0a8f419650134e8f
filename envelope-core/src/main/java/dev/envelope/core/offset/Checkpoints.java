package dev.envelope.core.offset;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch.Durable;
import dev.envelope.core.api.UnavailableException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;

/**
 * Where the database says that each log is done up to. A checkpoint is a fact, not a position: it
 * only grows.
 *
 * <p>Threads: called from background threads, several at once; may block. Every method throws
 * {@link UnavailableException} when the database cannot answer: that is retried, and never taken
 * for "there is none".
 */
public interface Checkpoints {

    /** All sources that are recorded for these topics, of every topic id and generation. */
    Bearings read(Set<String> topics);

    /**
     * Records sources with their starts, all in one transaction. A source that exists stays as it
     * is: of two instances that start together, the first decides. A later generation is as settled
     * as the one before it was. Where a topic has been recorded under an id meanwhile that is not
     * among those the sources were found beside, nothing of it is recorded: what was found may be
     * about a former topic of the name, and would pass for the present one.
     *
     * @return all that is recorded for the topics of these sources, afterwards
     */
    Bearings introduce(Collection<NewSource> sources);

    /**
     * Gives the sources of a topic another topic id: the same logs, in another cluster. Nothing
     * happens where the topic has none of the former id any more.
     *
     * @return all that is recorded for the topic, afterwards
     */
    Bearings adopt(String topic, Uuid former, Uuid present);

    /**
     * Records what of a source is left out for good, and raises its checkpoint behind that, in one
     * transaction. What is recorded already stays, and grows where it goes further now.
     *
     * @throws OtherIncarnationException if the database is in another life than the one given
     */
    void skip(int source, List<Skip> skips, Incarnation incarnation);

    /** From now on what this source brings need not wait for older partitions. */
    void settle(int source);

    /**
     * Raises checkpoints; one that is already higher stays. Durable on return.
     *
     * @return the sources whose checkpoints are durable: of those whose rows are divided between
     *     databases, some may not be, while one of these is away
     * @throws OtherIncarnationException if the database is in another life than the one given
     */
    Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation);

    /**
     * The database's present life: the heartbeat that notices a fail-over while nothing is saved.
     */
    Incarnation incarnation();

    /**
     * Whether there is no database: then the commits in Kafka are all that is known, and say beside
     * their offsets what is done ahead of these.
     */
    default boolean areCommits() {
        return false;
    }

    /**
     * How many partitions a topic had when reading it began, where only commits say so: one of them
     * may have none yet. 0 if that is not known, or not needed.
     */
    default int partitionsAtFirst(Uuid topicId) {
        return 0;
    }

    /** Sources that stay stopped until an operator resumes them, and why. */
    default Map<Integer, String> stopped() {
        return Map.of();
    }

    /** What operators hold back now, by the clock of the database. */
    default Pauses pauses() {
        return Pauses.NONE;
    }

    /**
     * What was read, and in which life of the database.
     *
     * @param sources in no particular order
     * @param unknown sources whose checkpoint can't be known now, by number, and why: a database
     *     that has some of their rows is away. Their checkpoints here are too low
     */
    record Bearings(Incarnation incarnation, List<Source> sources, Map<Integer, String> unknown) {

        /** All is known. */
        public Bearings(Incarnation incarnation, List<Source> sources) {
            this(incarnation, sources, Map.of());
        }
    }

    /**
     * The log of one partition as the database knows it.
     *
     * @param number what marks and checkpoints name it by
     * @param generation raised when an accepted truncation made offsets start to mean new records
     * @param start where reading began
     * @param checkpoint everything below it is durable; never below the start
     * @param growth when the partition came to its topic
     * @param durable the checkpoint, or higher ones in some slots, where the rows are divided and
     *     one part of them has gone back
     */
    record Source(
            int number,
            TopicPartition partition,
            Uuid topicId,
            int generation,
            NextOffset start,
            NextOffset checkpoint,
            Growth growth,
            Durable durable) {

        /** One whose rows are not divided. */
        public Source(
                int number,
                TopicPartition partition,
                Uuid topicId,
                int generation,
                NextOffset start,
                NextOffset checkpoint,
                Growth growth) {
            this(
                    number,
                    partition,
                    topicId,
                    generation,
                    start,
                    checkpoint,
                    growth,
                    Durable.everywhere(checkpoint));
        }
    }

    /**
     * A source that was never seen, and where it is to begin.
     *
     * @param growth the round in which the partition came to its topic
     * @param beside the ids that were recorded for its topic when it was found
     */
    record NewSource(
            TopicPartition partition,
            Uuid topicId,
            int generation,
            NextOffset start,
            int growth,
            Set<Uuid> beside) {

        /** One of a topic that was never seen. */
        public NewSource(TopicPartition partition, Uuid topicId, NextOffset start) {
            this(partition, topicId, 0, start, 0, Set.of());
        }
    }
}
