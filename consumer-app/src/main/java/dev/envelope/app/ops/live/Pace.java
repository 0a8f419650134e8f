package dev.envelope.app.ops.live;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.recent.Durations;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds what limits the throughput while messages queue up: the database, the handler, or fetching.
 * Judged by the stages of the last seconds' turns, and by how many workers were busy.
 */
public final class Pace {

    /** A lag that takes less time to work off does not count. */
    private static final int USUAL_SECONDS = 2;

    private static final int USUAL_RECORDS = 100;
    private static final Durations.Seen NEVER = new Durations.Seen(0, 0, 0);

    private Pace() {}

    /**
     * A sentence; empty while the process keeps up, and while no turn has ended lately: then
     * something is being waited for, which is not a limit of throughput.
     *
     * @param samples oldest first
     */
    public static Optional<String> inWords(ProcessStatus status, List<History.Sample> samples) {
        if (samples.isEmpty() || !status.notReadyBecause().isEmpty()) {
            return Optional.empty();
        }
        History.Sample last = samples.get(samples.size() - 1);
        return isBehind(status, last) ? inWords(status, last) : Optional.empty();
    }

    private static Optional<String> inWords(ProcessStatus status, History.Sample last) {
        Map<String, Durations.Seen> stages = last.stages();
        Durations.Seen turn = stages.getOrDefault("turn", NEVER);
        if (turn.count() == 0) {
            return Optional.empty();
        }
        double load = stages.getOrDefault("load", NEVER).p50();
        double fold = stages.getOrDefault("fold", NEVER).p50();
        double save = stages.getOrDefault("save", NEVER).p50();
        ProcessStatus.Pool pool = status.pool();
        String times =
                ("of a turn's %s (median of %d s) %s are loading, %s folding, %s saving;"
                                + " %d of %d workers busy")
                        .formatted(
                                said(turn.p50()),
                                History.EVERY.toSeconds(),
                                said(load),
                                said(fold),
                                said(save),
                                pool.busy(),
                                pool.size());
        if (2 * pool.busy() < pool.size()) {
            // Otherwise a few keys do, or something blocks them; there are other findings for that.
            return isWaitingForRecords(status, last)
                    ? Optional.of("fetching sets the pace: " + times)
                    : Optional.empty();
        } else if (load + save >= fold) {
            return Optional.of("the database sets the pace: " + times);
        }
        return Optional.of(
                "the handler sets the pace: "
                        + times
                        + "; more of them (envelope pool add) help where it waits, not where it"
                        + " computes");
    }

    private static boolean isBehind(ProcessStatus status, History.Sample last) {
        return status.lag() > Math.max(USUAL_RECORDS, USUAL_SECONDS * last.saved());
    }

    private static boolean isWaitingForRecords(ProcessStatus status, History.Sample last) {
        return status.unacked() <= last.saved()
                && status.partitions().stream().allMatch(it -> it.pausedBecause().isEmpty());
    }

    private static String said(double millis) {
        return millis < 10 ? "%.1f ms".formatted(millis) : "%,.0f ms".formatted(millis);
    }
}
