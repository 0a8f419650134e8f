package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.store.output.Output;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The same handler where it emits: none, one or two outputs a message, which depend on the place of
 * the message alone; and where it sets timers, as {@link TimerRule} says. It does both before the
 * fold, so the outputs and timers of a fold that fails must vanish.
 *
 * <p>Threads: one thread.
 */
final class EmittingFold implements EffectFold<Trace, String> {

    /** The topics that it emits to. */
    static final List<String> TOPICS = List.of("out-a", "out-b");

    private static final String ID_HEADER = "output";
    private static final String OF_A_TIMER = "v of a timer";

    /**
     * What it emits for a message.
     *
     * @param id the place of the message, and a number
     */
    record Emission(String id, String topic, byte @Nullable [] key) {

        byte[] value() {
            return ("of " + id).getBytes(StandardCharsets.UTF_8);
        }

        /** Whether this is what was saved or has arrived. */
        boolean is(String otherTopic, byte @Nullable [] otherKey, byte @Nullable [] value) {
            return topic.equals(otherTopic)
                    && Arrays.equals(key, otherKey)
                    && Arrays.equals(value(), value);
        }
    }

    private final Fold<Trace, String> fold;
    private final boolean setsTimers;

    EmittingFold(Fold<Trace, String> fold, boolean setsTimers) {
        this.fold = fold;
        this.setsTimers = setsTimers;
    }

    @Override
    public @Nullable Trace apply(@Nullable Trace state, @Nullable String value, Effects effects)
            throws Exception {
        Message message = effects.message();
        for (Emission emission : emissions(Trace.place(message), message.keyBytes())) {
            effects.emit(emission.topic(), emission.key(), emission.value(), headers(emission));
        }
        boolean isFiring = effects.fired() != null;
        if (setsTimers) {
            TimerRule.ops(message, isFiring).forEach(it -> carryOut(it, effects));
        }
        return fold.apply(state, isFiring ? OF_A_TIMER : value, message);
    }

    private static void carryOut(TimerRule.Op op, Effects effects) {
        if (op.dueAt() == null) {
            effects.cancel(op.name());
        } else {
            effects.timer(op.name(), op.dueAt(), op.payloadBytes());
        }
    }

    /** What it emits for the message at this place. */
    static List<Emission> emissions(String place, byte @Nullable [] key) {
        int drawn = (place.hashCode() * 0x9E3779B9) >>> 16;
        List<Emission> emissions = new ArrayList<>(2);
        for (int i = 1; i <= drawn % 3; i++) {
            String topic = TOPICS.get(((drawn / 3) >> i) & 1);
            emissions.add(new Emission(place + '#' + i, topic, key));
        }
        return emissions;
    }

    static Headers headers(Emission of) {
        return new RecordHeaders().add(ID_HEADER, of.id().getBytes(StandardCharsets.UTF_8));
    }

    /** What an output is known by. Of the firing of a timer that is what the timer was set with. */
    private static String id(Headers headers, byte @Nullable [] value) {
        Header id = headers.lastHeader(ID_HEADER);
        byte[] text = id == null ? value : id.value();
        return text == null ? "unknown#0" : new String(text, StandardCharsets.UTF_8);
    }

    static String id(ProducerRecord<?, byte @Nullable []> record) {
        return id(record.headers(), record.value());
    }

    static String id(Output output) {
        return id(output.headers(), output.value());
    }

    /** The place of the message that an output is of. */
    static String place(String id) {
        return id.substring(0, id.lastIndexOf('#'));
    }

    /** The place of the message that has set the timer whose firing has this id. */
    static String placeOfSetter(String id) {
        return place(id).substring(1);
    }
}
