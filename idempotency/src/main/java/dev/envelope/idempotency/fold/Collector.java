package dev.envelope.idempotency.fold;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Message;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.turn.Disposition;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.Reply.Result;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.Timer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * Collects what one run over an envelope wants to happen: what the handler asks for, the new state
 * for the changelog, answers to commands. A run in which a message fails is thrown away with its
 * collector.
 *
 * <p>Threads: one thread, one run.
 */
final class Collector implements Effects {

    private static final String RESERVED = "envelope.";
    private static final int LONGEST_TOPIC = 249;
    private static final int LONGEST_TIMER = 255;
    private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private static final Headers NO_HEADERS = new RecordHeaders();

    private final TurnQuota quota;
    private final PuttingOut out;
    private final List<Output> outputs = new ArrayList<>();
    private final Map<String, Timer> timers = new LinkedHashMap<>(0); // the last of each name
    private final Map<String, Reply> replies = new LinkedHashMap<>(0); // by command
    private @Nullable Call call; // null outside of the handler
    private @Nullable Message lastApplied;
    private byte @Nullable [] lastReply; // of the handler to that message

    /** One call of the handler. */
    private static final class Call {

        private final Message message;
        private final @Nullable Fired fired;
        private int effects;
        private long bytes;
        private byte @Nullable [] reply;
        private @Nullable MalformedException broken; // why this message has failed

        Call(Message message, @Nullable Fired fired) {
            this.message = message;
            this.fired = fired;
        }

        MalformedException fail(String why) {
            MalformedException failure = new MalformedException(why);
            broken = failure;
            return failure;
        }
    }

    Collector(TurnQuota quota, PuttingOut out) {
        this.quota = quota;
        this.out = out;
    }

    /**
     * The handler is about to be called with this message.
     *
     * @param firing of which timer the message is; null for other messages
     */
    Effects begin(Message next, @Nullable Firing firing) {
        Fired fired = null;
        if (firing != null) {
            byte @Nullable [] payload = next.value();
            fired = new Fired(firing.name(), payload == null ? new byte[0] : payload.clone());
            ended(firing.name());
        }
        call = new Call(next, fired);
        return this;
    }

    /**
     * The handler has returned.
     *
     * @throws MalformedException if it asked for something that can't be, even if it caught that
     */
    void end() {
        Call ended = call();
        call = null;
        lastApplied = ended.message;
        if (ended.broken != null) {
            throw ended.broken;
        }
        long ofReply = ended.reply == null ? 0 : ended.reply.length;
        quota.emitted(ended.effects, ended.bytes + ofReply);
        lastReply = ended.reply;
    }

    private void ended(String timer) {
        timers.put(timer, Timer.ended(timer));
    }

    /** Whether a message of this run has set or ended the timer. */
    boolean hasTouched(String timer) {
        return timers.containsKey(timer);
    }

    /**
     * Whether a message of this run has set the timer of which this one is a firing: then the log
     * is read again, or by a new application. The database says whether it is due, once it is
     * saved.
     */
    boolean hasSet(Message message) {
        @Nullable Firing firing = timers.isEmpty() ? null : Firing.of(message);
        Timer timer = firing == null ? null : timers.get(firing.name());
        Timer.Setting set = timer == null ? null : timer.set();
        return firing != null && set != null && firing.mayBeOf(set);
    }

    /**
     * Whether a message of this run has applied the command, or was a duplicate of one that has.
     */
    boolean hasApplied(String command) {
        Reply reply = replies.get(command);
        return reply != null && reply.result().isApplied();
    }

    /** What became of a command. */
    void became(
            Message message, String command, Disposition disposition, @Nullable GivenUp givenUp) {
        boolean isApplied = disposition == Disposition.APPLIED;
        boolean isSetAside = !isApplied && disposition != Disposition.DUPLICATE;
        Reply reply =
                new Reply(
                        message,
                        command,
                        result(disposition),
                        isSetAside ? SetAside.why(givenUp) : null,
                        isApplied ? lastReply : null);
        replies.merge(command, reply, Reply::stays);
    }

    private static Result result(Disposition disposition) {
        return switch (disposition) {
            case APPLIED -> Result.APPLIED;
            case DUPLICATE -> Result.DUPLICATE;
            case PARKED -> Result.PARKED;
            case PUT_OUT -> Result.PUT_OUT;
        };
    }

