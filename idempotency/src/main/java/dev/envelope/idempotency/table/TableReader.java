package dev.envelope.idempotency.table;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.background.Outage;
import dev.envelope.idempotency.store.table.TableRow.Place;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.store.table.TableStore.Most;
import dev.envelope.idempotency.store.table.TableStore.Page;
import dev.envelope.idempotency.store.table.TableStore.Part;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the rows of the slots that are held, a page of each at a time, in passes from the first key
 * to the last. A pass that finds nothing new is followed by a pause, which grows; a notification
 * ends it.
 *
 * <p>Threads: one thread.
 */
final class TableReader {

    private static final Logger log = LoggerFactory.getLogger(TableReader.class);
    private static final Most PAGE = new Most(2_000, 4L << 20);
    private static final long COUNTED = 100_000;
    private static final long MILLISECOND = 1_000_000;
    private static final long SHORTEST_PAUSE = 5 * MILLISECOND;
    private static final long LONGEST_PAUSE = 500 * MILLISECOND;
    private static final long COUNT_EVERY = 10_000 * MILLISECOND;
    private static final long COUNT_AGAIN = 300_000 * MILLISECOND;
    private static final long RETRY_AFTER = 500 * MILLISECOND;
    private static final Duration LISTENS_FOR = Duration.ofMillis(100);

    private final TableStore store;
    private final TableConsumer consumer;
    private final LongSupplier nanoTime;
    private final Outage outage = new Outage(log, "reading the table");
    private final Map<Reading, Pass> passes = new HashMap<>();
    private long retryAt;

    /** Where a pass has come to. */
    private static final class Pass {
        private @Nullable Place behind; // null at its beginning
        private boolean hasFound;
        private long pause = SHORTEST_PAUSE;
        private long nextAt;
        private long countAt;
    }

    TableReader(TableStore store, TableConsumer consumer, LongSupplier nanoTime) {
        this.store = store;
        this.consumer = consumer;
        this.nanoTime = nanoTime;
        this.retryAt = nanoTime.getAsLong();
    }

    /** Reads where something is wanted; returns whether there may be more at once. */
    boolean turn() {
        if (nanoTime.getAsLong() - retryAt < 0) {
            return false;
        }
        try {
            boolean mayBeMore = read();
            outage.over();
            return mayBeMore;
        } catch (UnavailableException e) {
            outage.failed(e);
            retryAt = nanoTime.getAsLong() + RETRY_AFTER;
            return false;
        }
    }

    private boolean read() {
        Collection<Reading> readings = consumer.readings();
        passes.keySet().retainAll(readings);
        boolean mayBeMore = false;
        for (Reading reading : readings) {
            Pass pass = passes.computeIfAbsent(reading, it -> begun());
            mayBeMore |= read(reading, pass);
        }
        if (mayBeMore) {
            consumer.wake();
        } else if (isIdle() && store.await(LISTENS_FOR)) {
            long now = nanoTime.getAsLong();
            passes.values().forEach(it -> it.nextAt = now);
            return true;
        }
        return mayBeMore;
    }

    /** Where it takes too long, it is rarely tried. */
    private void count(Reading reading, Pass pass, Part part, long now) {
        try {
            pass.countAt = now + COUNT_EVERY;
            reading.counted(store.count(part, COUNTED));
        } catch (UnavailableException e) {
            pass.countAt = now + COUNT_AGAIN;
            log.debug("the rows that wait are not counted: {}", e.getMessage());
        }
    }

    /** Whether all passes have ended, and found nothing new. */
    private boolean isIdle() {
        long now = nanoTime.getAsLong();
        return passes.values().stream().allMatch(it -> now - it.nextAt < 0);
    }

    private Pass begun() {
        Pass pass = new Pass();
        pass.nextAt = nanoTime.getAsLong();
        pass.countAt = pass.nextAt;
        return pass;
    }

    /** Reads a page, if there is room for it; returns whether it had something new. */
    private boolean read(Reading reading, Pass pass) {
        Part part = reading.part();
        long now = nanoTime.getAsLong();
        if (part.slot() >= part.slots()) { // there is no such slot until there are more
            reading.allInHand();
            pass.nextAt = now + LONGEST_PAUSE;
            return false;
        }
        if (now - pass.countAt >= 0) {
            count(reading, pass, part, now);
        }
        if (!reading.hasRoomFor(PAGE) || now - pass.nextAt < 0) {
            return false;
        }
        if (!reading.hasNumbers()) {
            reading.numbersFrom(store.numbers());
        }
        Page page = store.read(part, pass.behind, PAGE);
        boolean isNew = reading.put(page.rows()) > 0;
        pass.hasFound |= isNew;
        pass.behind = page.isLast() ? null : page.rows().get(page.rows().size() - 1).place();
        if (page.isLast()) {
            pass.pause = pass.hasFound ? SHORTEST_PAUSE : Math.min(2 * pass.pause, LONGEST_PAUSE);
            pass.nextAt = now + pass.pause;
            if (!pass.hasFound) {
                reading.allInHand();
            }
            pass.hasFound = false;
        }
        return isNew || !page.isLast();
    }
}
