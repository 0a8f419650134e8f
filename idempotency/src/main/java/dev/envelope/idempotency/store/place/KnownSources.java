package dev.envelope.idempotency.store.place;

import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.row.RowReads.Log;
import dev.envelope.idempotency.store.row.RowReads.Progress;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The sources, for callers outside: those that feed a slot, as the slot has them, and all as their
 * home had them a moment ago. So nobody who is answered waits for home.
 *
 * <p>Threads: thread-safe (what was learnt is one volatile reference); one thread learns.
 */
public final class KnownSources {

    private final Places places;
    private final FedSlots fed;
    private final Reachable reachable;
    private volatile AtHome learnt = new AtHome(List.of());

    /**
     * Sources.
     *
     * @param lacking the place that has to be asked for all, since these are only some, and don't
     *     tell when their partitions came; empty if they are all
     */
    public record Known(List<Source> sources, String lacking) {}

    KnownSources(Places places, FedSlots fed, Reachable reachable) {
        this.places = places;
        this.fed = fed;
        this.reachable = reachable;
    }

    /** What home said of all sources at one moment. */
    record AtHome(List<Source> sources) {

        /** How far a log was durable in all slots; empty if home did not know it. */
        Optional<Progress> progress(Log log) {
            return sources.stream()
                    .filter(it -> it.topicId().equals(log.topicId()))
                    .filter(it -> it.partition().partition() == log.partition())
                    .max(Comparator.comparingInt(Source::generation))
                    .map(it -> new Progress(it.number(), it.checkpoint().offset(), isFormer(it)));
        }

        private boolean isFormer(Source source) {
            return sources.stream()
                    .filter(it -> it.partition().equals(source.partition()))
                    .filter(it -> !it.topicId().equals(source.topicId()))
                    .anyMatch(it -> it.number() > source.number());
        }
    }

    /**
     * Asks home. Which slots a source feeds is read behind its checkpoint: whatever slot has
     * something below that is among them.
     */
    void learn(Set<String> topics) {
        learnt =
                places.ask(
                        Places.HOME,
                        reachable,
                        () -> {
                            List<Source> all =
                                    places.checkpoints(Places.HOME).read(topics).sources();
                            fed.read();
                            return new AtHome(all);
                        });
    }

    /** What was learnt last. */
    AtHome learnt() {
        return learnt;
    }

    /** Whether a source feeds a slot, as far as was learnt. */
    boolean feeds(int source, int slot) {
        return fed.has(source, slot);
    }

    /** The sources of these topics, as far as they are known in a slot. */
    Known in(int slot, Set<String> topics) {
        Map<Integer, Source> all = new HashMap<>();
        places.ask(slot, reachable, () -> places.checkpoints(slot).read(topics).sources())
                .forEach(it -> all.put(it.number(), it));
        if (slot == Places.HOME) {
            return new Known(List.copyOf(all.values()), "");
        }
        Map<Integer, Source> ofHome =
                learnt.sources().stream().collect(Collectors.toMap(Source::number, it -> it));
        boolean areAll = ofHome.keySet().containsAll(all.keySet());
        all.putAll(ofHome);
        return new Known(
                List.copyOf(all.values()),
                areAll ? "" : places.nameOf(places.placeOf(Places.HOME)));
    }
}
