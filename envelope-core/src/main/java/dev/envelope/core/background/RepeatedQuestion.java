package dev.envelope.core.background;

import dev.envelope.core.api.Environment.Ticker;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * A question that is asked at an interval, and again only when the last one was answered.
 *
 * <p>Threads: poll thread only; the question itself runs in the background.
 */
public final class RepeatedQuestion {

    private final Background background;
    private final Ticker ticker;
    private final long everyNanos;
    private final String what;
    private final Outage outage;
    private long nextAt;
    private boolean underWay;
    private boolean hasAnswer;

    RepeatedQuestion(
            Background background, Ticker ticker, Duration every, Logger log, String what) {
        this.background = background;
        this.ticker = ticker;
        this.everyNanos = every.toNanos();
        this.what = what;
        this.outage = new Outage(log, what);
        this.nextAt = ticker.nanoTime() + everyNanos;
    }

    /** Whether to ask now; if so, the interval begins anew. */
    public boolean isDue() {
        long now = ticker.nanoTime();
        if (underWay || now - nextAt < 0) {
            return false;
        }
        nextAt = now + everyNanos;
        return true;
    }

    /** Whether the last one that has ended got no answer, or none has ended yet. */
    public boolean isUnanswered() {
        return !hasAnswer || outage.isOn();
    }

    /** Does not wait for the end of the interval. */
    public void hurry() {
        nextAt = ticker.nanoTime();
    }

    /** Asks; what can't be answered now is asked again when the interval is over. */
    public <T> void ask(Supplier<T> question, Consumer<T> answered) {
        underWay = true;
        background.ask(
                what,
                question,
                answer -> {
                    underWay = false;
                    hasAnswer = true;
                    outage.over();
                    answered.accept(answer);
                },
                unavailable -> {
                    underWay = false;
                    outage.failed(unavailable);
                });
    }
}
