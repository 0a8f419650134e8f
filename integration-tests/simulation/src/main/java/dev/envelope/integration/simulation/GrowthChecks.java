package dev.envelope.integration.simulation;

import dev.envelope.core.offset.Checkpoints.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What must hold while partitions are added: what a key was sent before to an older partition is
 * applied before what it was sent later to one that was added (design 9).
 *
 * <p>Threads: one thread.
 */
final class GrowthChecks {

    private final World world;

    GrowthChecks(World world) {
        this.world = world;
    }

    private record Applied(SimRecord record, Source source) {

        /**
         * Whether that one comes behind this one, though it should have been the first. A
         * repetition has the number of its event, and was sent later than that.
         */
        boolean overtakes(Applied later) {
            return later.record.number() < record.number()
                    && later.record.repeats() == null
                    && later.source.growth().round() < source.growth().round()
                    && later.source.topicId().equals(source.topicId());
        }
    }

    /** What a row has applied, in this order. */
    void applied(String row, List<String> places) {
        List<Source> sources = world.database().sources();
        if (sources.stream().noneMatch(it -> it.growth().round() > 0)) {
            return;
        }
        List<Applied> all = new ArrayList<>();
        for (String place : places) {
            find(sources, place).ifPresent(all::add);
        }
        for (int i = 0; i < all.size(); i++) {
            for (int j = i + 1; j < all.size(); j++) {
                boolean isMissed = world.losses().mayMiss(all.get(j).record().place());
                if (!isMissed && all.get(i).overtakes(all.get(j))) {
                    world.checks()
                            .fail("reorder", row + ": " + all.get(i) + " overtakes " + all.get(j));
                }
            }
        }
    }

    private Optional<Applied> find(List<Source> sources, String place) {
        for (Source source : sources) {
            SimPartition log = world.log().of(source.partition(), source.topicId());
            if (log.has(place)) {
                SimRecord record = log.at(place);
                return record.isFiring()
                        ? Optional.empty() // it goes to where its key was
                        : Optional.of(new Applied(record, source));
            }
        }
        return Optional.empty();
    }
}
