package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.dedupe.IdLimits;
import dev.envelope.idempotency.dedupe.MessageIds;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two processes of one group, of which one knows an expression more: while they are replaced. */
class RollingExpressionsTest {

    private static final Map<String, String> OLD = Map.of("n", "count()");
    private static final Map<String, String> NEW =
            new TreeMap<>(Map.of("n", "count()", "sum", "sum(/amount)"));

    private final InMemoryDatabase database = new InMemoryDatabase();
    private final PartitionEpoch epoch = Records.epoch(1, 1, database.incarnation());
    private final IdempotentHandler<?> before = handler(OLD);
    private final IdempotentHandler<?> after = handler(NEW);
    private long offset;

    private IdempotentHandler<?> handler(Map<String, String> expressions) {
        return handler(
                Handlers.resolve(
                        new HandlerRequest(
                                "fold",
                                expressions,
                                Map.of(),
                                List.of(),
                                "json",
                                Map.of(),
                                new GivenUpFields())));
    }

    private <S, M> IdempotentHandler<S> handler(HandlerSpec<S, M> spec) {
        return new IdempotentHandler<>(
                new EnvelopeFold<>(
                        spec.fold(),
                        spec.stateCodec(),
                        spec.valueFormat(),
                        MessageIds.NONE,
                        IdLimits.ofCount(1),
                        1 << 20,
                        PuttingOut.NOTHING),
                new InMemoryStateStore(database),
                1 << 20,
                Telemetry.NONE);
    }

    private Message next(int amount) {
        return Records.message(epoch, offset++, "k", "{\"amount\":" + amount + "}");
    }

    private static @Nullable Outcome give(IdempotentHandler<?> to, Message... messages) {
        HandTurn turn = new HandTurn(Envelope.of("k", List.of(messages)));
        to.handle(turn);
        return turn.outcome(0);
    }

    private String row() {
        byte[] state = Objects.requireNonNull(database.rows().get("k")).state();
        return new String(Objects.requireNonNull(state), StandardCharsets.UTF_8);
    }

    @Test
    void whatTheNewOneHasSavedIsNotDroppedByTheOldOneThatGetsTheKeyBack() {
        assertThat(give(before, next(1), next(1))).isInstanceOf(Outcome.Saved.class);
        assertThat(give(after, next(5), next(7))).isInstanceOf(Outcome.Saved.class);
        assertThat(row()).isEqualTo("{\"n\":4,\"sum\":12}");

        Message waits = next(1); // the key goes back to a process that is still to be replaced
        assertThat(give(before, waits))
                .isInstanceOfSatisfying(
                        Outcome.Waiting.class,
                        it -> {
                            assertThat(it.why()).isEqualTo(Doing.OTHER_VERSION);
                            assertThat(it.cause()).hasMessageContaining("\"sum\"");
                        });
        assertThat(row()).isEqualTo("{\"n\":4,\"sum\":12}");
        assertThat(database.parked()).isEmpty();

        assertThat(give(after, waits, next(3))).isInstanceOf(Outcome.Saved.class);
        assertThat(row()).as("as if there had been no other").isEqualTo("{\"n\":6,\"sum\":16}");
    }

    @Test
    void aKeyThatTheNewOneHasNotTouchedFlowsAtTheOldOne() {
        assertThat(give(before, next(1))).isInstanceOf(Outcome.Saved.class);
        assertThat(give(before, next(1))).isInstanceOf(Outcome.Saved.class);
        assertThat(row()).isEqualTo("{\"n\":2}");
    }
}
