package dev.envelope.idempotency.output;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.background.Outage;
import dev.envelope.idempotency.output.Lanes.Selection;
import dev.envelope.idempotency.output.Lanes.Split;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import dev.envelope.idempotency.store.output.OutputStore.Place;
import dev.envelope.idempotency.store.output.OutputStore.Row;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the outputs that this process has saved, and those of relays that it has taken over: each
 * once, and those of a lane in their order.
 *
 * <p>Threads: one thread; {@link #status} from any.
 */
public final class OutputRelay {

    private static final Logger log = LoggerFactory.getLogger(OutputRelay.class);
    private static final int AT_ONCE = 2_000;
    private static final long BYTES_AT_ONCE = 4L << 20;
    private static final int MEASURING_SHARE = 20;

    /** Between two counts: until the next one a room that was full may stay closed. */
    private static final long LONGEST_PAUSE = Duration.ofMinutes(1).toNanos();

    private final OutputStore store;
    private final OutputSender sender;
    private final OutputRoom room;
    private final Ticker ticker;
    private final Resolution resolution;
    private final Registration registration;
    private final Takeovers takeovers;
    private final Batches batches;
    private final RefusedOutputs refused;
    private final Lanes lanes = new Lanes();
    private final Pace pace;
    private final Outage outage = new Outage(log, "sending outputs");
    private long nextMeasure;
    private volatile OutputStatus status = OutputStatus.NOTHING;

    public OutputRelay(
            OutputStore store,
            OutputSender sender,
            OutputRoom room,
            String applicationId,
            Ticker ticker,
            RandomGenerator random) {
        this.store = store;
        this.sender = sender;
        this.room = room;
        this.ticker = ticker;
        this.resolution = new Resolution(store, sender);
        this.registration = new Registration(store, sender, resolution);
        this.takeovers = new Takeovers(store, resolution, registration, sender, ticker);
        this.batches = new Batches(store, sender, registration, applicationId);
        this.refused = new RefusedOutputs(store, batches, lanes, ticker);
        this.pace = new Pace(ticker, random);
        this.nextMeasure = ticker.nanoTime();
    }

    /**
     * One pass: sends at most one batch, and tries one refused row again.
     *
     * @return whether there may be more to do at once
     */
    public boolean turn() {
        try {
            return pass();
        } catch (OtherIncarnationException e) {
            forget();
            return true;
        } catch (UnavailableException e) {
            log.debug("the outputs have to wait for the database: {}", Words.describe(e));
            if (isAway()) {
                away();
            }
            return false;
        } catch (KafkaAwayException e) {
            pace.failed();
            String why = String.valueOf(e.getMessage());
            outage.failed(new UnavailableException(why + "; outputs wait in the database"));
            status = status.trouble(why).doubtful(resolution.doubtful());
            return false;
        }
    }

    /** Its rows can't be reached, so what was measured there stops no keys of other places. */
    public void away() {
        room.withoutPlaceOf(this);
        status = status.measured(status.waiting(), !room.isOpen());
        nextMeasure = ticker.nanoTime(); // at once, when it is there again
    }

    /** A database may only be slow, and then what waits there still counts. */
    private boolean isAway() {
        if (!registration.isRegistered()) {
            return true;
        }
        try {
            store.alive(registration.own());
            return false;
        } catch (UnavailableException e) {
            return true;
        }
    }

    private boolean pass() {
        if (pace.isTimeToLook()) {
            look();
        }
        if (pace.isResting()) {
            return false;
        }
        if (registration.isReady()) {
            takeovers.turn();
        }
        if (!registration.isReady()) {
            if (registration.step()) {
                forgetPlaces(); // the rows of another relay are not its own
            }
            return true;
        }
        boolean goesOn = tryRefused();
        return registration.isReady() ? sendSome() || goesOn : true;
    }

    /** Says that this relay is alive, and measures what waits. */
    private void look() {
        if (registration.isRegistered()) {
            store.alive(registration.own());
        }
        if (registration.isReady()) {
            registration.look(); // it may have been taken over while it stood still
        }
        measure();
    }

    /** A table that can't be counted in time is no reason not to send. */
    private void measure() {
        long begin = ticker.nanoTime();
        if (begin - nextMeasure < 0) {
            return;
        }
        Waiting waiting;
        try {
            waiting = store.depth((int) Math.min(Integer.MAX_VALUE, room.limits().maxOutputs()));
        } catch (OtherIncarnationException e) {
            throw e;
        } catch (UnavailableException e) {
            log.debug("the outputs can't be counted: {}", Words.describe(e));
            return;
        } finally { // counting must not take more than a small part of the time
            long pause = MEASURING_SHARE * (ticker.nanoTime() - begin);
            nextMeasure = ticker.nanoTime() + Math.min(pause, LONGEST_PAUSE);
        }
        boolean wasFull = !room.isOpen();
        room.measured(this, waiting);
        boolean isFull = !room.isOpen();
        status = status.measured(waiting, isFull);
        if (waiting.outputs() == 0) {
            works();
        }
        if (isFull && !wasFull) {
            log.warn(
                    "{} (outbox.max.rows, outbox.max.bytes): keys whose handler may emit have to"
                            + " wait",
                    status.inWords());
        } else if (!isFull && wasFull) {
            log.info("there is room for outputs again: {}", status.inWords());
        }
    }

    private boolean tryRefused() {
        Optional<Row> row = refused.next(registration.own());
        row.ifPresent(it -> send(List.of(it)));
        return refused.isInRound();
    }

    private boolean sendSome() {
        Own own = registration.own();
        List<Place> without = new ArrayList<>(batches.sent());
        without.addAll(lanes.leftOut());
        List<Row> rows = store.next(own, without, AT_ONCE, BYTES_AT_ONCE);
        long end = lanes.end(rows);
        if (end == 0) {
            return rests();
        }
        Selection selection =
                lanes.free(
                        rows,
                        store.before(own, end, lanes.known(), lanes.asked(rows)),
                        ticker.nanoTime());
        if (!selection.splits().isEmpty()) {
            split(own, selection.splits());
            return true;
        }
        if (selection.take().isEmpty()) {
            return selection.readOn() || rests();
        }
        send(selection.take());
        return true;
    }

    /** Nothing can be sent now: has the rows deleted that were sent last. */
    private boolean rests() {
        return !batches.sent().isEmpty() && !batches.close();
    }

    private void split(Own own, List<Split> splits) {
        if (batches.close()) { // no row of an open batch is ever taken apart
            splits.forEach(it -> store.split(own, it.row(), it.held(), it.refused()));
        }
    }

    private void send(List<Row> rows) {
        Optional<Map<Integer, String>> refusals = batches.send(rows);
        if (refusals.isEmpty()) {
            return;
        }
        works();
        if (!refusals.get().isEmpty()) {
            refused.takeOut(registration.own(), rows, refusals.get());
            status = status.refused(refusals.get().size()).trouble(refused.trouble());
            return;
        }
        int outputs = rows.stream().mapToInt(row -> row.items().size()).sum();
        room.gone(outputs, rows.stream().mapToLong(Row::bytes).sum());
        status = status.sent(outputs).trouble(refused.trouble());
    }

    private void works() {
        pace.works();
        outage.over();
        status = status.trouble(refused.trouble()).doubtful(resolution.doubtful());
    }

    /**
     * The database was restarted or replaced, and may have lost what it had confirmed: nothing that
     * was read in its former life is used any more. This process becomes another relay; what it was
     * before is resolved as if it were gone.
     */
    private void forget() {
        if (registration.isRegistered()) {
            takeovers.wasBefore(registration.own().number(), registration.ids());
        }
        registration.forget();
        forgetPlaces();
    }

    private void forgetPlaces() {
        batches.forget();
        lanes.forget();
        refused.forget();
    }

    /**
     * Sends what waits, for as long as it can be sent.
     *
     * @return whether nothing is left but what is refused or waits for others
     */
    public boolean drain(Duration time) {
        long until = ticker.nanoTime() + time.toNanos();
        boolean goesOn = true;
        while (goesOn && ticker.nanoTime() - until < 0) {
            goesOn = turn();
        }
        return !goesOn && !outage.isOn();
    }

    /** Closes the sender alone: there was no pass. */
    public void closeSender() {
        sender.close();
    }

    /** Ends in good order: another relay may serve this one at once. Afterwards no turn. */
    public void leave() {
        sender.close();
        if (!registration.isRegistered()) {
            return;
        }
        try {
            if (registration.isReady()) {
                batches.close();
            }
            store.leave(registration.own());
        } catch (UnavailableException e) {
            log.debug("leaving: {}", Words.describe(e)); // then it is taken over a little later
        }
    }

    /** Whether outputs wait, or this relay has begun to send some. */
    public boolean isNeeded() {
        try {
            return registration.isRegistered() || store.depth(1).outputs() > 0;
        } catch (UnavailableException e) {
            log.debug("the outputs have to wait for the database: {}", Words.describe(e));
            return false;
        }
    }

    /** The status at the last pass. */
    public OutputStatus status() {
        return status;
    }
}
