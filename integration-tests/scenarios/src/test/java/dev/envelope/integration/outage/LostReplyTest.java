package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.proxy.NetworkFault.LoseReply;
import dev.envelope.integration.stack.proxy.PostgresWire;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A save is carried out and nobody is told: neither success nor failure. */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class LostReplyTest {

    private static final int LOST = Integer.getInteger("outage.replies", 30);
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ProxiedStack stack;

    LostReplyTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void everySaveWhoseReplyIsLostIsResolvedAndNothingIsDoubled() {
        try (Run run = Run.start(stack, Run.Plan.of("lost-reply"))) {
            long before = stack.toPostgres().landed(LoseReply.class);
            Predicate<String> saves = PostgresWire.commits(".state");
            AtomicLong seen = new AtomicLong();
            stack.toPostgres()
                    .inject(
                            new LoseReply(
                                    request ->
                                            saves.test(request)
                                                    && seen.incrementAndGet() % 3 == 0));
            Run.await(
                    PATIENCE.plusSeconds(LOST),
                    () -> stack.toPostgres().landed(LoseReply.class) - before >= LOST);
            stack.heal();

            run.awaitHealed(Duration.ofSeconds(15));
            run.judge();
            assertThat(run.counts().duplicates()).as("found to be saved").isPositive();
            assertThat(run.counts().unavailable()).isGreaterThanOrEqualTo(LOST / 2);
        }
    }
}
