package dev.envelope.idempotency;

import dev.envelope.idempotency.EnvelopeApplication.Parts;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.outbox.Relay;
import dev.envelope.idempotency.output.OutputRelay;
import dev.envelope.idempotency.output.OutputRoom;
import dev.envelope.idempotency.store.Store;
import dev.envelope.idempotency.timer.Timers;
import java.time.InstantSource;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * What leaves one slot for Kafka: dead letters, outputs, and timers, which become outputs when they
 * are due. Each slot has producers of its own, once it has something to send.
 */
record Outgoing(Relay relay, OutputRelay outputs, Timers timers, boolean hasBroker) {

    /** Closes what it sends with, where no loop was started. */
    void closeUnused() {
        relay.closeDelivery();
        outputs.closeSender();
    }

    /**
     * @param room for dead letters, of all slots
     * @param outputRoom the same for outputs
     * @param owned the partitions of this process
     */
    static Outgoing of(
            Parts parts,
            Store slot,
            OutboxRoom room,
            OutputRoom outputRoom,
            Supplier<Set<TopicPartition>> owned) {
        Deliveries deliveries = parts.deliveries().get();
        String application = parts.engine().applicationId();
        return new Outgoing(
                new Relay(
                        slot.outbox(),
                        deliveries.deadLetters(),
                        room,
                        application,
                        System::nanoTime,
                        new SplittableRandom()),
                new OutputRelay(
                        slot.outputs(),
                        deliveries.outputs(),
                        outputRoom,
                        application,
                        System::nanoTime,
                        new SplittableRandom()),
                new Timers(
                        slot.timers(),
                        owned,
                        outputRoom,
                        parts.limits().timersPerSecond(),
                        System::nanoTime,
                        InstantSource.system()),
                deliveries.hasBroker());
    }
}
