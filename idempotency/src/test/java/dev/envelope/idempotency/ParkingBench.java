package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.Effects;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.MalformedException;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import dev.envelope.idempotency.outbox.OutboxRoom;
import dev.envelope.idempotency.redrive.RequestDesk;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryParkedStore;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.cache.SnapshotCache;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import dev.envelope.idempotency.store.parked.RequestStore.Request;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.timer.SavedEffects;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A key whose messages fail for the last time. The state is the text of all values that were
 * applied; values in {@code bad} throw, {@code ?} can't be decoded.
 */
final class ParkingBench {

    long clock;
    final InMemoryDatabase database = new InMemoryDatabase();
    final ScriptedStore store = new ScriptedStore(database);
    final InMemoryParkedStore parked = new InMemoryParkedStore(database, "one", () -> clock);
    final Incarnation life = database.incarnation();
    final PartitionEpoch epoch = Records.epoch(1, 1, life);
    final Set<String> bad = new HashSet<>(Set.of("bad"));
    private Consumer<Message> inFold = message -> {};
    boolean isRegistryAway = true;
    final EnvelopeFold<String, String> fold =
            new EnvelopeFold<>(
                    UserFold.emitting(this::apply),
                    new TextCodec(),
                    (value, message) -> decodeHere(value),
                    MessageIds.NONE,
                    IdLimits.ofCount(1),
                    1_000,
                    PuttingOut.NOTHING);
    final IdempotentHandler<String> handler = handler();
    final RequestDesk<String> desk = desk(parked);

    private String apply(@Nullable String state, @Nullable String value, Effects effects) {
        inFold.accept(effects.message());
        effects.emit("out", effects.message().key(), value);
        if (value != null && bad.contains(value)) {
            throw new IllegalStateException("it is " + value);
        }
        return (state == null ? "" : state) + value;
    }

    /** What was emitted and saved: the values, in order. */
    List<@Nullable String> emitted() {
        List<@Nullable String> values = new ArrayList<>();
        for (SavedOutput saved : database.outputs()) {
            byte[] value = saved.output().value();
            values.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
        }
        return values;
    }

    static final class TextCodec implements StateCodec<String> {

        @Override
        public byte[] encode(String state) {
            return ('"' + state + '"').getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String decode(byte[] json) {
            String text = new String(json, StandardCharsets.UTF_8);
            return text.substring(1, text.length() - 1);
        }
    }

    static String decode(byte[] value) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (text.equals("?")) {
            throw new MalformedException("no value");
        }
        return text;
    }

    private String decodeHere(byte[] value) {
        String text = decode(value);
        if (text.equals("#") && isRegistryAway) {
            throw new UnavailableException("the registry is away");
        }
        return text;
    }

    /** Somebody is faster: happens once, while a message is folded. */
    void beforeNextFold(Runnable happens) {
        inFold(
                message -> {
                    inFold = then -> {};
                    happens.run();
                });
    }

    /** Happens while a message is folded. */
    void inFold(Consumer<Message> happens) {
        inFold = happens;
    }

    /**
     * One that carries out what was asked for, with a handler that may take a minute and a half.
     */
    <P extends ParkedStore & RequestStore> RequestDesk<String> desk(P both) {
        return new RequestDesk<>(
                fold, store, both, both, SavedEffects.NONE, Duration.ofSeconds(90), () -> clock);
    }

    /**
     * The same requests; before each call of the store somebody is told of method and arguments.
     */
    RequestDesk<String> deskWhere(BiConsumer<String, List<Object>> before) {
        var store =
                (ParkedStore & RequestStore)
                        Proxy.newProxyInstance(
                                ParkedStore.class.getClassLoader(),
                                new Class<?>[] {ParkedStore.class, RequestStore.class},
                                (proxy, called, arguments) -> {
                                    before.accept(
                                            called.getName(),
                                            arguments == null ? List.of() : List.of(arguments));
                                    try {
                                        return called.invoke(parked, arguments);
                                    } catch (InvocationTargetException e) {
                                        throw e.getCause();
                                    }
                                });
        return desk(store);
    }

    IdempotentHandler<String> handler() {
        return new IdempotentHandler<>(
                fold,
                store,
                new SnapshotCache<>(1 << 20),
                Telemetry.NONE,
                new IdempotentHandler.Bounds(
                        OutboxRoom.endless(),
                        CrashStore.NONE,
                        SetAsideLimits.none(),
                        SavedEffects.NONE,
                        parked::replacements,
                        envelope -> null),
                null);
    }

    Envelope envelope(@Nullable GivenUp givenUp, long offset, String... values) {
        return envelope("a", givenUp, offset, values);
    }

    /** One in which the log is read again. */
    PartitionEpoch laterEpoch() {
        return Records.epoch(2, 1, life);
    }

    Envelope readAgain(PartitionEpoch of, long offset, String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            messages.add(Records.message(of, offset + i, "a", values[i]));
        }
        return new Envelope("a", messages, null, null, null);
    }

    private Envelope envelope(
            String key, @Nullable GivenUp givenUp, long offset, String... values) {
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            messages.add(Records.message(epoch, offset + i, key, values[i]));
        }
        return new Envelope(key, messages, null, null, givenUp);
    }

    @Nullable Outcome handle(Envelope envelope) {
        HandTurn turn = new HandTurn(envelope);
        handler.handle(turn);
        return turn.outcome(0);
    }

    /** The first of them has failed for the last time. */
    void giveUp(long offset, String... values) {
        giveUp("a", offset, values);
    }

    void giveUp(String key, long offset, String... values) {
        GivenUp last = new GivenUp(3, new IllegalStateException("it is bad"));
        assertThat(handle(envelope(key, last, offset, values))).isInstanceOf(Outcome.Saved.class);
    }

    String state() {
        byte[] state = row().state();
        return state == null ? "" : new TextCodec().decode(state);
    }

    Snapshot row() {
        return database.rows().getOrDefault("a", Snapshot.absent("a"));
    }

    List<Long> parkedOffsets() {
        return database.parked().stream().map(it -> it.message().offset()).toList();
    }

    String asked(Action action, @Nullable Long position) {
        Request request = parked.ask("a", action, position);
        assertThat(desk.turn(FoldGuard.NONE)).isTrue();
        return parked.answerTo(request).orElse("no answer");
    }

    long firstPosition() {
        return parked.first("a", 1).get(0).position();
    }
}
