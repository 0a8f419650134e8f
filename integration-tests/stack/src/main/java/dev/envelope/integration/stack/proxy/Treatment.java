package dev.envelope.integration.stack.proxy;

import java.time.Duration;

/** What becomes of some bytes on their way through. */
sealed interface Treatment {

    Treatment FORWARD = new Forward(Duration.ZERO);
    Treatment HOLD = new Hold();
    Treatment SWALLOW = new Swallow();
    Treatment LOSE_REPLY = new LoseReply();

    /** They go on, after a while. */
    record Forward(Duration after) implements Treatment {}

    /** They wait, and nothing is read behind them, until the fault is another. */
    record Hold() implements Treatment {}

    /** They are gone. */
    record Swallow() implements Treatment {}

    /** The first of them go on, then both sides are reset. */
    record CutAfter(int bytes) implements Treatment {}

    /** They go on; what is answered is swallowed, and then both sides are reset. */
    record LoseReply() implements Treatment {}
}
