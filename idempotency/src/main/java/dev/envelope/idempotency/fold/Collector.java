package dev.envelope.idempotency.fold;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.row.HandlerEffects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Collects what one run over an envelope puts out: what the handler emits, and the new state for
 * the changelog. A run in which a message fails is thrown away with its collector.
 *
 * <p>Threads: one thread, one run.
 */
final class Collector implements Effects {

    private static final String RESERVED = "envelope.";
    private static final int LONGEST_TOPIC = 249;

    private static final Headers NO_HEADERS = new RecordHeaders();

    private final TurnQuota quota;
    private final @Nullable String changelog;
    private final List<Output> outputs = new ArrayList<>();
    private @Nullable Message message; // null outside of the handler
    private @Nullable Message lastApplied;
    private int earlier; // outputs of the messages before this one
    private long bytes; // of this message's outputs
    private @Nullable MalformedException broken; // why this message has failed

    /**
     * @param changelog the topic that gets the new state of a changed key; null for none
     */
    Collector(TurnQuota quota, @Nullable String changelog) {
        this.quota = quota;
        this.changelog = changelog;
    }

    /** The handler is about to be called with this message. */
    Effects begin(Message next) {
        message = next;
        earlier = outputs.size();
        bytes = 0;
        broken = null;
        return this;
    }

    /**
     * The handler has returned.
     *
     * @throws MalformedException if it asked for something that can't be, even if it caught that
     */
    void end() {
        lastApplied = message;
        message = null;
        if (broken != null) {
            throw broken;
        }
        quota.emitted(outputs.size() - earlier, bytes);
    }

    /**
     * What is put out if the run is saved. A changed state is put out once per save, under the key
     * of the last message that was applied; a deletion is a tombstone.
     *
     * @param before the state's bytes in the row
     * @param after those that will be saved
     */
    HandlerEffects effects(String rowKey, byte @Nullable [] before, byte @Nullable [] after) {
        Message last = lastApplied;
        if (changelog != null && last != null && !Arrays.equals(before, after)) {
            byte @Nullable [] key = last.keyBytes();
            outputs.add(
                    new Output(
                            last,
                            Output.CHANGELOG,
                            changelog,
                            key == null ? rowKey.getBytes(StandardCharsets.UTF_8) : key,
                            after,
                            NO_HEADERS));
        }
        return HandlerEffects.of(outputs);
    }

    @Override
    public Message message() {
        Message present = message;
        if (present == null) {
            throw new IllegalStateException("effects can only be used until the handler returns");
        }
        return present;
    }

    @Override
    public void emit(
            String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        Message origin = message();
        if (!isTopic(topic)) {
            throw fail("'" + topic + "' is no name for a topic");
        }
        Output output =
                new Output(
                        origin,
                        Output.FIRST + outputs.size() - earlier,
                        topic,
                        key == null ? null : key.clone(),
                        value == null ? null : value.clone(),
                        copy(headers));
        bytes += output.bytes();
        if (outputs.size() - earlier == quota.limits().perMessage()) {
            throw fail("it emits more than emit.max.per.message=" + quota.limits().perMessage());
        } else if (bytes > quota.limits().bytesPerMessage()) {
            throw fail(
                    "it emits more than emit.max.bytes.per.message="
                            + quota.limits().bytesPerMessage()
                            + " bytes");
        }
        outputs.add(output);
    }

    private Headers copy(Headers headers) {
        RecordHeaders copy = new RecordHeaders();
        for (Header header : headers) {
            if (header.key().startsWith(RESERVED)) {
                throw fail("the header " + header.key() + " is reserved, as all " + RESERVED + "*");
            }
            byte[] value = header.value();
            copy.add(header.key(), value == null ? null : value.clone());
        }
        return copy;
    }

    private MalformedException fail(String why) {
        MalformedException failure = new MalformedException(why);
        broken = failure;
        return failure;
    }

    /** The rule of the brokers. */
    private static boolean isTopic(String name) {
        boolean isLegal = !name.isEmpty() && name.length() <= LONGEST_TOPIC;
        for (int i = 0; i < name.length() && isLegal; i++) {
            char c = name.charAt(i);
            isLegal =
                    (c >= 'a' && c <= 'z')
                            || (c >= 'A' && c <= 'Z')
                            || (c >= '0' && c <= '9')
                            || c == '.'
                            || c == '_'
                            || c == '-';
        }
        return isLegal && !name.equals(".") && !name.equals("..");
    }
}
