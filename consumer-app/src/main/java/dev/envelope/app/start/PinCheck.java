package dev.envelope.app.start;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the settings fit what is in the rows; looked at when both servers serve and the tables
 * are there.
 *
 * <p>Threads: one look at a time.
 */
public final class PinCheck implements ServerCheck {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    private final Supplier<List<String>> mismatches;
    private final BooleanSupplier isUnused;
    private final Supplier<Map<String, Integer>> sharing;

    /**
     * A check of both servers' answers.
     *
     * @param mismatches what the settings do not fit, a line each with what mends it
     * @param isUnused whether nothing was ever read into the tables
     * @param sharing the topics that share rows, with the numbers of their partitions
     */
    public PinCheck(
            Supplier<List<String>> mismatches,
            BooleanSupplier isUnused,
            Supplier<Map<String, Integer>> sharing) {
        this.mismatches = mismatches;
        this.isUnused = isUnused;
        this.sharing = sharing;
    }

    @Override
    public String name() {
        return "the database";
    }

    @Override
    public Verdict look() {
        Map<String, Integer> topics = new TreeMap<>(sharing.get());
        boolean isUneven = topics.values().stream().distinct().count() > 1;
        try {
            if (isUneven && isUnused.getAsBoolean()) {
                return new Verdict.Refused(
                        List.of(
                                uneven(topics)
                                        + ": give them as many, or have them not share rows with"
                                        + " key.scope=topic"));
            }
            List<String> found = mismatches.get();
            if (!found.isEmpty()) {
                return new Verdict.Refused(found);
            }
        } catch (RefusedException e) {
            return new Verdict.Refused(List.of(String.valueOf(e.getMessage())));
        } catch (UnavailableException e) {
            return new Verdict.Waiting(String.valueOf(e.getMessage()));
        }
        if (isUneven) {
            log.warn("{}; that is right, but slower than it could be", uneven(topics));
        }
        return new Verdict.Ready();
    }

    private static String uneven(Map<String, Integer> topics) {
        return "topics that share rows have different numbers of partitions ("
                + topics.entrySet().stream()
                        .map(topic -> topic.getKey() + " " + topic.getValue())
                        .collect(Collectors.joining(", "))
                + "), so that several processes write the row of a key";
    }
}
