package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.mailbox.ReadyShards;
import dev.envelope.core.membership.Slots;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.SourceCopies;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.row.RowReads;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.TimerStore;

/**
 * Where a mutant gets between the parts: each method returns what it is given, or something that
 * breaks a promise.
 */
interface Wiring {

    /** The engine as it is. */
    Wiring STRAIGHT = new Wiring() {};

    default Fold<Trace, String> fold(Fold<Trace, String> fold) {
        return fold;
    }

    default StateCodec<Trace> codec(StateCodec<Trace> codec) {
        return codec;
    }

    default ValueFormat<String> values(ValueFormat<String> values) {
        return values;
    }

    default IdempotentHandler.Bounds bounds(IdempotentHandler.Bounds bounds) {
        return bounds;
    }

    default EnvelopeHandler handler(EnvelopeHandler handler) {
        return handler;
    }

    /** Whether the schema of a slot has another name where it was, once it is moved. */
    default boolean movesHide() {
        return true;
    }

    default StateStore states(StateStore states) {
        return states;
    }

    default ReadyShards readyShards(ReadyShards readyShards) {
        return readyShards;
    }

    /** Those of one slot. */
    default Checkpoints checkpoints(Checkpoints checkpoints) {
        return checkpoints;
    }

    /**
     * What a slot has to do with others.
     *
     * @param slot the same slot
     */
    default SourceCopies sources(SourceCopies sources, SimStore slot) {
        return sources;
    }

    default TopicAdmin admin(TopicAdmin admin) {
        return admin;
    }

    default ParkedStore parked(ParkedStore parked) {
        return parked;
    }

    default OutboxRoom room(OutboxRoom room) {
        return room;
    }

    default OutboxStore outbox(OutboxStore outbox) {
        return outbox;
    }

    default Delivery delivery(Delivery delivery) {
        return delivery;
    }

    default OutputStore outputs(OutputStore outputs) {
        return outputs;
    }

    default OutputSender sender(OutputSender sender) {
        return sender;
    }

    /** The timers of the database itself. */
    default TimerStore timers(TimerStore timers, InMemoryDatabase database) {
        return timers;
    }

    /** The rows of deleted keys, of the database itself. */
    default DeletedKeys deletedKeys(DeletedKeys deleted, InMemoryDatabase database) {
        return deleted;
    }

    /** The rows for callers, of the database itself. */
    default RowReads reads(RowReads reads, InMemoryDatabase database) {
        return reads;
    }

    default Slots slots(Slots slots) {
        return slots;
    }

    default OutputRoom outputRoom(OutputRoom room) {
        return room;
    }

    default ConsumerSettings settings(ConsumerSettings settings) {
        return settings;
    }
}
