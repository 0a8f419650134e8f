package dev.envelope.idempotency.testkit;

import java.util.List;

/**
 * All promises over one run.
 *
 * <p>Threads: one at a time.
 */
public final class Guarantees {

    private final List<Guarantee> all =
            List.of(
                    new NothingLost(),
                    new EffectOnce(),
                    new KeyOrder(),
                    new OneAtATime(),
                    new CommitNotAheadOfAck());

    private final Log log;
    private final Findings findings;

    public Guarantees(Log log, Findings findings) {
        this.log = log;
        this.findings = findings;
    }

    public void see(Evidence evidence) {
        all.forEach(guarantee -> guarantee.see(evidence, log, findings));
    }

    public void conclude() {
        all.forEach(guarantee -> guarantee.conclude(log, findings));
    }

    public Findings findings() {
        return findings;
    }
}
