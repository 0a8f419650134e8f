package dev.envelope.idempotency.store.place.operator;

import dev.envelope.idempotency.store.operator.OutputCatalog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The outputs of all slots. Their positions are distinct among all slots. */
record DividedOutputs(Catalogs<OutputCatalog> slots) implements OutputCatalog {

    @Override
    public Waiting waiting(int mostSaves) {
        Map<String, Topic> topics = new TreeMap<>();
        boolean isTended = true;
        for (OutputCatalog slot : slots.all()) {
            Waiting its = slot.waiting(mostSaves);
            its.topics().forEach(it -> topics.merge(it.topic(), it, DividedOutputs::sum));
            isTended &= its.isTended() || its.topics().isEmpty();
        }
        return new Waiting(new ArrayList<>(topics.values()), isTended);
    }

    private static Topic sum(Topic one, Topic other) {
        Instant first = one.since().isBefore(other.since()) ? one.since() : other.since();
        return new Topic(
                one.topic(),
                one.outputs() + other.outputs(),
                one.refused() + other.refused(),
                first);
    }

    @Override
    public List<Refused> refused(long after, int most) {
        return slots.slots()
                .boxed()
                .flatMap(
                        slot ->
                                slots.at(slot).refused(SlotNumber.upTo(after, slot), most).stream()
                                        .map(it -> numbered(it, slot)))
                .sorted(Comparator.comparingLong(Refused::position))
                .limit(most)
                .toList();
    }

    private static Refused numbered(Refused refused, int slot) {
        return new Refused(
                SlotNumber.of(refused.position(), slot),
                refused.topic(),
                refused.key(),
                refused.message(),
                refused.why(),
                refused.since(),
                refused.tries());
    }

    @Override
    public Done retry(@Nullable Long position, String who) {
        if (position != null) {
            return slots.at(SlotNumber.slot(position)).retry(SlotNumber.ofSlot(position), who);
        }
        List<Done> all = slots.all().stream().map(slot -> slot.retry(null, who)).toList();
        return new Done(
                all.stream().mapToLong(Done::outputs).sum(),
                all.stream().mapToLong(Done::underWay).sum());
    }

    @Override
    public Done drop(long position, String who) {
        return slots.at(SlotNumber.slot(position)).drop(SlotNumber.ofSlot(position), who);
    }

    @Override
    public void close() {
        slots.close();
    }
}
