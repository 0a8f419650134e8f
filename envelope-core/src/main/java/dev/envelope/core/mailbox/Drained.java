package dev.envelope.core.mailbox;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has drained: the envelopes of one shard after the other, and what becomes of each.
 *
 * <p>Threads: actor, one at a time (whoever holds the turn).
 */
final class Drained {

    /** What becomes of an envelope. */
    static final class Place {
        final @Nullable KeyActor actor; // whose envelope it is; null of a key that has none
        @Nullable Outcome outcome;
        boolean isHandedOver; // to somebody outside of the turn

        private Place(@Nullable KeyActor actor) {
            this.actor = actor;
        }
    }

    private final TurnLimits limits;
    private final List<Envelope> envelopes = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final int[] ends; // behind the last envelope of each shard
    private int shards; // that have been drained
    private int messages;
    private long bytes;

    Drained(int shards, TurnLimits limits) {
        this.ends = new int[shards];
        this.limits = limits;
    }

    // --- by the shard that is drained

    boolean hasRoom() {
        return messages < limits.turnMessages() && bytes < limits.turnBytes();
    }

    void took(Message message) {
        messages++;
        bytes += message.heldBytes();
    }

    boolean isTooLarge(List<Message> group) {
        if (group.size() > limits.envelopeMessages()) {
            return true;
        }
        return bytes > limits.envelopeBytes()
                && group.size() > 1
                && group.stream().mapToLong(Message::heldBytes).sum() > limits.envelopeBytes();
    }

    /** The first messages of a key that could not go on, as many as an envelope may have. */
    void add(KeyActor actor) {
        Envelope envelope = actor.enterTurn(limits.envelopeMessages(), limits.envelopeBytes());
        envelope.messages().forEach(this::took);
        envelopes.add(envelope);
        places.add(new Place(actor));
    }

    /** Messages that were taken already, of a key that has no actor. */
    void add(Envelope envelope) {
        envelopes.add(envelope);
        places.add(new Place(null));
    }

    // --- by the turn

    /** The next shard has nothing more to add. */
    void shardEnds() {
        ends[shards] = envelopes.size();
        shards++;
    }

    /** The place behind the last envelope of a shard. */
    int end(int shard) {
        return ends[shard];
    }

    /** Which of the shards an envelope is of. */
    int shardOf(int envelope) {
        int shard = 0;
        while (ends[shard] <= envelope) {
            shard++;
        }
        return shard;
    }

    List<Envelope> envelopes() {
        return envelopes;
    }

    Place place(int envelope) {
        return places.get(envelope);
    }

    int messages() {
        return messages;
    }
}
