package dev.envelope.idempotency.outbox;

import dev.envelope.idempotency.outbox.Delivery.Refusal;
import dev.envelope.idempotency.store.OutboxStore.Waiting;
import dev.envelope.idempotency.store.output.Origin;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The delivery of one batch, in waves: a wave has at most one record of a key, so the second is
 * sent only after the first was acknowledged. If a record is refused, those behind it of the same
 * key are left out.
 *
 * <p>Threads: one thread, one call.
 */
final class Sending {

    /** The records of one key on one topic, which keep their order. */
    record Lane(String topic, ByteBuffer key) {

        /** Records without a key have no order to keep. */
        static @Nullable Lane of(Waiting record) {
            byte[] key = record.key();
            return key == null ? null : new Lane(record.topic(), ByteBuffer.wrap(key));
        }
    }

    private final Delivery delivery;
    private final Function<Origin, String> id;
    private final List<Waiting> wave = new ArrayList<>();
    private final Set<Lane> inWave = new HashSet<>();
    private final Set<Lane> blocked;
    private final List<Waiting> left = new ArrayList<>();
    private final List<Long> delivered = new ArrayList<>();
    private @Nullable Refusal firstRefusal;
    private boolean isStuck;

    /**
     * @param blocked the lanes of which nothing may be sent
     */
    Sending(Delivery delivery, Function<Origin, String> id, Set<Lane> blocked) {
        this.delivery = delivery;
        this.blocked = new HashSet<>(blocked);
        this.id = id;
    }

    /** Adds the next record, in the order of the outbox. */
    void add(Waiting record) {
        Lane lane = Lane.of(record);
        if (lane != null && inWave.contains(lane)) {
            flush();
        }
        if (isStuck) {
            return;
        }
        if (lane != null && blocked.contains(lane)) {
            left.add(record);
            return;
        }
        wave.add(record);
        if (lane != null) {
            inWave.add(lane);
        }
    }

    /** Sends the wave and waits for its acknowledgements. */
    void flush() {
        if (wave.isEmpty() || isStuck) {
            return;
        }
        List<Optional<Refusal>> refusals =
                delivery.deliver(wave.stream().map(this::toProduce).toList());
        for (int i = 0; i < wave.size(); i++) {
            Waiting record = wave.get(i);
            if (refusals.get(i).isEmpty()) {
                delivered.add(record.position());
            } else {
                refused(record, refusals.get(i).get());
            }
        }
        wave.clear();
        inWave.clear();
    }

    private void refused(Waiting record, Refusal refusal) {
        if (firstRefusal == null || (firstRefusal.onlyThis() && !refusal.onlyThis())) {
            firstRefusal = refusal;
        }
        isStuck |= !refusal.onlyThis();
        left.add(record);
        Lane lane = Lane.of(record);
        if (lane != null) {
            blocked.add(lane);
        }
    }

    private ProducerRecord<byte @Nullable [], byte @Nullable []> toProduce(Waiting record) {
        Headers headers = record.headers();
        headers.remove(DeadLetters.ID);
        headers.add(DeadLetters.ID, id.apply(record.origin()).getBytes(StandardCharsets.UTF_8));
        return new ProducerRecord<>(record.topic(), null, record.key(), record.value(), headers);
    }

    /** Whether nothing more can be delivered now. */
    boolean isStuck() {
        return isStuck;
    }

    /** The refused records, and those behind them of the same keys. */
    List<Waiting> left() {
        return left;
    }

    /** The positions of the acknowledged records. */
    List<Long> delivered() {
        return delivered;
    }

    /** Why a record was refused; null if none was. */
    @Nullable Refusal firstRefusal() {
        return firstRefusal;
    }
}
