package dev.envelope.core.guard;

import dev.envelope.core.api.Environment.Ticker;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.Positioning;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The search for the partition that makes polls fail, when the client does not say which. One after
 * the other is held back until the failures cease; then they are let go again in the reverse order
 * until the failures come back. The one that was let go last is at fault: without it they ended,
 * with it they came back. The others are only delayed a little.
 *
 * <p>Threads: poll thread only.
 */
final class Suspects {

    private static final Logger log = LoggerFactory.getLogger(Suspects.class);

    /** So many failures of a kind, with no quiet between them, begin a search. */
    private static final int FAILURES = 3;

    /** It is quiet after so many polls without a failure, and so long a time. */
    private static final int QUIET_POLLS = 3;

    private static final long QUIET_NANOS = Duration.ofSeconds(1).toNanos();

    /** After a search that found nobody. */
    private static final long REST_NANOS = Duration.ofSeconds(30).toNanos();

    private static final Calm CALM = new Calm(0, "");

    /** How far a search has come. */
    private sealed interface Stage {}

    /** Nobody is suspected; what failed was of this kind. */
    private record Calm(int failures, String kind) implements Stage {}

    /** The first so many of these are held back, and polls have failed so far. */
    private record Holding(List<AssignedPartition> order, int held) implements Stage {}

    /** The first so many of these are held back, it has been quiet, and the next was let go. */
    private record LettingGo(List<AssignedPartition> order, int held) implements Stage {

        AssignedPartition suspect() {
            return order.get(held);
        }
    }

    /** It is no partition's fault. */
    private record Resting(long until) implements Stage {}

    private final Assigned assignment;
    private final Positioning positioning;
    private final Ticker ticker;
    private Stage stage = CALM;
    private long quietSince;
    private int quietPolls;

    Suspects(Assigned assignment, Positioning positioning, Ticker ticker) {
        this.assignment = assignment;
        this.positioning = positioning;
        this.ticker = ticker;
    }

    /** Whether this partition is not to be fetched for the sake of the search. */
    boolean holdBack(AssignedPartition partition) {
        return heldBack().contains(partition);
    }

    boolean isSearching() {
        return stage instanceof Holding || stage instanceof LettingGo;
    }

    /** A poll did not fail. */
    void passed() {
        if (stage.equals(CALM)) {
            return;
        }
        quietPolls++;
        boolean isQuiet =
                quietPolls >= QUIET_POLLS && ticker.nanoTime() - quietSince >= QUIET_NANOS;
        if (hasChanged()) {
            end();
        } else if (isQuiet) {
            quiet();
        }
    }

    /** A poll failed with something that passes: it proves nothing. */
    void disturbed() {
        listenAnew();
    }

    /**
     * A poll failed with something that may be a partition's fault.
     *
     * @return the partition, once that is certain
     */
    Optional<AssignedPartition> failed(KafkaException failure) {
        listenAnew();
        if (hasChanged()) {
            end();
        }
        if (stage instanceof Calm calm) {
            count(calm, failure);
        } else if (stage instanceof Holding holding) {
            holdNext(holding);
        } else if (stage instanceof LettingGo lettingGo) {
            end();
            return Optional.of(lettingGo.suspect());
        } else if (stage instanceof Resting resting && ticker.nanoTime() >= resting.until()) {
            end();
        }
        return Optional.empty();
    }

    private void count(Calm calm, KafkaException failure) {
        String kind = failure.getClass().getName();
        int failures = kind.equals(calm.kind()) ? calm.failures() + 1 : 1;
        stage = new Calm(failures, kind);
        if (failures >= FAILURES) {
            log.warn(
                    "polling has failed {} times and the client does not say for which partition:"
                            + " holding them back in turn to find it",
                    failures);
            String text = String.valueOf(failure.getMessage());
            holdNext(new Holding(flowing(text), 0));
        }
    }

    /** Those that the text seems to name come first: mostly they are the ones. */
    private List<AssignedPartition> flowing(String text) {
        return assignment.all().stream()
                .filter(this::isOpen)
                .sorted(
                        Comparator.comparing(
                                        (AssignedPartition it) ->
                                                !text.contains(it.partition().toString()))
                                .thenComparing(it -> it.partition().toString()))
                .toList();
    }

    private void holdNext(Holding holding) {
        int held = holding.held();
        if (held == holding.order().size()) {
            log.warn("polling fails with every partition held back: it is none of theirs");
            end();
            stage = new Resting(ticker.nanoTime() + REST_NANOS);
        } else {
            positioning.setAside(holding.order().get(held));
            stage = new Holding(holding.order(), held + 1);
        }
    }

    private void quiet() {
        listenAnew();
        if (stage instanceof Holding holding) {
            letGo(holding.order(), holding.held() - 1);
        } else if (stage instanceof LettingGo lettingGo && lettingGo.held() > 0) {
            letGo(lettingGo.order(), lettingGo.held() - 1);
        } else {
            if (isSearching()) {
                log.info("polling does not fail any more, with all partitions");
            }
            end();
        }
    }

    private void letGo(List<AssignedPartition> order, int held) {
        positioning.takeBack(order.get(held));
        stage = new LettingGo(order, held);
    }

    /** One of them has been taken away, or is looked for anew: the search proves nothing. */
    private boolean hasChanged() {
        return !inSearch().stream().allMatch(this::isOpen);
    }

    /** Those that the search is about: held back, let go on trial, or still to be held back. */
    private List<AssignedPartition> inSearch() {
        if (stage instanceof Holding holding) {
            return holding.order();
        } else if (stage instanceof LettingGo lettingGo) {
            return lettingGo.order().subList(0, lettingGo.held() + 1);
        }
        return List.of();
    }

    private boolean isOpen(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Flowing;
    }

    private void end() {
        heldBack().stream().filter(this::isOpen).forEach(positioning::takeBack);
        stage = CALM;
    }

    private List<AssignedPartition> heldBack() {
        if (stage instanceof Holding holding) {
            return holding.order().subList(0, holding.held());
        } else if (stage instanceof LettingGo lettingGo) {
            return lettingGo.order().subList(0, lettingGo.held());
        }
        return List.of();
    }

    private void listenAnew() {
        quietPolls = 0;
        quietSince = ticker.nanoTime();
    }
}
