package dev.envelope.idempotency.output;

import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import java.time.Duration;
import java.util.Optional;

/**
 * What a relay says of its outputs, for people and probes.
 *
 * @param waiting what waits in all processes, counted up to the limit
 * @param sent how many outputs this process has sent
 * @param batches in how many batches
 * @param refused how often Kafka has refused an output of this process
 * @param doubtful batches of which nobody can say whether they had been sent; they were sent again
 * @param trouble why outputs wait, in one line; empty if no reason is known
 * @param isFull whether keys that may emit have to wait
 */
public record OutputStatus(
        Waiting waiting,
        long sent,
        long batches,
        long refused,
        long doubtful,
        String trouble,
        boolean isFull) {

    /** Outputs that wait for longer are worth telling. */
    private static final Duration USUAL = Duration.ofMinutes(1);

    private static final String FULL =
            "; keys whose handler may emit wait, as outbox.max.rows or outbox.max.bytes is reached";

    /** Nothing was sent yet, and nothing waits. */
    public static final OutputStatus NOTHING =
            new OutputStatus(Waiting.NOTHING, 0, 0, 0, 0, "", false);

    /** Of several relays as one. */
    public OutputStatus and(OutputStatus other) {
        Waiting its = other.waiting;
        return new OutputStatus(
                new Waiting(
                        waiting.outputs() + its.outputs(),
                        waiting.bytes() + its.bytes(),
                        waiting.oldest().compareTo(its.oldest()) > 0
                                ? waiting.oldest()
                                : its.oldest()),
                sent + other.sent,
                batches + other.batches,
                refused + other.refused,
                doubtful + other.doubtful,
                trouble.isEmpty() ? other.trouble : trouble,
                isFull || other.isFull);
    }

    OutputStatus measured(Waiting now, boolean full) {
        return new OutputStatus(now, sent, batches, refused, doubtful, trouble, full);
    }

    OutputStatus sent(int outputs) {
        return new OutputStatus(
                waiting, sent + outputs, batches + 1, refused, doubtful, trouble, isFull);
    }

    OutputStatus refused(int outputs) {
        return new OutputStatus(
                waiting, sent, batches, refused + outputs, doubtful, trouble, isFull);
    }

    OutputStatus doubtful(long batchesInDoubt) {
        return new OutputStatus(waiting, sent, batches, refused, batchesInDoubt, trouble, isFull);
    }

    OutputStatus trouble(String why) {
        return new OutputStatus(waiting, sent, batches, refused, doubtful, why, isFull);
    }

    /** Why outputs wait, how many, and what to do; empty if they are sent as they should be. */
    public Optional<String> sentence() {
        boolean isLate = waiting.oldest().compareTo(USUAL) > 0;
        if (waiting.outputs() == 0 || (trouble.isEmpty() && !isFull && !isLate)) {
            return Optional.empty();
        }
        String why = trouble.isEmpty() ? "the process that has saved them says why" : trouble;
        return Optional.of(
                "outputs can't be sent: %s (%s)%s. See: envelope outputs"
                        .formatted(why, inWords(), isFull ? FULL : ""));
    }

    /** What waits, in words. */
    String inWords() {
        return waiting.outputs()
                + " outputs wait, the first for "
                + waiting.oldest().toSeconds()
                + " s";
    }
}
