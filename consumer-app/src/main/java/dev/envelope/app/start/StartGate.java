package dev.envelope.app.start;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Runs the checks of a start. It repeats all checks of a stage, in parallel, until all servers are
 * ready, one refuses, or time is up; then those of the next stage. It logs one line for each
 * change.
 *
 * <p>Threads: one thread, the one that starts the process; the checks have threads of their own.
 */
public final class StartGate {

    private static final Duration PAUSE = Duration.ofMillis(500);

    /** The first check may fail because no connection is open yet; that is not logged. */
    private static final Duration EARLY = Duration.ofMillis(500);

    private static final Executor THREADS =
            look -> {
                Thread thread = new Thread(look, "envelope-start");
                thread.setDaemon(true);
                thread.start();
            };

    private final Consumer<String> log;
    private final LongSupplier nanoTime;
    private final List<List<ServerCheck>> stages;
    private final long since;
    private final Map<String, String> lastSeen = new LinkedHashMap<>();
    private final Map<String, String> lastSaid = new LinkedHashMap<>();
    private List<CompletableFuture<Verdict>> begun = List.of();

    /**
     * @param log receives one line for each change
     * @param stages each begins when all servers of the one before are ready
     */
    public StartGate(Consumer<String> log, LongSupplier nanoTime, List<List<ServerCheck>> stages) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.stages = List.copyOf(stages);
        this.since = nanoTime.getAsLong();
    }

    /** Starts the first check, whose result {@link #await} waits for. */
    public StartGate begin() {
        begun = ask(stages.get(0));
        return this;
    }

    /**
     * Returns when all servers are ready, or the stop comes.
     *
     * @param timeout of each stage
     * @param stop counted down when the process is to stop
     * @return false if the stop came first
     * @throws RefusedStartException if something has to be changed
     * @throws UnreachableException if time is up
     */
    public boolean await(Duration timeout, CountDownLatch stop) throws InterruptedException {
        for (List<ServerCheck> stage : stages) {
            if (!await(stage, timeout, stop)) {
                return false;
            }
        }
        return true;
    }

    private boolean await(List<ServerCheck> stage, Duration timeout, CountDownLatch stop)
            throws InterruptedException {
        long deadline = nanoTime.getAsLong() + timeout.toNanos();
        List<ServerCheck> open = stage;
        while (stop.getCount() > 0) {
            open = look(open);
            if (open.isEmpty()) {
                return true;
            }
            if (nanoTime.getAsLong() - deadline >= 0) {
                throw new UnreachableException(failure(open, timeout));
            }
            if (stop.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return false;
    }

    /** Runs each of them; returns those whose server is not ready yet. */
    private List<ServerCheck> look(List<ServerCheck> open) {
        List<CompletableFuture<Verdict>> looks = begun.isEmpty() ? ask(open) : begun;
        begun = List.of();
        List<ServerCheck> still = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        for (int i = 0; i < open.size(); i++) {
            ServerCheck check = open.get(i);
            Verdict verdict = looks.get(i).join();
            if (verdict instanceof Verdict.Refused it) {
                refused.addAll(it.sentences());
            } else if (verdict instanceof Verdict.Waiting it) {
                still.add(check);
                waiting(check.name(), it.why());
            } else if (lastSaid.remove(check.name()) != null) {
                log.accept(check.name() + " is there");
            }
        }
        if (!refused.isEmpty()) {
            throw new RefusedStartException(refused);
        }
        return still;
    }

    private static List<CompletableFuture<Verdict>> ask(List<ServerCheck> open) {
        return open.stream()
                .map(check -> CompletableFuture.supplyAsync(check::look, THREADS))
                .toList();
    }

    private void waiting(String name, String why) {
        boolean isFirst = lastSeen.put(name, why) == null;
        boolean isTooEarly = isFirst && nanoTime.getAsLong() - since < EARLY.toNanos();
        if (!isTooEarly && !why.equals(lastSaid.put(name, why))) {
            log.accept("waiting for " + name + ": " + why);
        }
    }

    private String failure(List<ServerCheck> open, Duration timeout) {
        return open.stream()
                .map(check -> check.name() + " (" + lastSeen.get(check.name()) + ")")
                .collect(
                        Collectors.joining(
                                " and ",
                                "gave up after %d s (start.timeout) without "
                                        .formatted(timeout.toSeconds()),
                                ""));
    }
}
