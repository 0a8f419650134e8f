package dev.envelope.integration.soak;

import dev.envelope.integration.cluster.Mutant;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * What a run is to be.
 *
 * <p>Threads: immutable.
 *
 * @param faults how long faults strike; what comes before and behind is not counted
 * @param slots how many divide the partitions; 0 where a group does, by that protocol
 * @param places how many databases the rows are divided between; 1: they are not divided
 * @param rate records a second
 * @param kinds the faults that may strike
 * @param mutant a promise that the processes break on purpose
 * @param folder where the report is written
 */
public record SoakPlan(
        Duration faults,
        long seed,
        int instances,
        String protocol,
        int slots,
        int places,
        int rate,
        Set<FaultKind> kinds,
        Mutant mutant,
        Path folder) {

    static final int PARTITIONS = 8;

    /** No factor in common with the rates of special records. */
    static final int KEYS = 1_499;

    public SoakPlan {
        kinds = Set.copyOf(kinds);
        if (!FaultKind.all(slots > 0).containsAll(kinds)) {
            throw new IllegalArgumentException(
                    "STORM is of a group's coordinator, KILL_HOLDERS of slots");
        }
    }

    /** How many processes have partitions, where none is missing. */
    int busy() {
        return slots == 0 ? instances : slots;
    }

    /** How long everything may take to be done once the last fault is over. */
    Duration healBound() {
        return Duration.ofMinutes(2);
    }

    /** How much longer faults may strike until each kind has landed. */
    Duration extension() {
        return faults.plus(Duration.ofMinutes(2));
    }

    /** The command that repeats it. */
    String command() {
        return "scripts/soak --minutes %s --seed %d --instances %d %s%s --rate %d%s%s"
                .formatted(
                        minutes(),
                        seed,
                        instances,
                        slots == 0 ? "--protocol " + protocol : "--assignment slots",
                        places == 1 ? "" : " --places " + places,
                        rate,
                        mutant == Mutant.NONE ? "" : " --mutant " + mutant,
                        only().map(" --only "::concat).orElse(""));
    }

    private String minutes() {
        double minutes = faults.toMillis() / 60_000.0;
        return minutes == Math.rint(minutes) ? Long.toString((long) minutes) : "" + minutes;
    }

    private Optional<String> only() {
        return kinds.equals(FaultKind.all(slots > 0))
                ? Optional.empty()
                : Optional.of(
                        String.join(",", kinds.stream().map(FaultKind::name).sorted().toList()));
    }
}
