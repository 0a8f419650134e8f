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
    private final int room;
    private int shards; // that have been drained
    private int taken; // messages from actors and mailboxes, also those that only wait now
    private long bytes; // of these
    private int messages; // of the envelopes
    private int putOff; // of these

    /**
     * @param room how many messages it should have: no more than can be folded in its time
     */
    Drained(int shards, TurnLimits limits, int room) {
        this.ends = new int[shards];
        this.limits = limits;
        this.room = room;
    }

    // --- by the shard that is drained

    /** Whether more may be taken out of mailboxes. */
    boolean mayTake() {
        return taken < limits.turnMessages() && bytes < limits.turnBytes();
    }

    /** Whether more envelopes should be added. */
    boolean hasRoom() {
        return messages < room && mayTake();
    }

    /** Whether it has as many messages as it should have. */
    boolean isFull() {
        return messages >= room;
    }

    void took(Message message) {
        taken++;
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
        int most = Math.min(limits.envelopeMessages(), Math.max(1, room - messages));
        Envelope envelope = actor.enterTurn(most, limits.envelopeBytes());
        envelope.messages().forEach(this::took);
        add(envelope, new Place(actor));
    }

    /** Adds messages that were taken already, of a key that has no actor. */
    void add(Envelope envelope) {
        add(envelope, new Place(null));
    }

    private void add(Envelope envelope, Place place) {
        envelopes.add(envelope);
        places.add(place);
        messages += envelope.size();
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

    /** An envelope was settled; its time may have been up before it was done. */
    void settled(int envelope, Outcome outcome) {
        places.get(envelope).outcome = outcome;
        if (outcome instanceof Outcome.Deferred) {
            putOff += envelopes.get(envelope).size() - outcome.done().size();
        }
    }

    /** How many of its messages were put off, since its time was up. */
    int putOff() {
        return putOff;
    }
}
