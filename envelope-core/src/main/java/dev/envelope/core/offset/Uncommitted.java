package dev.envelope.core.offset;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.Words;
import java.time.Duration;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Since when Kafka has taken no commit, and why. One that fails now and then is usual, in each
 * rebalance for instance; where none gets through the lag that others see stands still, though the
 * rows are right.
 *
 * <p>Threads: poll thread only.
 */
final class Uncommitted {

    static final Duration WORTH_TELLING = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(Committer.class);

    private final Ticker ticker;
    private @Nullable Exception why;
    private long since;
    private boolean isSaid;

    Uncommitted(Ticker ticker) {
        this.ticker = ticker;
    }

    void failed(Exception problem) {
        if (why == null) {
            since = ticker.nanoTime();
        }
        why = problem;
        if (!isSaid && isWorthTelling()) {
            isSaid = true;
            log.warn("{}", inWords());
        }
    }

    void done() {
        why = null;
        if (isSaid) {
            isSaid = false;
            log.info("no offset waits to be committed any more");
        }
    }

    private boolean isWorthTelling() {
        return ticker.nanoTime() - since >= WORTH_TELLING.toNanos();
    }

    /** In a sentence; empty while commits get through, or have failed for a moment only. */
    String inWords() {
        if (why == null || !isWorthTelling()) {
            return "";
        }
        return "no offset could be committed for %,d s: %s"
                .formatted(
                        Duration.ofNanos(ticker.nanoTime() - since).toSeconds(),
                        why instanceof RebalanceInProgressException
                                ? "the group is in a rebalance, and waits for a member that does"
                                        + " not join it (max.poll.interval.ms is how long it may);"
                                        + " rows are written meanwhile"
                                : Words.line(String.valueOf(why.getMessage())));
    }
}
