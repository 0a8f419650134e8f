package dev.envelope.integration.microbench;

import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.turn.FoldGuard;
import dev.envelope.core.api.Message;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.Fold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.json.JsonStateCodec;
import dev.envelope.idempotency.json.JsonValueFormat;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** An envelope deduped, decoded, folded and encoded, from the bytes of its state on. */
@State(Scope.Thread)
public class FoldBenchmark {

    private static final byte[] STATE =
            "{\"balance\":-817263,\"count\":41}".getBytes(java.nio.charset.StandardCharsets.UTF_8);

    /** A handler class with records, one with trees, or the built-in one. */
    public enum Kind {
        RECORD,
        TREE,
        BUILT_IN
    }

    /** What comes in. */
    public record Booking(long sequence, long amount) {}

    /** What is kept. */
    public record Account(long balance, long count) {

        Account plus(long amount) {
            return new Account(balance + amount, count + 1);
        }
    }

    @Param public Kind kind;

    /** Messages of the envelope. */
    @Param({"1", "100"})
    public int size;

    private EnvelopeFold<?, ?> fold;
    private Envelope envelope;
    private Snapshot from;

    @Setup
    public void setUp() {
        fold = newFold();
        List<Message> messages = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            messages.add(Samples.message(i, "account-17"));
        }
        envelope = Envelope.of("account-17", messages);
        Snapshot absent = Snapshot.absent("account-17");
        from = new Snapshot(absent.key(), 41, STATE, absent.marks(), null, 0);
    }

    private EnvelopeFold<?, ?> newFold() {
        return switch (kind) {
            case RECORD ->
                    with(
                            (account, booking, message) ->
                                    (account == null ? new Account(0, 0) : account)
                                            .plus(Objects.requireNonNull(booking).amount()),
                            JsonValueFormat.of(Booking.class));
            case TREE ->
                    with(
                            (account, booking, message) ->
                                    (account == null ? new Account(0, 0) : account)
                                            .plus(
                                                    Objects.requireNonNull(booking)
                                                            .get("amount")
                                                            .asLong()),
                            JsonValueFormat.ofTrees());
            case BUILT_IN -> builtIn();
        };
    }

    private static <M> EnvelopeFold<?, ?> with(
            Fold<Account, M> handler, JsonValueFormat<M> format) {
        return new EnvelopeFold<>(
                handler,
                JsonStateCodec.of(Account.class),
                format,
                MessageIds.NONE,
                IdLimits.ofCount(1),
                1 << 20);
    }

    private static EnvelopeFold<?, ?> builtIn() {
        return of(
                Handlers.resolve(
                        new HandlerRequest(
                                "fold",
                                Map.of("balance", "sum(/amount)", "count", "count()"),
                                Map.of(),
                                List.of(),
                                "json",
                                Map.of(), new GivenUpFields())));
    }

    private static <S, M> EnvelopeFold<S, M> of(HandlerSpec<S, M> handler) {
        return new EnvelopeFold<>(
                handler.fold(),
                handler.stateCodec(),
                handler.valueFormat(),
                MessageIds.NONE,
                IdLimits.ofCount(1),
                1 << 20,
                PuttingOut.NOTHING);
    }

    @Benchmark
    public Change envelope() {
        return fold(fold);
    }

    private <S> Change fold(EnvelopeFold<S, ?> by) {
        Work<S> work = Work.of(0, envelope);
        work.startFromCached(from, null);
        by.fold(work, by.quota(() -> false), FoldGuard.NONE);
        return Objects.requireNonNull(work.change());
    }
}
