package dev.envelope.idempotency.outbox;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.background.Outage;
import dev.envelope.idempotency.outbox.Delivery.Refusal;
import dev.envelope.idempotency.store.OutboxStore;
import dev.envelope.idempotency.store.OutboxStore.Batch;
import dev.envelope.idempotency.store.OutboxStore.Depth;
import dev.envelope.idempotency.store.OutboxStore.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers the records of the outbox: in one process at a time, each record at least once, those of
 * a key in order.
 *
 * <p>A record is deleted only after it was acknowledged. If the process dies in between, another
 * one delivers the record again, under the same id.
 *
 * <p>Threads: one thread; {@link #status} from any.
 */
public final class Relay {

    private static final Logger log = LoggerFactory.getLogger(Relay.class);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration LONGEST_BATCH = LEASE.dividedBy(3);
    private static final Duration BACKOFF = Duration.ofMillis(500);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);
    private static final int AT_ONCE = 500;
    private static final long BYTES_AT_ONCE = 4L << 20;

    /** Acknowledged records to delete. If the deletion fails, they need not be sent again. */
    private record Acknowledged(List<Long> positions, Incarnation incarnation) {
        private static final Acknowledged NOTHING =
                new Acknowledged(List.of(), new Incarnation(""));
    }

    private final OutboxStore store;
    private final Delivery delivery;
    private final OutboxRoom room;
    private final String applicationId;
    private final Ticker ticker;
    private final RandomGenerator random;
    private final Outage outage = new Outage(log, "delivering dead letters");

    private final LeftBehind left = new LeftBehind();

    private int failuresInARow;
    private long restsUntil;
    private boolean saidFull;
    private Acknowledged acknowledged = Acknowledged.NOTHING;
    private volatile OutboxStatus status = OutboxStatus.EMPTY;

    public Relay(
            OutboxStore store,
            Delivery delivery,
            OutboxRoom room,
            String applicationId,
            Ticker ticker,
            RandomGenerator random) {
        this.store = store;
        this.delivery = delivery;
        this.room = room;
        this.applicationId = applicationId;
        this.ticker = ticker;
        this.random = random;
    }

    /**
     * One pass: measures the outbox, and delivers some records.
     *
     * @return whether there may be more to deliver at once
     */
    public boolean turn() {
        try {
            delete();
            Depth depth = store.depth(room.limits().maxRows());
            look(depth);
            if (ticker.nanoTime() - restsUntil >= 0) {
                left.clear(); // tried again now
            }
            boolean rests =
                    failuresInARow > 0
                            && ticker.nanoTime() - restsUntil < 0
                            && (left.isEmpty() || left.isFull());
            return depth.rows() > 0 && !rests && store.lead(LEASE) && deliver();
        } catch (UnavailableException e) {
            log.debug("the outbox has to wait for the database: {}", Words.describe(e));
            if (isAway()) {
                away();
            }
            return false;
        }
    }

    /** Its rows can't be reached, so what was measured there stops no keys of other places. */
    public void away() {
        room.withoutPlaceOf(this);
        status = status.full(!room.isOpen());
    }

    /** An outbox may only be too long to be counted in time, and then it has no room. */
    private boolean isAway() {
        try {
            store.depth(1);
            return false;
        } catch (UnavailableException e) {
            return true;
        }
    }

    private void look(Depth depth) {
        room.measured(this, depth);
        if (depth.rows() == 0) {
            worksAgain();
        }
        boolean isFull = !room.isOpen();
        status = status.measured(depth, isFull);
        if (isFull && !saidFull) {
            log.warn(
                    "{} (outbox.max.rows, outbox.max.age): messages that would become dead letters"
                            + " wait",
                    status.notReadyBecause());
        } else if (!isFull && saidFull) {
            log.info("the outbox has room again: {} dead letters wait", depth.rows());
        }
        saidFull = isFull;
    }

    private boolean deliver() {
        Batch batch = store.firstWithout(left.positions(), AT_ONCE, BYTES_AT_ONCE);
        if (left.isNotOf(batch.incarnation())) {
            left.clear();
            restsUntil = ticker.nanoTime();
            return true;
        }
        Sending sending = new Sending(delivery, origin -> origin.id(applicationId), left.lanes());
        long until = ticker.nanoTime() + LONGEST_BATCH.toNanos();
        for (Waiting record : batch.records()) {
            sending.add(record);
            if (sending.isStuck() || ticker.nanoTime() - until > 0) {
                break;
            }
        }
        sending.flush();
        acknowledged = new Acknowledged(sending.delivered(), batch.incarnation());
        boolean goesOn = judged(sending, batch.incarnation());
        delete();
        return goesOn;
    }

    private void delete() {
        Acknowledged arrived = acknowledged;
        if (arrived.positions().isEmpty()) {
            return;
        }
        try {
            store.delete(arrived.positions(), arrived.incarnation());
        } catch (OtherIncarnationException e) {
            acknowledged = Acknowledged.NOTHING; // other records may have these positions now
            throw e;
        }
        acknowledged = Acknowledged.NOTHING;
        room.added(-arrived.positions().size());
    }

    private boolean judged(Sending sending, Incarnation incarnation) {
        int delivered = sending.delivered().size();
        status = status.delivered(delivered);
        Refusal refusal = sending.firstRefusal();
        if (refusal == null && left.isEmpty()) {
            worksAgain();
            return delivered > 0;
        }
        boolean isFirst = left.isEmpty();
        left.add(sending.left(), incarnation);
        if (refusal == null) {
            return (delivered > 0 || !sending.left().isEmpty()) && !left.isFull();
        }
        if (isFirst || !refusal.onlyThis()) {
            failuresInARow++; // not for each read behind the records that are left
        }
        Duration rest = FailurePolicy.backoff(BACKOFF, LONGEST_BACKOFF, failuresInARow, random);
        restsUntil = ticker.nanoTime() + rest.toNanos();
        status = status.refused(refusal.why());
        outage.failed(new UnavailableException(refusal.why()));
        if (!refusal.onlyThis()) {
            left.clear(); // nothing can be delivered: all records wait
            delivery.close(); // so that nothing in flight arrives besides the next try
        }
        return refusal.onlyThis() && !left.isFull();
    }

    private void worksAgain() {
        failuresInARow = 0;
        left.clear();
        status = status.works();
        outage.over();
    }

    /** The status at the last pass. */
    public OutboxStatus status() {
        return status;
    }

    /** Closes the delivery alone: there was no pass. */
    public void closeDelivery() {
        delivery.close();
    }

    /** Closes the delivery and gives up the lease. */
    public void leave() {
        delivery.close();
        try {
            store.leave();
        } catch (UnavailableException e) {
            log.debug("leaving: {}", Words.describe(e)); // the lease expires a little later
        }
    }
}
