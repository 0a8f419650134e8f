package dev.envelope.app.start;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that the settings fit the rows, once both servers are ready and the tables exist.
 *
 * @param mismatches the pins that the settings do not fit, a line each with its remedy
 * @param isUnused whether nothing was ever read into the tables
 * @param sharing the topics that share rows, with the numbers of their partitions
 */
public record PinCheck(
        Supplier<List<String>> mismatches,
        BooleanSupplier isUnused,
        Supplier<Map<String, Integer>> sharing)
        implements DatabaseCheck {

    private static final Logger log = LoggerFactory.getLogger("envelope");

    @Override
    public Verdict ask() {
        Map<String, Integer> topics = new TreeMap<>(sharing.get());
        boolean isUneven = topics.values().stream().distinct().count() > 1;
        if (isUneven && isUnused.getAsBoolean()) {
            return new Verdict.Refused(
                    List.of(
                            uneven(topics)
                                    + ": give them as many, or have them not share rows with"
                                    + " key.scope=topic"));
        }
        Verdict verdict = Verdict.refusing(mismatches.get());
        if (isUneven && verdict instanceof Verdict.Ready) {
            log.warn("{}; this is correct, but slower than it could be", uneven(topics));
        }
        return verdict;
    }

    private static String uneven(Map<String, Integer> topics) {
        return "topics that share rows have different numbers of partitions ("
                + topics.entrySet().stream()
                        .map(topic -> topic.getKey() + " " + topic.getValue())
                        .collect(Collectors.joining(", "))
                + "), so that several processes write the row of a key";
    }
}
