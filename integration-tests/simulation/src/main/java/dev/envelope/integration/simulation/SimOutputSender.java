package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.FakeOutputSender;
import dev.envelope.idempotency.output.FakeTransactions;
import dev.envelope.idempotency.output.FakeTransactions.Reading;
import dev.envelope.idempotency.output.OutputSender;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * The transactional producers of one process, over a network: no broker answers, a transaction is
 * aborted, its producer is fenced, the reply of a commit is lost, and the process stands still or
 * dies in the middle of a batch.
 *
 * <p>Threads: one thread.
 */
final class SimOutputSender implements OutputSender {

    private final SimProcess owner;
    private final Scene world;
    private final OutputTopics topics;
    private final FakeTransactions kafka;
    private final FakeOutputSender sender;

    SimOutputSender(SimProcess owner, Scene world, OutputTopics topics) {
        this.owner = owner;
        this.world = world;
        this.topics = topics;
        this.kafka = topics.kafka();
        this.sender = new FakeOutputSender(kafka, owner.name());
    }

    /** One round trip. */
    private <T> T call(Supplier<T> work) {
        owner.gate();
        long latency = 200_000L + world.random().nextInt(5_000_000);
        block(latency / 2);
        standStillPerhaps();
        if (owner.isDead() && world.random().nextBoolean()) {
            throw new ProcessKilled(); // the request was never sent
        }
        sender.isAway(topics.isAway());
        T result = work.get();
        topics.watch().look();
        block(latency / 2);
        owner.gate();
        return result;
    }

    /** As in {@link SimOutputStore}. */
    private void block(long nanos) {
        if (!world.faults().areOver()) {
            world.scheduler().block(nanos);
        }
    }

    private void standStillPerhaps() {
        if (world.faults().happens(Fault.FREEZE)) {
            owner.freeze((1_000 + world.random().nextInt(7_000)) * 1_000_000L);
            owner.standStill();
        }
    }

    @Override
    public List<String> ids() {
        return sender.ids();
    }

    @Override
    public void open(long number) {
        call(
                () -> {
                    sender.open(number);
                    return true;
                });
    }

    @Override
    public Batch begin() {
        return new Sending(sender.begin());
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        return call(() -> sender.committed(ids));
    }

    /** For a mutant: whoever uses these ids may go on. */
    OptionalLong committedWithoutFence(List<String> ids) {
        return call(() -> highest(ids));
    }

    private OptionalLong highest(List<String> ids) {
        return ids.stream()
                .map(kafka::read)
                .mapToLong(it -> it instanceof Reading.Stable is ? is.number().orElse(-1) : -1)
                .max();
    }

    @Override
    public void close() {
        sender.close();
    }

    private final class Sending implements Batch {

        private final Batch batch;

        Sending(Batch batch) {
            this.batch = batch;
        }

        /** Only into the producer's buffer and on its way: nobody waits here. */
        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            owner.gate();
            sender.isAway(topics.isAway());
            batch.send(records);
            topics.watch().look();
            if (world.faults().happens(Fault.OUTPUTS_FENCED)) {
                kafka.fence(sender.ids()); // the coordinator says that it has taken too long
            }
        }

        @Override
        public Map<Integer, String> commit(long number) {
            if (world.faults().happens(Fault.OUTPUTS_SUSPENDED)) {
                owner.freeze((2_000 + world.random().nextInt(4_000)) * 1_000_000L);
                owner.standStill();
            }
            Map<Integer, String> refusals = call(() -> commitNow(number));
            if (world.faults().happens(Fault.OUTPUTS_COMMIT_UNKNOWN)) {
                throw new Unknown("the reply of the commit is lost", null);
            }
            topics.watch().sentBy(owner);
            return refusals;
        }

        private Map<Integer, String> commitNow(long number) {
            if (world.faults().happens(Fault.OUTPUTS_ABORTED)) {
                batch.abort();
                throw new UnavailableException("the transaction was aborted");
            }
            try {
                return batch.commit(number);
            } catch (Unknown e) {
                if (e.getCause() instanceof ProducerFencedException) {
                    world.faults().landed(Fault.OUTPUTS_ZOMBIE);
                }
                throw e;
            }
        }

        /** Who is dead leaves the transaction as it is. */
        @Override
        public void abort() {
            if (!owner.isDead()) {
                call(
                        () -> {
                            batch.abort();
                            return true;
                        });
            }
        }
    }
}
