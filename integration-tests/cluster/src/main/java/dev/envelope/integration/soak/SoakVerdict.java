package dev.envelope.integration.soak;

import java.util.List;
import java.util.stream.Stream;

/**
 * What a run has shown.
 *
 * <p>Threads: immutable.
 *
 * @param promises what had to hold
 * @param conditions what had to happen, or the run proves nothing
 */
record SoakVerdict(List<Check> promises, List<Check> conditions) {

    /** In a word; its exit code tells the same. */
    enum Word {
        GREEN(0),
        RED(1),
        /** Nothing was found, and nothing could have been. */
        INVALID(2);

        private final int exitCode;

        Word(int exitCode) {
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    SoakVerdict {
        promises = List.copyOf(promises);
        conditions = List.copyOf(conditions);
    }

    Word word() {
        if (!promises.stream().allMatch(Check::passed)) {
            return Word.RED;
        }
        return conditions.stream().allMatch(Check::passed) ? Word.GREEN : Word.INVALID;
    }

    /** The lines that did not pass. */
    List<Check> failed() {
        return Stream.concat(promises.stream(), conditions.stream())
                .filter(check -> !check.passed())
                .toList();
    }
}
