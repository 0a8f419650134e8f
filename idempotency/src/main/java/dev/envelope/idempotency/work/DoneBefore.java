package dev.envelope.idempotency.work;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.idempotency.dedupe.RewrittenLogException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of messages when it has just marked them, which tells those that were done
 * before.
 *
 * @param marked those that nobody had marked before
 * @param earlier the leader epochs of those that somebody had, also as of former sources
 * @param checkpoints by source, read behind the marking: a mark that was done with and is deleted
 *     again is below it
 */
public record DoneBefore(
        Set<Place> marked, Map<Place, Integer> earlier, Map<Integer, NextOffset> checkpoints) {

    public DoneBefore {
        marked = Set.copyOf(marked);
        earlier = Map.copyOf(earlier);
        checkpoints = Map.copyOf(checkpoints);
    }

    /** What a mark is of. */
    public record Place(int source, long offset) {

        /** The place of a message. */
        public static Place of(Message message) {
            return new Place(message.epoch().source(), message.offset());
        }
    }

    /**
     * Whether all of these were done when their positions were read, so that nobody need be asked.
     *
     * @throws OtherIncarnationException if those were not read in one life of the database
     */
    public static boolean isKnownOfAll(List<Message> messages) {
        Incarnation life = messages.get(0).epoch().incarnation();
        boolean areDone = true;
        for (Message message : messages) {
            areDone &= message.epoch().readsAgain(message);
            Incarnation its = message.epoch().incarnation();
            if (!its.equals(life)) {
                throw new OtherIncarnationException(life, its);
            }
        }
        return areDone;
    }

    /** Those whose earlier marks matter, once it is known which of them were not marked. */
    public static Set<Place> asked(List<Message> messages, Set<Place> marked) {
        Set<Place> asked = new HashSet<>();
        for (Message message : messages) {
            if (!marked.contains(Place.of(message))) {
                asked.add(Place.of(message));
            }
            for (int former : message.epoch().formerSources()) {
                asked.add(new Place(former, message.offset()));
            }
        }
        return asked;
    }

    /**
     * The places in the list of those that were done before.
     *
     * @throws RewrittenLogException if what is done is another record than the message
     */
    public BitSet of(List<Message> messages) {
        BitSet before = new BitSet(messages.size());
        for (int place = 0; place < messages.size(); place++) {
            before.set(place, isDone(messages.get(place)));
        }
        return before;
    }

    private boolean isDone(Message message) {
        NextOffset checkpoint = checkpoints.get(message.epoch().source());
        if (checkpoint != null && message.offset() < checkpoint.offset()) {
            requireSameLog(message, checkpoint.leaderEpoch());
            return true;
        }
        if (!marked.contains(Place.of(message))) {
            requireSameLog(message, earlier.getOrDefault(Place.of(message), NextOffset.NO_EPOCH));
            return true;
        }
        return message.leaderEpoch() != NextOffset.NO_EPOCH && wasDoneBeforeCut(message);
    }

    /** What an accepted truncation has left in the log has a new source, and its former mark. */
    private boolean wasDoneBeforeCut(Message message) {
        PartitionEpoch epoch = message.epoch();
        for (int former : epoch.formerSources()) {
            @Nullable Integer its = earlier.get(new Place(former, message.offset()));
            NextOffset checkpoint = checkpoints.get(former);
            if ((its != null && its == message.leaderEpoch())
                    || (checkpoint != null
                            && message.offset() < checkpoint.offset()
                            && message.leaderEpoch() == checkpoint.leaderEpoch())) {
                return true;
            }
        }
        return false;
    }

    private static void requireSameLog(Message message, int done) {
        if (done != NextOffset.NO_EPOCH && message.leaderEpoch() > done) {
            throw new RewrittenLogException(message, done);
        }
    }
}
