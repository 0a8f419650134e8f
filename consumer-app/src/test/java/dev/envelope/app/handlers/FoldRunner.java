package dev.envelope.app.handlers;

import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Runs a handler over documents as the engine does, for one key. */
public final class FoldRunner<S, M> {

    private final HandlerSpec<S, M> spec;
    private @Nullable S state;

    public FoldRunner(HandlerSpec<S, M> spec) {
        this.spec = spec;
    }

    public static FoldRunner<?, ?> ofExpressions(String... namesAndTexts) {
        return new FoldRunner<>(Handlers.resolve(expressions(namesAndTexts)));
    }

    public static HandlerRequest expressions(String... namesAndTexts) {
        Map<String, String> expressions = new LinkedHashMap<>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            expressions.put(namesAndTexts[i], namesAndTexts[i + 1]);
        }
        return new HandlerRequest(
                "fold", expressions, Map.of(), List.of(), "json", Map.of(), new GivenUpFields());
    }

    public FoldRunner<S, M> fold(String... documents) {
        for (String document : documents) {
            step(document.getBytes(StandardCharsets.UTF_8));
        }
        return this;
    }

    public FoldRunner<S, M> tombstone() {
        step(null);
        return this;
    }

    /** Saves the state and loads it again. */
    public FoldRunner<S, M> reload() {
        S saved = state;
        if (saved != null) {
            state = spec.stateCodec().decode(spec.stateCodec().encode(saved));
        }
        return this;
    }

    /** Loads a state that stands in the row. */
    public FoldRunner<S, M> load(String json) {
        state = spec.stateCodec().decode(json.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** The same of a state that a person has written. */
    public FoldRunner<S, M> loadStrictly(String json) {
        state = spec.stateCodec().decodeStrictly(json.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /** The state as it would be saved, or "deleted". */
    public String saved() {
        S last = state;
        return last == null
                ? "deleted"
                : new String(spec.stateCodec().encode(last), StandardCharsets.UTF_8);
    }

    public static Message message(byte @Nullable [] value) {
        PartitionEpoch epoch =
                new PartitionEpoch(1, new TopicPartition("orders", 0), 1, new Incarnation("first"));
        byte @Nullable [] key = {'k'};
        return Message.of(epoch, 0, "k", new ConsumerRecord<>("orders", 0, 7, key, value));
    }

    private void step(byte @Nullable [] value) {
        Message message = message(value);
        M decoded = value == null ? null : spec.valueFormat().decode(value, message);
        try {
            state = spec.fold().call().apply(state, decoded, message, null);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
