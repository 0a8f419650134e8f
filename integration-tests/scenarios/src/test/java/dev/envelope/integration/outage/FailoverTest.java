package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.LocalPostgres;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A replica that lacks what came last takes over under a running consumer: Kafka is ahead of it,
 * and no rebalance comes to say so.
 */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class FailoverTest {

    /** Longer by {@code -Doutage.lost.seconds=60}: a restore to a minute ago. */
    private static final Duration LOST =
            Duration.ofSeconds(Integer.getInteger("outage.lost.seconds", 2));

    private static final Duration NOTICED_WITHIN = Duration.ofSeconds(10);
    private static final Duration HEALED_WITHIN = Duration.ofSeconds(60);

    private final ProxiedStack stack;

    FailoverTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void whatAFailoverLosesIsReadAgainByItself() {
        failOver("cached", 16 << 20);
    }

    @Tag("long")
    @Test
    void whatAFailoverLosesIsReadAgainWithoutACache() {
        failOver("uncached", 1);
    }

    private void failOver(String kind, long cacheBytes) {
        Run.Plan plan = Run.Plan.of("failover-" + kind).withCache(cacheBytes);
        try (Run run = Run.start(stack, plan)) {
            LocalPostgres standby = stack.postgres().standby("standby-" + kind);
            long saved = run.counts().saved();
            run.elapse(LOST);
            run.awaitSaved(saved + 500);
            long rebalances = run.counts().rebalances();
            try {
                stack.postgres().kill();
                standby.start();
                stack.toPostgres().retarget(standby.port());
                stack.toPostgres().cut();
                // A standby that answers can't be written to; who waits for a connection sees it
                // late.
                Run.await(NOTICED_WITHIN, () -> !run.consumer().status().storeReachable());

                standby.promote();

                Duration healed = run.awaitHealed(HEALED_WITHIN);
                System.out.println(kind + ": healed after " + healed.toMillis() + " ms");
                run.awaitSaved(run.counts().saved() + 500);
                run.judge(run.database().at(standby.port()));
                assertThat(run.log().lines())
                        .anyMatch(it -> it.contains("went back"))
                        .anyMatch(it -> it.contains("reading positions anew"));
                assertThat(run.counts().rebalances()).isEqualTo(rebalances);
            } finally {
                stack.postgres().start();
                stack.toPostgres().retarget(stack.postgres().port());
                stack.toPostgres().cut();
                standby.kill();
            }
        }
    }
}
