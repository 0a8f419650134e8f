package dev.envelope.integration.cluster;

import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Waiting;
import dev.envelope.integration.stack.Workspace;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A started {@link ConsumerMain}.
 *
 * <p>Threads: thread-safe (a volatile flag; what else changes is the process').
 */
public final class ConsumerProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(2);

    private final ChildProcess process;
    private final Beat beat;
    private final ConsumerSpec spec;
    private volatile boolean ending;

    private ConsumerProcess(ChildProcess process, Beat beat, ConsumerSpec spec) {
        this.process = process;
        this.beat = beat;
        this.spec = spec;
    }

    static ConsumerProcess start(Workspace workspace, ConsumerSpec spec) {
        JavaCommand command =
                JavaCommand.of(ConsumerMain.class)
                        .heap("256m")
                        .option("-XX:+ExitOnOutOfMemoryError")
                        .option("-XX:TieredStopAtLevel=1") // it lives for seconds
                        .with("logback.configurationFile", Logging.FILE)
                        .arguments(spec.toArguments());
        Beat beat = Beat.open(spec.beat());
        return new ConsumerProcess(workspace.start(spec.instance(), command), beat, spec);
    }

    /** What it counts. */
    public Beat beat() {
        return beat;
    }

    public String instance() {
        return spec.instance();
    }

    Aim aim() {
        return spec.aim();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until it has saved so many rows since it was started. */
    public void awaitSaved(long rows) {
        await(() -> beat.get(Count.SAVED_ROWS) >= rows, "has not saved " + rows + " rows");
    }

    /** Waits until the group has given it so many partitions. */
    public void awaitPartitions(int partitions) {
        await(
                () -> beat.get(Count.PARTITIONS) == partitions,
                "has not been given " + partitions + " partitions");
    }

    /** Waits for a moment in which it has work in flight. */
    public void awaitWork() {
        await(beat::hasWorkInFlight, "has no work in flight");
    }

    /** Waits for a moment in which it is inside a turn. */
    public void awaitTurn() {
        await(() -> beat.get(Count.IN_TURN) > 0, "has no turn under way");
    }

    /** Waits until it has ended itself, at its aim. */
    void awaitAim() {
        int code = process.awaitExit(PATIENCE);
        if (code != Trigger.EXIT_CODE) {
            throw new IllegalStateException(failure("has ended with " + code));
        }
    }

    /** Kills it with -9. */
    public void kill() {
        ending = true;
        process.kill();
    }

    /**
     * Asks it to end (TERM), and waits until it has.
     *
     * @return whether everything that it had fetched was saved: what waits for another attempt is
     *     not waited for
     */
    public boolean stop() {
        ending = true;
        process.signal(Signal.TERM);
        process.awaitExit(PATIENCE);
        return beat.get(Count.CLOSED_COMPLETE) == 1;
    }

    /** Freezes it. */
    public void pause() {
        process.pause();
    }

    /** Lets it go on. */
    public void resume() {
        process.resume();
    }

    /** Whether it has ended, and neither we nor its aim were the cause. */
    boolean hasFailed() {
        return !ending && !process.isAlive() && process.exitCode().orElse(0) != Trigger.EXIT_CODE;
    }

    /** The end of its log below what went wrong. */
    String failure(String what) {
        return spec.instance() + " " + what + "; the end of its log:\n" + process.logTail(40);
    }

    private void await(BooleanSupplier condition, String failure) {
        Waiting.until(
                PATIENCE,
                PAUSE,
                () -> {
                    if (!process.isAlive()) {
                        throw new IllegalStateException(failure("has ended"));
                    }
                    return condition.getAsBoolean();
                },
                () -> failure(failure));
    }
}
