package dev.envelope.integration.simulation;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * The timers as one process sees them, over the same network as its rows.
 *
 * <p>Threads: one thread.
 */
final class SimTimerStore implements TimerStore {

    private final SimStore network;
    private final World world;
    private final TimerStore store;

    /**
     * @param store of the database itself
     */
    SimTimerStore(SimStore network, World world, TimerStore store) {
        this.network = network;
        this.world = world;
        this.store = store;
    }

    @Override
    public Look fire(Collection<TopicPartition> owned, int most) {
        return network.call(() -> fireNow(owned, most));
    }

    private Look fireNow(Collection<TopicPartition> owned, int most) {
        if (world.faults().happens(Fault.CUT_BEFORE_COMMIT)) {
            Incarnation life = world.database().incarnation();
            world.inFlight().leave(List.of(), () -> land(owned, most, life));
            throw new UnavailableException("connection reset");
        }
        return fireAndCheck(owned, most);
    }

    /** The request is carried out when nobody waits for it any more. */
    private void land(Collection<TopicPartition> owned, int most, Incarnation life) {
        if (!life.equals(world.database().incarnation())) {
            throw new OtherIncarnationException(life, world.database().incarnation());
        }
        fireAndCheck(owned, most);
    }

    private Look fireAndCheck(Collection<TopicPartition> owned, int most) {
        FireChecks check = world.checks().timers().firing(owned, most);
        Look look = store.fire(owned, most);
        check.done();
        return look;
    }
}
