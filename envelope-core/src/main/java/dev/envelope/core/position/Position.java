package dev.envelope.core.position;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch.Durable;
import dev.envelope.core.offset.DoneAhead;
import dev.envelope.core.offset.Skip;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Where a partition is to be read from, or why it is not to be read. */
public sealed interface Position {

    /**
     * It was found.
     *
     * @param source what marks and checkpoints name the partition's log by
     * @param formerSources those of the same log before truncations of it were accepted
     * @param topicId of the topic that the log belongs to
     * @param incarnation the life of the database that said so
     * @param checkpoint what is read below it is read again
     * @param durable the checkpoints of all slots
     * @param skips what is left out before it, and recorded
     * @param doneAhead what is done behind it; null where a database knows
     * @param young if it was added while its topic was in use
     * @param remark what an operator should know of how it was found; empty in the ordinary case
     */
    record Found(
            int source,
            Set<Integer> formerSources,
            Uuid topicId,
            NextOffset next,
            Incarnation incarnation,
            NextOffset checkpoint,
            Durable durable,
            List<Skip> skips,
            @Nullable DoneAhead doneAhead,
            Optional<Young> young,
            String remark)
            implements Position {

        public Found {
            formerSources = Set.copyOf(formerSources);
            skips = List.copyOf(skips);
        }

        Found with(@Nullable DoneAhead ahead, Optional<Young> ifYoung, String otherRemark) {
            return new Found(
                    source,
                    formerSources,
                    topicId,
                    next,
                    incarnation,
                    checkpoint,
                    durable,
                    skips,
                    ahead,
                    ifYoung,
                    otherRemark);
        }

        /**
         * The leader epoch by which the client finds out whether the log is the same up to this
         * place. An operator's commit has none. Below the checkpoint its own will do: it is of the
         * same log, and if its records still reach up to that place, nothing was cut off below.
         */
        public int comparedBy(NextOffset place) {
            boolean isBorrowed =
                    place.leaderEpoch() == NextOffset.NO_EPOCH && place.compareTo(checkpoint) <= 0;
            return isBorrowed ? checkpoint.leaderEpoch() : place.leaderEpoch();
        }
    }

    /**
     * There is no answer about this one yet: ask again.
     *
     * @param why what is missing
     */
    record Unanswered(String why) implements Position {}

    /**
     * It is recorded as stopped, until an operator resumes it.
     *
     * @param reason why it was stopped
     */
    record Held(int source, String reason) implements Position {}

    /**
     * A person has to decide.
     *
     * @param reason what was found, and the choices
     */
    record Refused(String reason) implements Position {}
}
