package dev.envelope.integration.demo.group;

import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.NetworkFault;
import java.time.Duration;

/**
 * The network between the instances and the database, which can be made slow for a while.
 *
 * <p>Threads: guarded by this.
 */
public final class SlowDatabase {

    public static final Duration DELAY = Duration.ofMillis(150);

    private static final Duration LENGTH = Duration.ofSeconds(20);
    private static final NetworkFault SLOW = new NetworkFault.Delay(DELAY, Duration.ZERO);

    private final FaultProxy proxy;
    private long until;
    private boolean isSlow;

    public SlowDatabase(FaultProxy proxy) {
        this.proxy = proxy;
    }

    /** From now on, for as long as always. */
    public synchronized void begin() {
        until = System.nanoTime() + LENGTH.toNanos();
        isSlow = true;
        proxy.inject(SLOW);
    }

    /** How long it will last; ends it when that is over. */
    public synchronized Duration left() {
        if (isSlow && until - System.nanoTime() <= 0) {
            end();
        }
        return isSlow ? Duration.ofNanos(until - System.nanoTime()) : Duration.ZERO;
    }

    public synchronized void end() {
        isSlow = false;
        proxy.heal();
    }
}
