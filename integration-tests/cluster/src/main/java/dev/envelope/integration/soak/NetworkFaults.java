package dev.envelope.integration.soak;

import dev.envelope.integration.stack.proxy.Direction;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.PostgresWire;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What befalls the network between the processes and a server. Whether it met anything, the proxy
 * says.
 *
 * <p>Threads: the conductor's only.
 */
final class NetworkFaults {

    private static final int LOST_REPLIES = 3;
    private static final int MOST_BYTES = 20_000;
    private static final Duration LOST_WITHIN = Duration.ofSeconds(4);

    private NetworkFaults() {}

    static Map<FaultKind, Breakage> all() {
        Map<FaultKind, Breakage> faults = new EnumMap<>(FaultKind.class);
        Function<Grounds, FaultProxy> broker = Grounds::toBroker;
        Function<Grounds, FaultProxy> postgres = Grounds::toPostgres;
        faults.put(FaultKind.BROKER_SLOW, during(broker, NetworkFaults::delay));
        faults.put(FaultKind.POSTGRES_SLOW, during(postgres, NetworkFaults::delay));
        faults.put(FaultKind.BROKER_STALL, during(broker, random -> new NetworkFault.Stall()));
        faults.put(FaultKind.POSTGRES_STALL, during(postgres, random -> new NetworkFault.Stall()));
        faults.put(FaultKind.BROKER_HOLE, during(broker, random -> new NetworkFault.BlackHole()));
        faults.put(
                FaultKind.POSTGRES_HOLE, during(postgres, random -> new NetworkFault.BlackHole()));
        faults.put(FaultKind.BROKER_RESET, during(broker, random -> new NetworkFault.Reset()));
        faults.put(FaultKind.POSTGRES_RESET, during(postgres, random -> new NetworkFault.Reset()));
        faults.put(FaultKind.BROKER_CUT, during(broker, NetworkFaults::cut));
        faults.put(FaultKind.POSTGRES_CUT, during(postgres, NetworkFaults::cut));
        faults.put(
                FaultKind.BROKER_LOST_REPLY,
                loseReplies(broker, request -> request.contains("OffsetCommit")));
        faults.put(FaultKind.POSTGRES_LOST_REPLY, loseReplies(postgres, PostgresWire.commits("")));
        return faults;
    }

    private static NetworkFault delay(Random random) {
        return new NetworkFault.Delay(
                Duration.ofMillis(20 + random.nextInt(180)), Duration.ofMillis(50));
    }

    private static NetworkFault cut(Random random) {
        Direction direction = random.nextBoolean() ? Direction.TO_SERVER : Direction.TO_CLIENT;
        return new NetworkFault.CutAfter(direction, 1 + random.nextInt(MOST_BYTES));
    }

    private static Breakage during(
            Function<Grounds, FaultProxy> where, Function<Random, NetworkFault> what) {
        return scene -> {
            FaultProxy proxy = where.apply(scene.grounds());
            NetworkFault fault = what.apply(scene.random());
            boolean busy = Scene.awaits(scene.fleet()::isAtWork);
            long before = proxy.landed(fault.getClass());
            proxy.inject(fault);
            try {
                scene.hold(1_000, 6_000);
            } finally {
                proxy.heal();
            }
            return busy && proxy.landed(fault.getClass()) > before;
        };
    }

    /** A few requests are carried out, and nobody hears of it. */
    private static Breakage loseReplies(
            Function<Grounds, FaultProxy> where, Predicate<String> wanted) {
        return scene -> {
            FaultProxy proxy = where.apply(scene.grounds());
            AtomicInteger left = new AtomicInteger(LOST_REPLIES);
            NetworkFault fault =
                    new NetworkFault.LoseReply(
                            request -> wanted.test(request) && left.getAndDecrement() > 0);
            long before = proxy.landed(fault.getClass());
            proxy.inject(fault);
            try {
                return Scene.awaits(
                        LOST_WITHIN, () -> proxy.landed(fault.getClass()) >= before + LOST_REPLIES);
            } finally {
                proxy.heal();
            }
        };
    }
}
