package dev.envelope.integration.bench;

import java.util.Optional;

/** Something that the results should show. */
interface Goal {

    /**
     * What they do show.
     *
     * @param against whom or what it is compared with
     */
    record Answer(
            String workload, String against, String wanted, String measured, boolean isReached) {}

    /** Empty if it was not asked. */
    Optional<Answer> answer(Results results);
}
