package dev.envelope.integration.soak;

import dev.envelope.core.Recurring;
import dev.envelope.idempotency.testkit.Findings;
import dev.envelope.integration.cluster.ConsumerGroup;
import dev.envelope.integration.oracle.CommitSampler;
import dev.envelope.integration.oracle.ReferenceReplay;
import dev.envelope.integration.oracle.Schema;
import dev.envelope.integration.oracle.StoredRows;
import dev.envelope.integration.stack.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks at both servers while the run goes on, and keeps what is found. A look at a server that is
 * down is none.
 *
 * <p>Threads: one of its own looks; guarded by this.
 */
final class Lookout implements AutoCloseable {

    private static final Duration PAUSE = Duration.ofMillis(1_500);

    private final Topics topics;
    private final String group;
    private final CommitSampler sampler;
    private final CheckpointWatch checkpoints;
    private final List<String> problems = new ArrayList<>();
    private final List<String> hampered = new ArrayList<>();
    private final Recurring looks;
    private int missed;

    private Lookout(
            Topics topics, String group, CommitSampler sampler, CheckpointWatch checkpoints) {
        this.topics = topics;
        this.group = group;
        this.sampler = sampler;
        this.checkpoints = checkpoints;
        this.looks = Recurring.start("lookout", PAUSE, this::tryToLook);
    }

    /** Begins to look; the replay is the lookout's until it is closed. */
    static Lookout start(
            Grounds grounds, ConsumerGroup group, ReferenceReplay truth, Findings findings) {
        List<Schema> slots = group.schemas().stream().map(grounds::direct).toList();
        StoredRows rows = new StoredRows(slots);
        return new Lookout(
                grounds.topics(),
                group.name(),
                new CommitSampler(grounds.topics(), group.name(), truth, rows, findings),
                new CheckpointWatch(slots, findings));
    }

    private synchronized boolean tryToLook() {
        try {
            look();
        } catch (RuntimeException serverIsDown) {
            missed++;
        }
        return false;
    }

    private void look() {
        checkpoints.look(topics.committed(group));
        sampler.sample();
    }

    /** Takes the database back while nobody looks, and excuses what Kafka has been told. */
    synchronized void whileNotLooking(Runnable action) {
        action.run();
        checkpoints.excuse(topics.committed(group));
        sampler.skipToPresentCommits();
    }

    /** Remembers what ought to be and is not. */
    synchronized void expect(boolean holds, String otherwise) {
        if (!holds) {
            problems.add(otherwise);
        }
    }

    /** Remembers that a server did not break, or come back, as it was meant to. */
    synchronized void hampered(String what) {
        hampered.add(what);
    }

    synchronized List<String> hampered() {
        return List.copyOf(hampered);
    }

    synchronized List<String> problems() {
        return List.copyOf(problems);
    }

    /** How often a commit that had moved on was looked at. */
    synchronized int samples() {
        return sampler.samples();
    }

    synchronized int missed() {
        return missed;
    }

    /** After a last look, at servers that are up. */
    @Override
    public void close() {
        looks.close();
    }

    /** The last look, when everything is done; the lookout is closed by then. */
    synchronized void lookOnceMore() {
        look();
    }
}
