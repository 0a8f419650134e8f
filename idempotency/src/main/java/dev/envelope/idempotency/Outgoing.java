package dev.envelope.idempotency;

import dev.envelope.core.api.Environment.Ticker;
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

    /**
     * What all slots have in common.
     *
     * @param letters the room for dead letters
     * @param outputs the room for outputs
     * @param owned the partitions of this process
     */
    record Common(
            String applicationId,
            OutboxRoom letters,
            OutputRoom outputs,
            Supplier<Set<TopicPartition>> owned,
            int timersPerSecond,
            Ticker ticker,
            InstantSource clock,
            SplittableRandom random) {}

    static Outgoing of(Store slot, Deliveries deliveries, Common all) {
        return new Outgoing(
                new Relay(
                        slot.outbox(),
                        deliveries.deadLetters(),
                        all.letters(),
                        all.applicationId(),
                        all.ticker(),
                        all.random().split()),
                new OutputRelay(
                        slot.outputs(),
                        deliveries.outputs(),
                        all.outputs(),
                        all.applicationId(),
                        all.ticker(),
                        all.random().split()),
                new Timers(
                        slot.timers(),
                        all.owned(),
                        all.outputs(),
                        all.timersPerSecond(),
                        all.ticker(),
                        all.clock()),
                deliveries.hasBroker());
    }

    /** Closes what it sends with, where no loop was started. */
    void closeUnused() {
        relay.closeDelivery();
        outputs.closeSender();
    }
}
