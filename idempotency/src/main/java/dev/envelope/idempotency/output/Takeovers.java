package dev.envelope.idempotency.output;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Gone;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over the relays of processes that have ended or hang, so that their outputs are sent.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Takeovers {

    private static final Logger log = LoggerFactory.getLogger(Takeovers.class);

    /** After this, nobody waits for a relay any longer. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** For what needs no silence, however far the new server's clock is behind the old one's. */
    private static final Duration NO_SILENCE = Duration.ofHours(-1);

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** What this process was in an earlier life of the database. */
    private record Former(int number, List<String> ids) {}

    private final OutputStore store;
    private final Resolution resolution;
    private final Registration registration;
    private final Ticker ticker;
    private final Deque<Former> formers = new ArrayDeque<>();
    private long nextLook;

    Takeovers(OutputStore store, Resolution resolution, Registration registration, Ticker ticker) {
        this.store = store;
        this.resolution = resolution;
        this.registration = registration;
        this.ticker = ticker;
        this.nextLook = ticker.nanoTime();
    }

    /**
     * The database is in another life: what this process was before is not silent yet, but nobody
     * else sends for it. Its number alone does not tell whether the new life still knows it, since
     * another process may have got that number; its transactional ids do.
     */
    void wasBefore(int number, List<String> ids) {
        if (!ids.isEmpty()) {
            formers.add(new Former(number, ids));
        }
    }

    /** Takes over whoever is gone, if it is time to look. */
    void turn() {
        while (!formers.isEmpty()) {
            serveFormer(formers.getFirst());
            formers.removeFirst();
        }
        if (ticker.nanoTime() - nextLook >= 0) {
            nextLook = ticker.nanoTime() + LOOK_EVERY.toNanos();
            for (Gone gone : store.gone(registration.own(), SILENCE)) {
                takeOver(gone, SILENCE);
            }
        }
    }

    private void serveFormer(Former former) {
        resolution.fence(former.ids()); // also if the database has lost them
        for (Gone gone : store.gone(registration.own(), NO_SILENCE)) {
            if (gone.number() == former.number() && gone.ids().equals(former.ids())) {
                takeOver(gone, NO_SILENCE);
            }
        }
    }

    private void takeOver(Gone gone, Duration silence) {
        if (registration.isReady() && resolution.takeOver(registration.own(), gone, silence)) {
            log.info(
                    "relay {} is gone: relay {} sends its outputs",
                    gone.number(),
                    registration.own().number());
            registration.look();
        }
    }
}
