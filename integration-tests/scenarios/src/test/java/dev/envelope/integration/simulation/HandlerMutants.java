package dev.envelope.integration.simulation;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.FailurePolicy.Patience;
import dev.envelope.core.api.Message;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.key.Division;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.ForwardingTurn;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UnreadableStateException;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.store.CrashStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.header.Headers;

/** Wirings that each break one promise about handlers and what they need. */
final class HandlerMutants {

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private HandlerMutants() {}

    /** An old version of the handler leaves out what it does not know. */
    static final Wiring FIELDS_DROPPED =
            new Wiring() {
                @Override
                public StateCodec<Trace> codec(StateCodec<Trace> codec) {
                    return new Forgetful(codec);
                }
            };

    private record Forgetful(StateCodec<Trace> codec) implements StateCodec<Trace> {

        @Override
        public byte[] encode(Trace state) {
            return codec.encode(state);
        }

        @Override
        public Trace decode(byte[] json) {
            try {
                return codec.decode(json);
            } catch (UnreadableStateException e) {
                return new Trace(Trace.CODEC.decode(json).places());
            }
        }
    }

    /** What a key waits for is charged to its message. */
    static final Wiring WAITING_IS_AN_ATTEMPT =
            new Wiring() {
                @Override
                public EnvelopeHandler handler(EnvelopeHandler handler) {
                    return turn -> handler.handle(new Charged(turn));
                }
            };

    private static final class Charged extends ForwardingTurn {

        Charged(Turn turn) {
            super(turn);
        }

        @Override
        public void settle(int envelope, Outcome outcome) {
            super.settle(
                    envelope,
                    outcome instanceof Outcome.Waiting waiting && waiting.cause() != null
                            ? new Outcome.Failed(waiting.done(), waiting.cause(), true)
                            : outcome);
        }
    }

    /** Keys wait for another version for as long as that takes. */
    static final Wiring ENDLESS_PATIENCE =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    FailurePolicy as = settings.failures();
                    return with(
                            settings,
                            new FailurePolicy(
                                    as.maxAttempts(),
                                    as.initialBackoff(),
                                    as.maxBackoff(),
                                    as.last(),
                                    as.neverRetried(),
                                    new Patience(FOR_EVER, FOR_EVER)),
                            settings.turns());
                }
            };

    /** A handler is interrupted long before its time is over. */
    static final Wiring HANDLER_TIMEOUT_TOO_SHORT =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    TurnLimits as = settings.turns();
                    return with(
                            settings,
                            settings.failures(),
                            new TurnLimits(
                                    as.envelopeMessages(),
                                    as.envelopeBytes(),
                                    as.turnMessages(),
                                    as.turnBytes(),
                                    as.turnTime(),
                                    Duration.ofMillis(100)));
                }
            };

    /** Nobody knows what a process was at when it died. */
    static final Wiring CRASH_BOOK_OFF =
            new Wiring() {
                @Override
                public IdempotentHandler.Bounds bounds(IdempotentHandler.Bounds bounds) {
                    return new IdempotentHandler.Bounds(
                            bounds.room(), CrashStore.NONE, bounds.limits());
                }
            };

    /** An end is counted three times. */
    static final Wiring ENDS_COUNTED_THRICE =
            new Wiring() {
                @Override
                public IdempotentHandler.Bounds bounds(IdempotentHandler.Bounds bounds) {
                    return new IdempotentHandler.Bounds(
                            bounds.room(), new Thrice(bounds.crashes()), bounds.limits());
                }
            };

    private record Thrice(CrashStore store) implements CrashStore {

        @Override
        public List<Suspect> suspects() {
            return store.suspects();
        }

        @Override
        public void count(Collection<Message> messages) {
            for (int i = 0; i < 3; i++) {
                store.count(messages);
            }
        }

        @Override
        public void countUpTo(Message message, int times) {
            store.countUpTo(message, 3 * times);
        }

        @Override
        public void forget(Message message) {
            store.forget(message);
        }
    }

    /** As much is set aside as there is. */
    static final Wiring SET_ASIDE_LIMITS_OFF =
            new Wiring() {
                @Override
                public IdempotentHandler.Bounds bounds(IdempotentHandler.Bounds bounds) {
                    return new IdempotentHandler.Bounds(
                            bounds.room(), bounds.crashes(), SetAsideLimits.none());
                }
            };

    /** Whatever a key's deserializer throws is taken for a key that is none. */
    static final Wiring KEY_OUTAGE_IS_A_REFUSAL =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    return with(settings, new Refusing(settings.keyFormat()));
                }
            };

    private record Refusing(KeyFormat format) implements KeyFormat {

        @Override
        public String decode(String topic, Headers headers, byte[] key) throws KeyRefused {
            try {
                return format.decode(topic, headers, key);
            } catch (DecoderOutException e) {
                throw new KeyRefused("key-format: " + e.getMessage());
            }
        }

        @Override
        public boolean mayBlock() {
            return format.mayBlock();
        }
    }

    /** Keys of all formats are decoded by the thread that polls. */
    static final Wiring KEYS_DECODED_WHILE_POLLING =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    KeyFormat format = settings.keyFormat();
                    return with(
                            settings, (topic, headers, key) -> format.decode(topic, headers, key));
                }
            };

    /** Whatever a value's deserializer throws is taken for bytes that are no message. */
    static final Wiring VALUE_OUTAGE_IS_BAD_BYTES =
            new Wiring() {
                @Override
                public ValueFormat<String> values(ValueFormat<String> values) {
                    return (value, message) -> {
                        try {
                            return values.decode(value, message);
                        } catch (DecoderOutException e) {
                            throw new MalformedException(String.valueOf(e.getMessage()));
                        }
                    };
                }
            };

    private static ConsumerSettings with(ConsumerSettings as, KeyFormat format) {
        return with(as, format, as.failures(), as.turns());
    }

    private static ConsumerSettings with(
            ConsumerSettings as, FailurePolicy failures, TurnLimits turns) {
        return with(as, as.keyFormat(), failures, turns);
    }

    private static ConsumerSettings with(
            ConsumerSettings as, KeyFormat format, FailurePolicy failures, TurnLimits turns) {
        return new ConsumerSettings(
                as.applicationId(),
                as.topics(),
                as.clientProperties(),
                format,
                as.keyScope(),
                as.nullKeys(),
                as.positions(),
                failures,
                turns,
                as.loop(),
                as.workers(),
                as.mostWorkers(),
                as.sizing(),
                as.threads(),
                as.shards(),
                Ordering.KEY,
                null,
                Division.NONE);
    }
}
