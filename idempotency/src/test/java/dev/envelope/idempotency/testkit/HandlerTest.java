package dev.envelope.idempotency.testkit;

import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Tries a fold of yours as production will, and worse. The messages that you send to it are folded
 * once by the book, each alone and from the saved state; and then some hundred times in other
 * pieces, with keys in other orders, with messages that come again, replies that get lost, other
 * instances that were faster, and a process that dies at a save. Every run has to end with the same
 * rows and the same timers, and to have emitted the same records, each once and those of a key in
 * order.
 *
 * <p>It is the real handler with a store in memory. What it finds is what depends on anything but
 * the fold's arguments: a clock, chance, a field of the handler, another key, or a part of the
 * state that its JSON does not bring back.
 *
 * <pre>{@code
 * HandlerTest.Result rows =
 *         HandlerTest.ofJson(new Balances(), Balance.class, Payment.class)
 *                 .send("account-1", "{\"cents\": 5}")
 *                 .delete("account-1")
 *                 .run();
 * }</pre>
 *
 * <p>It needs no test framework; what it finds is an {@link AssertionError}.
 *
 * <p>Threads: one thread.
 *
 * @param <S> the state of a key
 */
public final class HandlerTest<S> {

    private static final int RUNS = 200;
    private static final int MAX_STATE_BYTES = 1 << 20;
    private static final int WINDOW = 128;

    private final EnvelopeFold<S, ?> fold;
    private final List<HandlerRun.Sent> log = new ArrayList<>();
    private long firstSeed = 1;
    private int runs = RUNS;

    private HandlerTest(EnvelopeFold<S, ?> fold) {
        this.fold = fold;
    }

    /** With everything that a fold is configured with: codec, format, event ids, limits. */
    public static <S> HandlerTest<S> of(EnvelopeFold<S, ?> fold) {
        return new HandlerTest<>(fold);
    }

    /** With states and messages that are bound to JSON, as a handler class is by default. */
    public static <S, M> HandlerTest<S> ofJson(Fold<S, M> fold, Class<S> state, Class<M> message) {
        return of(
                new EnvelopeFold<>(
                        fold,
                        JsonStateCodec.of(state),
                        JsonValueFormat.of(message),
                        MessageIds.NONE,
                        IdLimits.ofCount(WINDOW),
                        MAX_STATE_BYTES));
    }

    /** The same for a handler that emits and sets timers, with the default limits. */
    public static <S, M> HandlerTest<S> ofJsonWithEffects(
            EffectFold<S, M> fold, Class<S> state, Class<M> message) {
        return of(
                new EnvelopeFold<>(
                        UserFold.emitting(fold),
                        JsonStateCodec.of(state),
                        JsonValueFormat.of(message),
                        MessageIds.NONE,
                        IdLimits.ofCount(WINDOW),
                        MAX_STATE_BYTES,
                        new PuttingOut(null, null, EffectLimits.DEFAULT, true)));
    }

    /** One more message at the end of the log; its offset is how many were sent before. */
    public HandlerTest<S> send(String key, String value) {
        return send(key, value, Map.of());
    }

    /** The same with headers. */
    public HandlerTest<S> send(String key, String value, Map<String, String> headers) {
        return add(key, value.getBytes(StandardCharsets.UTF_8), headers);
    }

    /** A tombstone. */
    public HandlerTest<S> delete(String key) {
        return add(key, null, Map.of());
    }

    /**
     * The firing of a timer that the key has set by then. It is sent when all messages before it
     * are saved, as in production, and whatever the time is.
     */
    public HandlerTest<S> fire(String key, String timer) {
        log.add(new HandlerRun.Sent(key, null, Map.of(), timer));
        return this;
    }

    private HandlerTest<S> add(String key, byte @Nullable [] value, Map<String, String> headers) {
        log.add(new HandlerRun.Sent(key, value, Map.copyOf(headers), null));
        return this;
    }

    /** How often the log is run (200). */
    public HandlerTest<S> runs(int times) {
        runs = times;
        return this;
    }

    /** Runs the log once, as that seed has it: for a fault that was found with it. */
    public HandlerTest<S> onlySeed(long seed) {
        firstSeed = seed;
        runs = 1;
        return this;
    }

    /**
     * Runs the log.
     *
     * @return what every run ended with
     * @throws AssertionError if one ends with something else; it names the key and the seed
     */
    public Result run() {
        Result byTheBook = HandlerRun.byTheBook(fold, log).result();
        for (long seed = firstSeed; seed < firstSeed + runs; seed++) {
            Result disturbed = HandlerRun.disturbed(fold, log, new SplittableRandom(seed)).result();
            String difference = byTheBook.differenceTo(disturbed);
            if (difference != null) {
                throw new AssertionError(
                        "with seed "
                                + seed
                                + ", "
                                + difference
                                + " Nothing but its arguments may decide what a fold returns: no"
                                + " clock, no chance, no field of the handler, no other key; and"
                                + " the state's JSON has to bring back all that it goes by.");
            }
        }
        return byTheBook;
    }

    /**
     * What is in the database after a run.
     *
     * @param states the state's JSON of each key that has one
     * @param parked what a person would have to decide about, by offset: why it was set aside; the
     *     first that failed, and all that came after it of its key
     * @param emitted what each key has emitted, in order
     * @param timers the timers of each key that are set, by name
     */
    public record Result(
            Map<String, String> states,
            Map<Long, String> parked,
            Map<String, List<Emitted>> emitted,
            Map<String, Map<String, SetTimer>> timers) {

        public Result {
            states = Map.copyOf(states);
            parked = Map.copyOf(parked);
            emitted = Map.copyOf(emitted);
            timers = Map.copyOf(timers);
        }

        /** Of a handler that emits nothing. */
        public Result(Map<String, String> states, Map<Long, String> parked) {
            this(states, parked, Map.of(), Map.of());
        }

        /** What a key has emitted, in order. */
        public List<Emitted> emittedBy(String key) {
            return emitted.getOrDefault(key, List.of());
        }

        /** The timers of a key that are set, by name. */
        public Map<String, SetTimer> timersOf(String key) {
            return timers.getOrDefault(key, Map.of());
        }

        /** Null if there is none. */
        @Nullable String differenceTo(Result other) {
            return Difference.between(this, other);
        }
    }

    /** A timer that the handler has set, with its payload as UTF-8 text. */
    public record SetTimer(Instant dueAt, String payload) {}

    /**
     * A record that the handler has emitted, with its bytes as UTF-8 text.
     *
     * @param offset of the message that it was emitted for
     * @param headers their last values by name
     */
    public record Emitted(
            long offset,
            String topic,
            @Nullable String key,
            @Nullable String value,
            Map<String, String> headers) {

        @Override
        public String toString() {
            return topic + " " + key + " " + value + (headers.isEmpty() ? "" : " " + headers);
        }
    }
}
