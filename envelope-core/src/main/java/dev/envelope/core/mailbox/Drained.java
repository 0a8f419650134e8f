package dev.envelope.core.mailbox;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a turn has drained: its envelopes, shard by shard, and what becomes of each.
 *
 * <p>Threads: actor, one at a time (the owner of the turn).
 */
final class Drained {

    /** What becomes of an envelope. */
    static final class Place {
        final @Nullable KeyActor actor; // of the envelope's key; null if it has none
        @Nullable Outcome outcome;
        boolean isHandedOver; // to code outside of the turn

        private Place(@Nullable KeyActor actor) {
            this.actor = actor;
        }
    }

    private final TurnLimits limits;
    private final List<Envelope> envelopes = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final int[] ends; // index after the last envelope of each shard
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

    /** Adds the first messages of a key that has an actor, as many as an envelope may have. */
    void add(KeyActor actor) {
        Envelope envelope = actor.enterTurn(limits.envelopeMessages(), limits.envelopeBytes());
        envelope.messages().forEach(this::took);
        envelopes.add(envelope);
        places.add(new Place(actor));
    }

    /** Adds messages that were taken already, of a key that has no actor. */
    void add(Envelope envelope) {
        envelopes.add(envelope);
        places.add(new Place(null));
    }

    // --- by the turn

    /** All envelopes of the present shard have been added. */
    void shardEnds() {
        ends[shards] = envelopes.size();
        shards++;
    }

    /** The index after the last envelope of a shard. */
    int end(int shard) {
        return ends[shard];
    }

    /** The index of the shard that an envelope came from. */
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
