package dev.envelope.integration.cluster;

import dev.envelope.integration.cluster.Beat.Count;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Logging;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Waiting;
import dev.envelope.integration.stack.Workspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
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

    /** Its number in the operating system. */
    public long pid() {
        return process.pid();
    }

    /** The name that the database's sessions have of it. */
    public String sessionName() {
        return "envelope " + spec.application() + " " + spec.instance();
    }

    /** The file with everything that it has written. */
    public Path log() {
        return process.log();
    }

    /** Has it end when this aim has come up so many times from now. */
    public void arm(Aim aim, int occasions) {
        beat.set(Count.ARMED_OCCASIONS, occasions);
        beat.set(Count.ARMED_AIM, aim.number());
    }

    /** Whether it has ended at its aim within this time; if not, it has none any more. */
    public boolean endsAtItsAim(Duration patience) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (process.isAlive() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        beat.set(Count.ARMED_AIM, Aim.NONE.number());
        return process.exitCode().orElse(0) == Trigger.EXIT_CODE;
    }

    /** Lets its handler fail, or succeed again. */
    public void setFailing(boolean fails) {
        beat.set(Count.FAILING, fails ? 1 : 0);
    }

    /** What it holds now. */
    public Measures measure() {
        long asked = beat.get(Count.MEASURES_ASKED) + 1;
        beat.set(Count.MEASURES_ASKED, asked);
        await(() -> beat.get(Count.MEASURES_TAKEN) >= asked, "has not measured itself");
        return Measures.readFrom(beat);
    }

    /** Has it write down what its threads are doing. */
    public void dumpThreads() {
        process.signal(Signal.QUIT);
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

    /** Freezes it inside a turn. */
    public void pauseInTurn() {
        for (awaitTurn(), pause(); beat.get(Count.IN_TURN) == 0; awaitTurn(), pause()) {
            resume(); // the turn was over before it stood still
        }
    }

    /** Lets it go on. */
    public void resume() {
        process.resume();
    }

    /** Whether it has ended, and neither we nor its aim were the cause. */
    public boolean hasFailed() {
        return !ending && !process.isAlive() && process.exitCode().orElse(0) != Trigger.EXIT_CODE;
    }

    /** The end of its log below what went wrong. */
    public String failure(String what) {
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
