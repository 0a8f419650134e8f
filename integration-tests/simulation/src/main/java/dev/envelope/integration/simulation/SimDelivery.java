package dev.envelope.integration.simulation;

import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.outbox.Relay;
import dev.envelope.integration.simulation.OutboxChecks.Arrival;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The producer of one process, over a network: it is slow, refused as a whole or a record at a
 * time, and some of what has arrived is never acknowledged.
 *
 * <p>Threads: one thread.
 */
final class SimDelivery implements Delivery {

    private final SimInstance owner;
    private final World world;
    private final SimOutboxStore outbox;

    /**
     * @param outbox that the records are read from
     */
    private SimDelivery(SimInstance owner, World world, SimOutboxStore outbox) {
        this.owner = owner;
        this.world = world;
        this.outbox = outbox;
    }

    /** The relay of a process, with its own view of outbox and topic. */
    static Relay relay(
            SimInstance owner, World world, SimStore network, OutboxRoom room, Wiring wiring) {
        SimOutboxStore outbox = new SimOutboxStore(network, owner, world);
        return new Relay(
                wiring.outbox(outbox),
                wiring.delivery(new SimDelivery(owner, world, outbox)),
                room,
                "app",
                world.scheduler()::now,
                world.random());
    }

    @Override
    public List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        owner.gate();
        long latency = 200_000L + world.random().nextInt(5_000_000);
        if (world.faults().happens(Fault.LETTERS_SLOW)) {
            latency *= 20 + world.random().nextInt(1_000); // up to some seconds
        }
        world.scheduler().block(latency / 2);
        if (world.faults().happens(Fault.FREEZE)) {
            owner.freeze((1_000 + world.random().nextInt(7_000)) * 1_000_000L);
            owner.standStill(); // with the records on their way
        }
        if (world.letters().refuses()) {
            world.scheduler().block(latency / 2);
            owner.gate();
            return records.stream().map(it -> refusal("nobody answers", false)).toList();
        }
        boolean isCut = world.faults().happens(Fault.LETTERS_UNACKNOWLEDGED);
        List<Optional<Refusal>> answers = new ArrayList<>();
        List<Arrival> acknowledged = new ArrayList<>();
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record : records) {
            if (world.letters().isTooLarge(OutboxChecks.place(record))) {
                answers.add(refusal("a record is too large", true));
            } else if (isCut && world.random().nextInt(3) == 0) {
                answers.add(refusal("time is up", false)); // it has not arrived
            } else {
                Arrival arrival = world.checks().outbox().arrived(outbox, record);
                boolean isLost = isCut && world.random().nextBoolean();
                answers.add(isLost ? refusal("time is up", false) : Optional.empty());
                if (!isLost) {
                    acknowledged.add(arrival);
                }
            }
        }
        world.scheduler().block(latency / 2);
        owner.gate();
        acknowledged.forEach(Arrival::acknowledge);
        return answers;
    }

    private static Optional<Refusal> refusal(String why, boolean onlyThis) {
        return Optional.of(new Refusal(why, onlyThis));
    }

    @Override
    public void close() {}
}
