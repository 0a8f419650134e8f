package dev.envelope.idempotency.output;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Gone;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    /** How long a relay is left alone of which Kafka does not say what it has sent. */
    private static final Duration REST = Duration.ofSeconds(30);

    /** The relay of outputs that were saved before their process had registered. */
    private static final int OF_NOBODY = 0;

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** What this process was in an earlier life of the database. */
    private record Former(int number, List<String> ids) {}

    private final OutputStore store;
    private final Resolution resolution;
    private final Registration registration;
    private final OutputSender sender;
    private final Ticker ticker;
    private final Deque<Former> formers = new ArrayDeque<>();
    private final Map<Integer, Long> restUntil = new HashMap<>(); // by relay
    private long formersRestUntil;
    private long nextLook;

    Takeovers(
            OutputStore store,
            Resolution resolution,
            Registration registration,
            OutputSender sender,
            Ticker ticker) {
        this.sender = sender;
        this.formersRestUntil = ticker.nanoTime();
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

    /**
     * Takes over one relay that is gone, if it is time to look. If Kafka does not say what became
     * of its last batch, only that relay's outputs wait.
     */
    void turn() {
        long now = ticker.nanoTime();
        if (!formers.isEmpty() && now - formersRestUntil >= 0) {
            if (isDone(formers.getFirst().number(), () -> serveFormer(formers.getFirst()))) {
                formers.removeFirst();
            } else {
                formersRestUntil = now + REST.toNanos();
            }
        }
        boolean isReady = registration.isReady(); // it may have been taken over itself just now
        if (isReady && now - nextLook >= 0) {
            List<Gone> all = gone(now);
            nextLook = all.size() > 1 ? now : now + LOOK_EVERY.toNanos(); // others in later passes
            if (!all.isEmpty()) {
                // Each relay begins with another one, so that not all ask for the same at once.
                Gone one = all.get(Math.floorMod(registration.own().number(), all.size()));
                if (!isDone(one.number(), () -> takeOver(one, SILENCE))) {
                    restUntil.put(one.number(), ticker.nanoTime() + REST.toNanos());
                }
            }
        }
    }

    private List<Gone> gone(long now) {
        restUntil.values().removeIf(until -> now - until >= 0);
        return store.gone(registration.own(), SILENCE).stream()
                .filter(it -> !restUntil.containsKey(it.number()))
                .filter(it -> sender.maySendForOthers() || it.number() == OF_NOBODY)
                .toList();
    }

    private static boolean isDone(int number, Runnable takeover) {
        try {
            takeover.run();
            return true;
        } catch (KafkaAwayException e) {
            log.warn(
                    "relay {} is gone, and Kafka does not say what it has sent last; its outputs"
                            + " wait: {}",
                    number,
                    e.getMessage());
            return false;
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
