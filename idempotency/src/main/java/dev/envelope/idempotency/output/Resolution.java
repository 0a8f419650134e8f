package dev.envelope.idempotency.output;

import dev.envelope.idempotency.store.output.OutputStore;
import dev.envelope.idempotency.store.output.OutputStore.Gone;
import dev.envelope.idempotency.store.output.OutputStore.Own;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a relay's last batch was sent, and ends it.
 *
 * <p>The batch was sent if, and only if, its number is the last one that was committed under the
 * relay's transactional ids. They are fenced before Kafka is asked. If the batch is opened while
 * Kafka is asked, it stays uncommitted, and the store compares with that batch.
 *
 * <p>Two answers leave a doubt; then the batch is sent again, which may repeat outputs under their
 * ids, but loses none. Kafka may have lost the number. Or its number is higher than that of the
 * batch: then the database has lost batches in a fail-over, and it can't be said whether this one
 * was sent or was given up before.
 *
 * <p>Threads: one thread, the relay's.
 */
final class Resolution {

    private static final Logger log = LoggerFactory.getLogger(Resolution.class);
    private static final long NONE = -1;
    private static final String MAY_REPEAT =
            "outputs that wait are sent, and may arrive twice, with the same envelope.id";

    private final OutputStore store;
    private final OutputSender sender;
    private long doubtful;

    Resolution(OutputStore store, OutputSender sender) {
        this.store = store;
        this.sender = sender;
    }

    /** How many batches were sent again in doubt. */
    long doubtful() {
        return doubtful;
    }

    /** Whoever used these ids commits nothing more. */
    void fence(List<String> ids) {
        committed(ids);
    }

    private OptionalLong committed(List<String> ids) {
        return KafkaAwayException.orThrow(() -> sender.committed(ids));
    }

    /**
     * Takes over a relay that was silent for so long.
     *
     * @return whether this relay serves it from now on
     */
    boolean takeOver(Own own, Gone gone, Duration silence) {
        if (gone.ids().isEmpty()) {
            return store.takeOver(own, gone, NONE, silence);
        }
        OptionalLong committed = committed(gone.ids());
        // What it opened before it was fenced is seen now; what it opens later under these ids is
        // not committed. Under other ids it is, if this process stands still meanwhile.
        Optional<Gone> known =
                store.gone(own, silence).stream()
                        .filter(it -> it.number() == gone.number() && it.ids().equals(gone.ids()))
                        .findFirst();
        if (known.isEmpty()) {
            return false; // it lives, or has other ids since, or another relay was faster
        }
        Gone now = known.get();
        return store.takeOver(own, now, checked(committed, now), silence);
    }

    /**
     * Ends the relay's own batch, of which it does not know whether it was committed.
     *
     * @return the relay as it is now; empty if another one has taken it over
     */
    Optional<Own> resolveOwn(Own own, List<String> ids) {
        if (ids.isEmpty()) {
            return store.resolved(own, NONE);
        }
        OptionalLong committed = committed(ids);
        Optional<Own> found = store.look(own);
        if (found.isEmpty()) {
            return found;
        }
        Own now = found.get();
        return store.resolved(
                now, checked(committed, new Gone(now.number(), ids, now.batch(), true)));
    }

    private long checked(OptionalLong committed, Gone relay) {
        if (committed.isEmpty()) {
            if (relay.isOpen()) {
                doubtful++;
                log.warn(
                        "Kafka has lost whether batch {} of relay {} was sent; {}",
                        relay.batch(),
                        relay.number(),
                        MAY_REPEAT);
            }
            return NONE;
        }
        long number = committed.getAsLong();
        if (number > relay.batch()) {
            doubtful++;
            log.warn(
                    "Kafka has committed batch {} of relay {}, the database has lost what is after"
                            + " batch {}; {}",
                    number,
                    relay.number(),
                    relay.batch(),
                    MAY_REPEAT);
            return NONE;
        }
        return number;
    }
}
