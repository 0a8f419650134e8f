package dev.envelope.integration.demo.group;

import dev.envelope.integration.stack.Server;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.PostgresWire;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What goes wrong, and when. What is broken is whole again when a strike returns, but for instances
 * that are dead, which come back by themselves.
 *
 * <p>Threads: the conductor's; what is told is guarded by this.
 */
public final class Trouble {

    private static final Duration OF_THE_DEMO = Duration.ofSeconds(15);
    private static final int SESSION_MILLIS = 6_000;
    private static final int LOST_REPLIES = 3;

    /**
     * Something that can go wrong, by its name.
     *
     * @param isTime whether it may; if not, it is passed over this time
     */
    public record Fault(String name, BooleanSupplier isTime, Strike strike) {

        public Fault(String name, Strike strike) {
            this(name, () -> true, strike);
        }
    }

    /** Breaks something; may return once it is whole again. */
    public interface Strike {

        void now() throws InterruptedException;
    }

    private final Random random = new Random(1);
    private final List<Fault> faults;
    private final boolean isShuffled;
    private final Duration least;
    private final Deque<Fault> next = new ArrayDeque<>();
    private final Map<String, Integer> struck = new TreeMap<>();

    private Trouble(List<Fault> faults, boolean isShuffled, Duration least) {
        this.faults = faults;
        this.isShuffled = isShuffled;
        this.least = least;
    }

    /** One of these every quarter of a minute. */
    public static Trouble inTurn(Fault... faults) {
        return new Trouble(List.of(faults), false, OF_THE_DEMO);
    }

    /** Of all that can be broken one after the other, with seconds in between. */
    public static Trouble ofEveryKind(ProxiedStack stack, InstanceGroup group, int instances) {
        List<Fault> faults = new ArrayList<>();
        Trouble trouble = new Trouble(faults, true, Duration.ofSeconds(1));
        for (int i = 1; i <= instances; i++) {
            int number = i;
            faults.add(new Fault("instance killed", () -> group.kill(number)));
            faults.add(new Fault("instance stopped", () -> group.terminate(number)));
            faults.add(
                    new Fault(
                            "instance frozen",
                            () -> {
                                group.freeze(number);
                                trouble.hold(
                                        SESSION_MILLIS,
                                        2 * SESSION_MILLIS,
                                        () -> group.thaw(number));
                            }));
        }
        faults.addAll(trouble.ofServer("broker", stack.broker()));
        faults.addAll(trouble.ofServer("Postgres", stack.postgres()));
        faults.addAll(
                trouble.ofNetwork(
                        "broker",
                        stack.toBroker(),
                        it -> it.contains("OffsetCommit") || it.equals("EndTxn")));
        faults.addAll(trouble.ofNetwork("Postgres", stack.toPostgres(), PostgresWire.commits("")));
        return trouble;
    }

    private List<Fault> ofServer(String name, Server server) {
        return List.of(
                new Fault(
                        name + " killed",
                        () -> {
                            server.kill();
                            hold(0, 2_500, server::start);
                        }),
                new Fault(
                        name + " restarted",
                        () -> {
                            server.stop();
                            hold(0, 1_500, server::start);
                        }),
                new Fault(
                        name + " frozen",
                        () -> {
                            server.pause();
                            hold(1_000, 7_000, server::resume);
                        }));
    }

    private List<Fault> ofNetwork(String name, FaultProxy proxy, Predicate<String> commits) {
        return List.of(
                during(
                        "slow network to " + name,
                        proxy,
                        new NetworkFault.Delay(Duration.ofMillis(50), Duration.ofMillis(100))),
                during("network to " + name + " stalled", proxy, new NetworkFault.Stall()),
                during("no answer from " + name, proxy, new NetworkFault.BlackHole()),
                during("connections to " + name + " reset", proxy, new NetworkFault.Reset()),
                new Fault(
                        "replies to commits lost by " + name,
                        () -> {
                            AtomicInteger left = new AtomicInteger(LOST_REPLIES);
                            proxy.inject(
                                    new NetworkFault.LoseReply(
                                            it -> commits.test(it) && left.getAndDecrement() > 0));
                            hold(2_000, 4_000, proxy::heal);
                        }));
    }

    private Fault during(String name, FaultProxy proxy, NetworkFault fault) {
        return new Fault(
                name,
                () -> {
                    proxy.inject(fault);
                    hold(1_000, 6_000, proxy::heal);
                });
    }

    /** Mends it whatever happens. */
    private void hold(int leastMillis, int mostMillis, Runnable mend) throws InterruptedException {
        try {
            Thread.sleep(leastMillis + random.nextInt(mostMillis - leastMillis)); // an outage lasts
        } finally {
            mend.run();
        }
    }

    /** How long all is well before the next strike. */
    Duration pause() {
        return isShuffled ? least.plusMillis(random.nextInt(4_000)) : least;
    }

    void strike() throws InterruptedException {
        if (next.isEmpty()) {
            List<Fault> all = new ArrayList<>(faults);
            if (isShuffled) {
                Collections.shuffle(all, random);
            }
            next.addAll(all);
        }
        Fault fault = next.remove();
        if (!fault.isTime().getAsBoolean()) {
            return;
        }
        synchronized (this) {
            struck.merge(fault.name(), 1, Integer::sum);
        }
        fault.strike().now();
    }

    /** How often each of them has struck. */
    synchronized String told() {
        if (struck.isEmpty()) {
            return "";
        }
        return struck.entrySet().stream()
                .map(it -> it.getValue() + " × " + it.getKey())
                .collect(Collectors.joining(", ", " Meanwhile: ", "."));
    }
}
