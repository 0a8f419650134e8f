package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.outbox.Delivery;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.store.OutboxStore;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Wirings that each break one promise about dead letters. */
final class OutboxMutants {

    private OutboxMutants() {}

    /** Nobody looks whether there is room. */
    static final Wiring ROOM_WITHOUT_END =
            new Wiring() {
                @Override
                public OutboxRoom room(OutboxRoom room) {
                    return OutboxRoom.endless();
                }
            };

    /** Each process takes itself for the one that delivers. */
    static final Wiring LEASE_OFF =
            new Wiring() {
                @Override
                public OutboxStore outbox(OutboxStore outbox) {
                    return new Changed(outbox, UnaryOperator.identity()) {
                        @Override
                        public boolean lead(Duration lease) {
                            return true;
                        }
                    };
                }
            };

    /** What was refused counts as acknowledged. */
    static final Wiring REFUSALS_IGNORED =
            new Wiring() {
                @Override
                public Delivery delivery(Delivery delivery) {
                    return new ChangedDelivery(delivery, UnaryOperator.identity()) {
                        @Override
                        public List<Optional<Refusal>> deliver(
                                List<ProducerRecord<byte @Nullable [], byte @Nullable []>> all) {
                            super.deliver(all);
                            return all.stream().map(it -> Optional.<Refusal>empty()).toList();
                        }
                    };
                }
            };

    /**
     * Each record is taken for one of a key of its own: those of one do not wait for each other.
     */
    static final Wiring LANES_OFF =
            new Wiring() {
                @Override
                public OutboxStore outbox(OutboxStore outbox) {
                    return new Changed(outbox, OutboxMutants::withPosition);
                }

                @Override
                public Delivery delivery(Delivery delivery) {
                    return new ChangedDelivery(delivery, OutboxMutants::withoutPosition);
                }
            };

    private static OutboxStore.Waiting withPosition(OutboxStore.Waiting of) {
        byte[] key = of.key();
        byte @Nullable [] longer =
                key == null
                        ? null
                        : ByteBuffer.allocate(key.length + Long.BYTES)
                                .put(key)
                                .putLong(of.position())
                                .array();
        return new OutboxStore.Waiting(
                of.position(), of.origin(), of.topic(), longer, of.value(), of.headers());
    }

    private static ProducerRecord<byte @Nullable [], byte @Nullable []> withoutPosition(
            ProducerRecord<byte @Nullable [], byte @Nullable []> of) {
        byte[] key = of.key();
        byte @Nullable [] shorter =
                key == null ? null : Arrays.copyOf(key, key.length - Long.BYTES);
        return new ProducerRecord<>(of.topic(), null, shorter, of.value(), of.headers());
    }

    private static class Changed implements OutboxStore {

        private final OutboxStore outbox;
        private final UnaryOperator<Waiting> change;

        Changed(OutboxStore outbox, UnaryOperator<Waiting> change) {
            this.outbox = outbox;
            this.change = change;
        }

        @Override
        public Depth depth(int most) {
            return outbox.depth(most);
        }

        @Override
        public boolean lead(Duration lease) {
            return outbox.lead(lease);
        }

        @Override
        public void leave() {
            outbox.leave();
        }

        @Override
        public Batch firstWithout(List<Long> positions, int most, long maxBytes) {
            Batch batch = outbox.firstWithout(positions, most, maxBytes);
            return new Batch(batch.incarnation(), batch.records().stream().map(change).toList());
        }

        @Override
        public void delete(List<Long> positions, Incarnation incarnation) {
            outbox.delete(positions, incarnation);
        }
    }

    private static class ChangedDelivery implements Delivery {

        private final Delivery delivery;
        private final UnaryOperator<ProducerRecord<byte @Nullable [], byte @Nullable []>> change;

        ChangedDelivery(
                Delivery delivery,
                UnaryOperator<ProducerRecord<byte @Nullable [], byte @Nullable []>> change) {
            this.delivery = delivery;
            this.change = change;
        }

        @Override
        public List<Optional<Refusal>> deliver(
                List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            return delivery.deliver(records.stream().map(change).toList());
        }

        @Override
        public void close() {
            delivery.close();
        }
    }
}
