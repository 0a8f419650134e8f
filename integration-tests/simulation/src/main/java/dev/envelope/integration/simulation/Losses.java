package dev.envelope.integration.simulation;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The records that need not be applied, because they are gone and somebody has accepted that.
 *
 * <p>Threads: one thread.
 */
final class Losses {

    private final Set<String> compacted = new HashSet<>();
    private final Set<String> expired = new HashSet<>();
    private final Map<String, Long> jumped = new HashMap<>(); // by log, to where
    private final Set<String> letGo = new HashSet<>();
    private boolean gapAccepted;
    private boolean jumpAccepted;

    /** Whoever compacts a topic has accepted it. */
    void compacted(Collection<SimRecord> gone) {
        gone.forEach(it -> compacted.add(it.place()));
    }

    /** Retention: a loss only where {@code on.gap=earliest} says so. */
    void expired(Collection<SimRecord> gone) {
        gone.forEach(it -> expired.add(it.place()));
    }

    void acceptGaps() {
        gapAccepted = true;
    }

    /**
     * An operator moved the commit to there: a loss of what is below, also of what is written there
     * after a truncation, but only where he says {@code follow}.
     *
     * @param log as places name it
     */
    void jumped(String log, long to) {
        jumped.merge(log, to, Math::max);
    }

    private boolean isJumped(String place) {
        String[] parts = place.split("[:~]", -1);
        return Long.parseLong(parts[1]) < jumped.getOrDefault(parts[0], 0L);
    }

    void acceptJumps() {
        jumpAccepted = true;
    }

    /** An operator skips or drops a parked message. */
    void letGo(String place) {
        letGo.add(place);
    }

    boolean isLetGo(String place) {
        return letGo.contains(place);
    }

    boolean mayMiss(String place) {
        return compacted.contains(place)
                || (gapAccepted && expired.contains(place))
                || (jumpAccepted && isJumped(place));
    }
}
