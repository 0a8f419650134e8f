package dev.envelope.app.ops;

import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.OutputCatalog.Done;
import dev.envelope.idempotency.store.operator.OutputCatalog.Refused;
import dev.envelope.idempotency.store.operator.OutputCatalog.Topic;
import dev.envelope.idempotency.store.operator.OutputCatalog.Waiting;
import java.util.List;

/**
 * The document of outputs that wait.
 *
 * @param tended whether a process that sends outputs was seen in the last seconds
 * @param more whether there are further refused ones
 */
public record OutputsDocument(
        List<Topic> topics, boolean tended, List<Refused> refused, boolean more) {

    /** Saves that are counted at most; outbox.max.rows is seldom more. */
    private static final int MOST_SAVES = 100_000;

    /**
     * The document of what waits now.
     *
     * @param after the refused ones behind this position
     * @param most of them
     */
    public static OutputsDocument of(OutputCatalog catalog, long after, int most) {
        Waiting waiting = catalog.waiting(MOST_SAVES);
        List<Refused> refused = catalog.refused(after, most + 1);
        boolean isMore = refused.size() > most;
        return new OutputsDocument(
                waiting.topics(),
                waiting.isTended(),
                isMore ? refused.subList(0, most) : refused,
                isMore);
    }

    /** What became of a decision, in words. */
    public static String inWords(Done done) {
        if (done.underWay() > 0) {
            return "%,d outputs done; %,d are in a batch that is being sent: try again"
                    .formatted(done.outputs(), done.underWay());
        }
        return done.outputs() > 0
                ? "%,d outputs done".formatted(done.outputs())
                : "nothing refused is there: envelope outputs, GET /api/outputs";
    }
}
