package dev.envelope.integration.outage;

import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The broker is away, and comes back. */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class BrokerOutageTest {

    private static final Duration DOWN =
            Duration.ofSeconds(Integer.getInteger("outage.seconds", 3));
    private static final Duration HEALED_WITHIN = Duration.ofSeconds(80);

    private final ProxiedStack stack;

    BrokerOutageTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void aRestartAKillAndAnAbsencePass() {
        try (Run run = Run.start(stack, Run.Plan.of("broker-down"))) {
            stack.broker().stop();
            stack.broker().start();
            say("restart", run.awaitHealed(HEALED_WITHIN));

            stack.broker().kill();
            stack.broker().start();
            say("kill -9", run.awaitHealed(HEALED_WITHIN));

            stack.broker().kill();
            run.elapse(DOWN);
            stack.broker().start();
            say("down for " + DOWN, run.awaitHealed(HEALED_WITHIN));

            run.judge();
        }
    }

    private static void say(String what, Duration healed) {
        System.out.println("broker, " + what + ": healed after " + healed.toMillis() + " ms");
    }
}
