package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.idempotency.fold.EffectLimits;
import dev.envelope.idempotency.fold.PuttingOut;
import dev.envelope.idempotency.fold.UserFold;
import dev.envelope.idempotency.limit.SetAsideLimits;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The new states of keys, as a changelog gets them. */
final class ChangelogTest {

    private final HandlerBench bench = new HandlerBench();
    private final EffectBench saves = new EffectBench(bench);
    private final IdempotentHandler<StringBuilder> handler =
            saves.handler(
                    UserFold.of((state, value, message) -> apply(state, value)),
                    new PuttingOut(null, "log", EffectLimits.DEFAULT, false),
                    SetAsideLimits.none());

    private static @Nullable StringBuilder apply(
            @Nullable StringBuilder state, @Nullable String value) {
        return value == null ? null : (state == null ? new StringBuilder() : state).append(value);
    }

    private void handle(Envelope envelope) {
        handler.handle(new HandTurn(envelope));
    }

    @Test
    void theChangelogGetsEachNewStateOncePerSave() {
        handle(bench.envelope("a", 0, "x", "y"));
        handle(bench.envelope("a", 2, "z"));

        assertThat(saves.all()).containsExactly("log a \"xy\" 0", "log a \"xyz\" 0");
        assertThat(saves.outputs.get(0).origin().offset()).isEqualTo(1);
    }

    @Test
    void theChangelogGetsATombstoneForADeletionOnce() {
        handle(bench.envelope("a", 0, "x"));
        handle(bench.envelope("a", 1, (String) null));
        handle(bench.envelope("a", 2, (String) null));

        assertThat(saves.all()).containsExactly("log a \"x\" 0", "log a null 0");
    }

    @Test
    void theChangelogGetsNothingOfWhatChangesNoState() {
        handle(bench.envelope("a", 0, "x"));

        handle(bench.envelope("a", 0, "x"));
        handle(bench.envelope("a", 1, ""));

        assertThat(saves.all()).hasSize(1);
        assertThat(bench.row("a").version()).isEqualTo(2);
    }
}
