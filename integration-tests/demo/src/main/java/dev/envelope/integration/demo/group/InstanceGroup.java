package dev.envelope.integration.demo.group;

import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The instances that share the work. One that is dead comes back after a while.
 *
 * <p>Threads: guarded by this.
 */
public final class InstanceGroup {

    public static final Duration DEAD_FOR = Duration.ofSeconds(15);

    private static final Duration DRAINED_WITHIN = Duration.ofSeconds(25);

    private final List<Place> places = new ArrayList<>();
    private final List<String> ended = new ArrayList<>();
    private boolean stopped;

    /** An instance with its process, and since when that is known to be dead. */
    private static final class Place {

        final Instance instance;
        final StatusPage page;
        ChildProcess process;
        Optional<Long> deadSince = Optional.empty();
        boolean ends; // as it was told to
        Figures figures = Figures.NONE;

        Place(Instance instance, ChildProcess process) {
            this.instance = instance;
            this.page = new StatusPage(instance.url());
            this.process = process;
        }
    }

    /** Starts one more. */
    public synchronized void add(Instance instance) {
        if (!stopped) {
            places.add(new Place(instance, instance.start()));
        }
    }

    /** Fails, with its last words, if one has ended. */
    public synchronized void requireAlive() {
        for (Place place : places) {
            if (!stopped && !place.process.isAlive()) {
                throw new IllegalStateException(
                        "envelope has ended:\n" + place.process.logTail(30));
            }
        }
    }

    /**
     * Kill -9 as a fault that strikes only while another one works: on a slow machine none would
     * ever come to its work.
     */
    public Trouble.Fault killed(int number, int other) {
        return new Trouble.Fault("instance killed", () -> works(other), () -> kill(number));
    }

    /** Whether it had partitions when it was looked at last. */
    private synchronized boolean works(int number) {
        Place place = places.get(number - 1);
        return place.process.isAlive() && place.figures.partitions() > 0;
    }

    /** Kill -9. */
    public synchronized void kill(int number) {
        if (!stopped) {
            Place place = places.get(number - 1);
            place.ends = true;
            place.process.kill();
        }
    }

    /** Asks one to end. */
    public synchronized void terminate(int number) {
        if (!stopped) {
            Place place = places.get(number - 1);
            place.ends = true;
            place.process.signal(Signal.TERM);
        }
    }

    /** Neither answers nor notices anything until {@link #thaw}. */
    public synchronized void freeze(int number) {
        if (!stopped) {
            places.get(number - 1).process.pause();
        }
    }

    /** Ends {@link #freeze}. */
    public synchronized void thaw(int number) {
        places.get(number - 1).process.resume();
    }

    /** What is known of those that have ended by themselves. */
    public synchronized List<String> ended() {
        return List.copyOf(ended);
    }

    /** Starts those again that have been dead for long enough, and looks at all. */
    public synchronized List<Member> look() {
        return places.stream().map(this::look).toList();
    }

    private Member look(Place place) {
        long now = System.nanoTime();
        if (place.process.isAlive()) {
            Figures before = place.figures;
            Figures after = place.page.read().orElse(before);
            place.figures = after;
            return new Member(
                    place.instance.number(),
                    place.instance.url(),
                    after.partitions() > 0 ? Member.State.WORKS : Member.State.STARTS,
                    after.partitions(),
                    after.lag(),
                    after.oldestUnackedMillis(),
                    after.records() - before.records(),
                    after.rows() - before.rows());
        }
        place.figures = Figures.NONE; // a new process counts from zero
        if (!stopped && !place.ends && place.deadSince.isEmpty()) {
            ended.add(
                    "%s has ended:\n%s".formatted(place.process.name(), place.process.logTail(30)));
        }
        long since = place.deadSince.orElse(now);
        place.deadSince = Optional.of(since);
        if (!stopped && now - since > DEAD_FOR.toNanos()) {
            place.process = place.instance.start();
            place.deadSince = Optional.empty();
            place.ends = false;
        }
        return Member.dead(place.instance.number(), place.instance.url());
    }

    /** Has a key's first parked message deleted, by whoever answers. */
    public void skip(String key) {
        List<Place> asked;
        synchronized (this) {
            asked = List.copyOf(places);
        }
        for (Place place : asked) {
            Optional<Integer> code = place.page.skip(key, place.instance.token());
            if (code.isPresent()) {
                if (code.get() != 202) {
                    throw new IllegalStateException("nothing of " + key + " is parked yet");
                }
                return;
            }
        }
        throw new IllegalStateException("no instance answers");
    }

    /**
     * Asks all to end, which they do when everything that they have fetched is saved, and starts
     * none any more; returns their exit codes.
     */
    public List<Integer> stop() {
        List<ChildProcess> running;
        synchronized (this) {
            stopped = true;
            running = places.stream().map(it -> it.process).toList();
        }
        return running.stream()
                .map(
                        it ->
                                CompletableFuture.supplyAsync(
                                        () -> it.stop(Signal.TERM, DRAINED_WITHIN)))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .toList();
    }
}
