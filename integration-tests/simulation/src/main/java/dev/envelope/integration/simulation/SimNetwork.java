package dev.envelope.integration.simulation;

import dev.envelope.core.api.UnavailableException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The way from a process to its database: slow at times, a request or a reply is lost, and the
 * process may die or stand still with a request on its way.
 *
 * <p>Threads: one thread.
 */
final class SimNetwork {

    private final SimProcess owner;
    private final Scene scene;
    private final BooleanSupplier isDown;

    /**
     * @param isDown whether the database does not answer now
     */
    SimNetwork(SimProcess owner, Scene scene, BooleanSupplier isDown) {
        this.owner = owner;
        this.scene = scene;
        this.isDown = isDown;
    }

    /** One round trip. */
    <T> T call(Supplier<T> work) {
        owner.gate();
        if (owner.isOnPollThread()) {
            owner.failed("poll-blocked", owner.name() + " asks the database while it polls");
        }
        long latency = 100_000L + scene.random().nextInt(3_000_000);
        if (scene.faults().happens(Fault.STORE_SLOW)) {
            latency *= 20 + scene.random().nextInt(3_000); // up to some seconds
        }
        scene.scheduler().block(latency / 2);
        if (scene.faults().happens(Fault.FREEZE)) {
            // With the request on its way: what it carries may be old by the time it arrives.
            owner.freeze((1_000 + scene.random().nextInt(7_000)) * 1_000_000L);
            owner.standStill();
        }
        if (owner.isDead() && scene.random().nextBoolean()) {
            throw new ProcessKilled(); // the request was never sent
        }
        if (isDown.getAsBoolean() || scene.faults().happens(Fault.STORE_DOWN)) {
            owner.gate();
            throw new UnavailableException("connection refused");
        }
        T result = work.get();
        boolean isReplyLost = scene.faults().happens(Fault.REPLY_LOST);
        scene.scheduler().block(latency / 2);
        owner.gate();
        if (isReplyLost) {
            throw new UnavailableException("connection reset");
        }
        return result;
    }

    /**
     * A port of which each call is a round trip.
     *
     * @param atHand the methods that ask nobody
     */
    <T> T reach(Class<T> port, T behind, String... atHand) {
        Set<String> local = Set.of(atHand);
        Object reached =
                Proxy.newProxyInstance(
                        port.getClassLoader(),
                        new Class<?>[] {port},
                        (proxy, method, arguments) -> {
                            Supplier<Object> work =
                                    () -> {
                                        try {
                                            return method.invoke(behind, arguments);
                                        } catch (InvocationTargetException e) {
                                            throw unwrapped(e);
                                        } catch (IllegalAccessException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    };
                            return local.contains(method.getName()) ? work.get() : call(work);
                        });
        return port.cast(reached);
    }

    private static RuntimeException unwrapped(InvocationTargetException e) {
        if (e.getCause() instanceof RuntimeException thrown) {
            return thrown;
        } else if (e.getCause() instanceof Error thrown) {
            throw thrown;
        }
        return new IllegalStateException(e.getCause());
    }
}