    /**
     * What is to happen if the run is saved. A changed state is put out once per save, under the
     * key of the last message that was applied; a deletion is a tombstone.
     *
     * @param before the state's bytes in the row
     * @param after those that will be saved
     */
    HandlerEffects effects(String rowKey, byte @Nullable [] before, byte @Nullable [] after) {
        Message last = lastApplied;
        String changelog = out.changelog();
        if (changelog != null && last != null && !Arrays.equals(before, after)) {
            byte @Nullable [] key = last.keyBytes();
            outputs.add(
                    new Output(
                            last,
                            Output.CHANGELOG,
                            changelog,
                            key == null ? rowKey.getBytes(UTF_8) : key,
                            after,
                            NO_HEADERS));
        }
        return timers.isEmpty() && replies.isEmpty()
                ? HandlerEffects.of(outputs)
                : new HandlerEffects(
                        outputs, List.copyOf(timers.values()), List.copyOf(replies.values()));
    }

    private Call call() {
        Call present = call;
        if (present == null) {
            throw new IllegalStateException("effects can only be used until the handler returns");
        }
        return present;
    }

    @Override
    public Message message() {
        return call().message;
    }

    @Override
    public @Nullable Fired fired() {
        return call().fired;
    }

    @Override
    public void emit(
            String topic, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {
        Call now = call();
        if (!isTopic(topic)) {
            throw now.fail("'" + topic + "' is no name for a topic");
        }
        Output output =
                new Output(
                        now.message,
                        Output.FIRST + now.effects,
                        topic,
                        key == null ? null : key.clone(),
                        value == null ? null : value.clone(),
                        copy(headers, now));
        count(now, output.bytes());
        outputs.add(output);
    }

    @Override
    public void timer(String name, Instant at, byte[] payload) {
        Call now = call();
        if (!out.timers()) {
            throw now.fail("it sets a timer, and the setting timers is false");
        }
        requireTimer(name, now);
        if (now.message.keyBytes() == null) {
            throw now.fail("a message without a key can't set a timer: its firing had no way back");
        }
        if (!RowKeys.canBeIndexed(now.message.key(), name)) {
            throw now.fail("the key and the name of the timer are too long to be stored together");
        }
        if (at.isBefore(Instant.EPOCH) || at.isAfter(LATEST)) {
            throw now.fail("the timer " + name + " is set to " + at);
        }
        Timer timer = Timer.set(name, now.message, Output.FIRST + now.effects, at, payload.clone());
        count(now, timer.bytes());
        timers.put(name, timer);
    }

    @Override
    public void cancel(String name) {
        Call now = call();
        requireTimer(name, now);
        count(now, Timer.ended(name).bytes());
        ended(name);
    }

    private static void requireTimer(String name, Call now) {
        boolean isText = new String(name.getBytes(UTF_8), UTF_8).equals(name);
        if (name.isEmpty() || name.length() > LONGEST_TIMER || name.indexOf(0) >= 0 || !isText) {
            throw now.fail("'" + name + "' is no name for a timer: 1 to 255 characters");
        }
    }

    @Override
    public void reply(byte[] value) {
        Call now = call();
        if (value.length > quota.limits().bytesPerMessage()) {
            throw now.fail(
                    "its reply is longer than emit.max.bytes.per.message="
                            + quota.limits().bytesPerMessage()
                            + " bytes");
        }
        now.reply = value.clone();
    }

    private void count(Call now, long bytes) {
        now.bytes += bytes;
        if (now.effects == quota.limits().perMessage()) {
            throw now.fail(
                    "it emits more than emit.max.per.message=" + quota.limits().perMessage());
        } else if (now.bytes > quota.limits().bytesPerMessage()) {
            throw now.fail(
                    "it emits more than emit.max.bytes.per.message="
                            + quota.limits().bytesPerMessage()
                            + " bytes");
        }
        now.effects++;
    }

    private static Headers copy(Headers headers, Call now) {
        if (!headers.iterator().hasNext()) {
            return NO_HEADERS;
        }
        RecordHeaders copy = new RecordHeaders();
        for (Header header : headers) {
            if (header.key().startsWith(RESERVED)) {
                throw now.fail(
                        "the header " + header.key() + " is reserved, as all " + RESERVED + "*");
            }
            byte[] value = header.value();
            copy.add(header.key(), value == null ? null : value.clone());
        }
        return copy;
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
