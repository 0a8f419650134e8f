package dev.envelope.idempotency.outbox;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A place that takes records, refuses some, and forgets to say that it has taken others.
 *
 * <p>Threads: one thread.
 */
public final class FakeDelivery implements Delivery {

    private final List<ProducerRecord<byte @Nullable [], byte @Nullable []>> arrived =
            new ArrayList<>();
    private final List<Integer> waves = new ArrayList<>();
    private final Map<String, Refusal> refusals = new HashMap<>();
    private Runnable afterWave = () -> {};
    private @Nullable Refusal refusalOfAll;
    private int closed;

    /** From now on nothing is taken; null for everything. */
    public void refuseAll(@Nullable String why) {
        refusalOfAll = why == null ? null : new Refusal(why, false);
    }

    /** Records with that value are not taken. */
    public void refuse(String value, Refusal refusal) {
        refusals.put(value, refusal);
    }

    void takeAgain(String value) {
        refusals.remove(value);
    }

    /** Happens when records have arrived and nobody knows yet. */
    public void afterWave(Runnable meanwhile) {
        afterWave = meanwhile;
    }

    /** The values that have arrived, in their order. */
    public List<String> values() {
        return arrived.stream().map(FakeDelivery::value).toList();
    }

    /** The ids under which they have. */
    public List<String> ids() {
        return arrived.stream()
                .map(
                        record ->
                                new String(
                                        record.headers().lastHeader(DeadLetters.ID).value(),
                                        StandardCharsets.UTF_8))
                .toList();
    }

    public List<ProducerRecord<byte @Nullable [], byte @Nullable []>> arrived() {
        return arrived;
    }

    /** How many records each call had. */
    List<Integer> waves() {
        return waves;
    }

    public int closed() {
        return closed;
    }

    private static String value(ProducerRecord<?, byte @Nullable []> record) {
        byte[] value = record.value();
        return value == null ? "null" : new String(value, StandardCharsets.UTF_8);
    }

    @Override
    public List<Optional<Refusal>> deliver(
            List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
        waves.add(records.size());
        List<Optional<Refusal>> answers = new ArrayList<>();
        for (ProducerRecord<byte @Nullable [], byte @Nullable []> record : records) {
            Refusal refusal = refusalOfAll == null ? refusals.get(value(record)) : refusalOfAll;
            if (refusal == null) {
                arrived.add(record);
            }
            answers.add(Optional.ofNullable(refusal));
        }
        afterWave.run();
        return answers;
    }

    @Override
    public void close() {
        closed++;
    }
}
