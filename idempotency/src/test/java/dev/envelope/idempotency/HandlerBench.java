package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.row.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A handler with a store in memory. The state of a key is the text of all values that were applied;
 * a value of {@link #booms} spoils the state object and throws, one of {@link #errors} does so with
 * an error.
 *
 * <p>Threads: one thread.
 */
final class HandlerBench {

    static final int MAX_STATE_BYTES = 200;

    final InMemoryDatabase database = new InMemoryDatabase();
    final ScriptedStore store = new ScriptedStore(database);
    final Incarnation life = database.incarnation();
    final PartitionEpoch epoch = Records.epoch(1, 1, life);
    final Set<String> booms = new HashSet<>(Set.of("boom"));
    final Map<String, Throwable> errors = new HashMap<>();
    final Counts counts = new Counts();
    final List<String> folded = new ArrayList<>();
    MessageIds ids = MessageIds.NONE;
    IdempotentHandler<StringBuilder> handler = newHandler();

    /** What was told. */
    static final class Counts implements Telemetry {
        int duplicates;
        int conflicts;
        int savedRows;
        int savedMessages;
        final List<String> parked = new ArrayList<>();

        @Override
        public void duplicates(int messages) {
            duplicates += messages;
        }

        @Override
        public void saved(int rows, int messages) {
            savedRows += rows;
            savedMessages += messages;
        }

        @Override
        public void conflicts(int rows) {
            conflicts += rows;
        }

        @Override
        public void parked(String reason, int messages) {
            parked.add(reason);
        }
    }

    /** A JSON string of letters. */
    static final StateCodec<StringBuilder> CODEC =
            new StateCodec<>() {
                @Override
                public byte[] encode(StringBuilder state) {
                    if (state.indexOf("unencodable") >= 0) {
                        throw new IllegalStateException("a codec with a bug");
                    }
                    if (state.indexOf("endless") >= 0) {
                        throw new StackOverflowError("a state without an end");
                    }
                    if (state.indexOf("huge") >= 0) {
                        throw new OutOfMemoryError("a state that is too large");
                    }
                    if (state.indexOf("late") >= 0) {
                        Thread.currentThread().interrupt();
                    }
                    return ('"' + state.toString() + '"').getBytes(StandardCharsets.UTF_8);
                }

                @Override
                public StringBuilder decodeStrictly(byte[] json) {
                    StringBuilder state = decode(json);
                    if (state.indexOf("slip") >= 0) {
                        throw new MalformedException("that is no letter");
                    }
                    return state;
                }

                @Override
                public StringBuilder decode(byte[] json) {
                    String text = new String(json, StandardCharsets.UTF_8);
                    if (text.startsWith("\"other:")) {
                        throw UnreadableStateException.ofOtherVersion("it says other");
                    } else if (text.startsWith("\"damaged")) {
                        throw new MalformedException("it says damaged");
                    }
                    return new StringBuilder(text.substring(1, text.length() - 1));
                }
            };

    EnvelopeFold<StringBuilder, String> newFold() {
        return newFold(PuttingOut.NOTHING);
    }

    EnvelopeFold<StringBuilder, String> newFold(PuttingOut out) {
        Fold<StringBuilder, String> fold =
                (state, value, message) -> {
                    if (Thread.interrupted()) {
                        throw new InterruptedException("meant for another message");
                    }
                    folded.add(message.key() + message.offset());
                    if (value == null) {
                        return null;
                    }
                    StringBuilder next = state == null ? new StringBuilder() : state;
                    if (value.equals("interrupt")) {
                        Thread.currentThread().interrupt();
                        throw new InterruptedException("by a library of the user's");
                    }
                    if (value.equals("flag")) {
                        Thread.currentThread().interrupt();
                    }
                    if (booms.contains(value)) {
                        next.append("HALF");
                        throw new IllegalStateException(value);
                    }
                    if (errors.get(value) instanceof Error error) {
                        next.append("HALF");
                        throw error;
                    }
                    return next.append(value);
                };
        return new EnvelopeFold<>(
                UserFold.of(fold),
                CODEC,
                this::decode,
                message -> ids.find(message),
                IdLimits.ofCount(3),
                MAX_STATE_BYTES,
                out);
    }

    IdempotentHandler<StringBuilder> newHandler() {
        return new IdempotentHandler<>(newFold(), store, 1 << 20, counts);
    }

    private String decode(byte[] value, Message message) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (text.startsWith("?")) {
            throw new MalformedException("no value begins so");
        } else if (text.startsWith("#")) {
            throw new UnavailableException("the registry is away");
        } else if (text.startsWith("!")) {
            throw new IllegalStateException("a format with a bug");
        } else if (text.startsWith("<")) {
            throw new StackOverflowError("nested too deep");
        }
        return text;
    }

    Message message(long offset, String key, @Nullable String value) {
        return Records.message(epoch, offset, key, value);
    }

    Envelope envelope(String key, long firstOffset, @Nullable String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            messages.add(message(firstOffset + i, key, values[i]));
        }
        return Envelope.of(key, messages);
    }

    HandTurn handle(HandTurn turn) {
        handler.handle(turn);
        assertThat(turn.isInside()).isFalse();
        return turn;
    }

    @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = handle(new HandTurn(envelope));
        assertThat(turn.settled()).isEqualTo(1);
        return turn.outcome(0);
    }

    Snapshot row(String key) {
        return Objects.requireNonNull(database.rows().get(key), key);
    }

    @Nullable String state(String key) {
        byte[] state = row(key).state();
        return state == null ? null : CODEC.decode(state).toString();
    }

    /** Another process saves for a key, and leaves its marks. */
    void elsewhere(String key, long firstOffset, @Nullable String... values) {
        newHandler().handle(new HandTurn(envelope(key, firstOffset, values)));
    }

    static void isFailed(@Nullable Outcome outcome, int saved, boolean retryable) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Outcome.Failed.class,
                        it -> {
                            assertThat(it.done().size()).isEqualTo(saved);
                            assertThat(it.retryable()).isEqualTo(retryable);
                        });
    }
}
