package dev.envelope.integration.demo.payments;

import dev.envelope.integration.demo.group.Member;
import java.util.List;
import java.util.Optional;

/**
 * How the demo stands now.
 *
 * <p>Threads: immutable.
 *
 * @param rate payments a second that are usual
 * @param resting whether nothing is sent, so that rows can be compared
 * @param slowSeconds for how long the database will go on being slow
 * @param frozen what a poison message holds back, while something is parked
 * @param proof the last comparison
 */
record Moment(
        int rate,
        boolean resting,
        Second second,
        List<Member> members,
        long slowSeconds,
        Optional<Frozen> frozen,
        Optional<Comparison> proof) {

    /** A key that has a poison message, with the command that ends it. */
    record Frozen(String key, int messages, String skip) {}

    long waiting() {
        return members.stream().mapToLong(Member::lag).sum();
    }

    long oldestUnackedMillis() {
        return members.stream().mapToLong(Member::oldestUnackedMillis).max().orElse(0);
    }
}
