package dev.envelope.core.assignment;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.api.Words;
import dev.envelope.core.background.Background;
import dev.envelope.core.background.RepeatedQuestion;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.offset.Pauses.Pause;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What operators hold back by a row in the database, so that it is held back wherever the key or
 * the partition goes: read before a partition that was assigned flows, and every second. While the
 * database can't be read, what was read last holds.
 *
 * <p>Threads: poll thread only, but for {@link #read}, which runs in the background.
 */
public final class StandingPauses {

    private static final Logger log = LoggerFactory.getLogger(StandingPauses.class);
    private static final Duration EVERY = Duration.ofSeconds(1);
    private static final long REMIND_NANOS = Duration.ofHours(1).toNanos();
    private static final int MOST_NAMED = 10;

    private final Checkpoints checkpoints;
    private final OperatorPauses partitions;
    private final KeyGate keys;
    private final Ticker ticker;
    private final RepeatedQuestion readings;
    private final AtomicLong moments = new AtomicLong(); // at which readings begin and end
    private Pauses held = Pauses.NONE;
    private long heldSince; // the moment at which the last of the readings that it is of had ended
    private long remindAt;

    /** What was read between two moments. */
    public record Reading(long began, long ended, Pauses pauses) {}

    public StandingPauses(
            Checkpoints checkpoints,
            OperatorPauses partitions,
            KeyGate keys,
            Background background,
            Ticker ticker) {
        this.checkpoints = checkpoints;
        this.partitions = partitions;
        this.keys = keys;
        this.ticker = ticker;
        this.readings = background.repeated(EVERY, log, "reading what operators hold back");
        this.remindAt = ticker.nanoTime() + REMIND_NANOS;
    }

    /** Reads at the interval; warns of what has no end. */
    public void turn() {
        if (readings.isDue()) {
            readings.ask(this::read, this::hold);
        }
        long now = ticker.nanoTime();
        if (now - remindAt >= 0) {
            remindAt = now + REMIND_NANOS;
            remind();
        }
    }

    /** Somebody has changed something: reads with the next turn. */
    public void lookSoon() {
        readings.hurry();
    }

    /**
     * Background: what is held back now.
     *
     * @throws UnavailableException if the database can't be used
     */
    Reading read() {
        long began = moments.incrementAndGet();
        Pauses pauses = checkpoints.pauses();
        return new Reading(began, moments.incrementAndGet(), pauses);
    }

    /**
     * Holds back what was read. Of two readings that overlapped nobody can tell which is the newer:
     * what either of them names is held back then, until the next.
     */
    public void hold(Reading reading) {
        Pauses next = reading.began() > heldSince ? reading.pauses() : held.and(reading.pauses());
        heldSince = Math.max(heldSince, reading.ended());
        if (!next.equals(held)) {
            Set<Pause> known = new HashSet<>(held.all());
            say("an operator holds back", next, it -> !known.contains(it));
            Set<String> still =
                    next.all().stream().map(StandingPauses::id).collect(Collectors.toSet());
            say("no operator holds back any more", held, it -> !still.contains(id(it)));
            held = next;
            partitions.holdBack(next.partitions());
            keys.holdBack(next.keys());
        }
    }

    private void remind() {
        List<Pause> endless = held.all().stream().filter(pause -> pause.until() == null).toList();
        if (!endless.isEmpty()) {
            log.warn("held back until an operator resumes it: {}", named(endless));
        }
    }

    private static String id(Pause pause) {
        return pause.kind() + " " + pause.name();
    }

    private static void say(String words, Pauses all, Predicate<Pause> which) {
        List<Pause> some = all.all().stream().filter(which).toList();
        if (!some.isEmpty()) {
            log.info("{}: {}", words, named(some));
        }
    }

    private static String named(List<Pause> pauses) {
        String some =
                pauses.stream()
                        .limit(MOST_NAMED)
                        .map(StandingPauses::named)
                        .collect(Collectors.joining(", "));
        int more = pauses.size() - MOST_NAMED;
        return more <= 0 ? some : some + " and " + more + " more (envelope paused)";
    }

    private static String named(Pause pause) {
        String name =
                pause.kind() == Kind.KEY
                        ? "key " + Words.quote(pause.name())
                        : Words.line(pause.name());
        String end = pause.until() == null ? "" : " until " + pause.until();
        return "%s%s (by %s since %s)".formatted(name, end, Words.line(pause.by()), pause.since());
    }
}
