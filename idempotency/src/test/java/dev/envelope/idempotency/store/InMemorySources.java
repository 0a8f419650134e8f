package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.SourceCopies.Copy;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.table.TableRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a database in memory: how far each was applied, and what of it was left out.
 *
 * <p>Threads: guarded by the database.
 */
final class InMemorySources {

    private final List<Source> sources;
    private final Map<SkippedId, Skip> skipped;
    private final Map<Integer, Uuid> firstTopicIds; // of sources adopted since
    private final Map<Integer, SortedSet<Integer>> fed; // slots by source, where they are numbered
    private int lastNumber;

    /** A record of a source. */
    record RecordId(int source, long offset, int leaderEpoch) {

        static RecordId of(Message message) {
            return new RecordId(message.epoch().source(), message.offset(), message.leaderEpoch());
        }
    }

    private record SkippedId(int source, long first) {}

    InMemorySources() {
        sources = new ArrayList<>();
        skipped = new LinkedHashMap<>();
        firstTopicIds = new HashMap<>();
        fed = new HashMap<>();
    }

    /** A copy. */
    InMemorySources(InMemorySources other) {
        sources = new ArrayList<>(other.sources);
        skipped = new LinkedHashMap<>(other.skipped);
        firstTopicIds = new HashMap<>(other.firstTopicIds);
        fed = other.fed();
        lastNumber = other.lastNumber;
    }

    /** In the order of their numbers. */
    List<Source> all() {
        return List.copyOf(sources);
    }

    /** Whether all of these are at or below the checkpoint of their source. */
    boolean areBelowCheckpoints(Marks marks) {
        boolean[] isBelow = {true};
        marks.forEach(
                (source, next) ->
                        isBelow[0] &=
                                sources.stream()
                                        .filter(it -> it.number() == source)
                                        .anyMatch(it -> next.offset() <= it.checkpoint().offset()));
        return isBelow[0];
    }

    /** The checkpoint of a source; the beginning of one that is not known. */
    NextOffset checkpoint(int source) {
        return sources.stream()
                .filter(it -> it.number() == source)
                .map(Source::checkpoint)
                .findFirst()
                .orElse(new NextOffset(0, NextOffset.NO_EPOCH));
    }

    /** Whether the checkpoint of its source is behind it. */
    boolean isPassed(RecordId id) {
        return sources.stream()
                .filter(it -> it.number() == id.source())
                .map(Source::checkpoint)
                .filter(it -> it.offset() > id.offset())
                .anyMatch(it -> it.leaderEpoch() < 0 || it.leaderEpoch() >= id.leaderEpoch());
    }

    /** Where a record that is put out comes from; a row is named by its id. */
    Origin origin(Message message, int ordinal) {
        int number = message.epoch().source();
        Optional<Source> source = sources.stream().filter(it -> it.number() == number).findFirst();
        Uuid present = source.map(Source::topicId).orElse(Uuid.ZERO_UUID);
        return new Origin(
                firstTopicIds.getOrDefault(number, present),
                source.map(Source::generation).orElse(0),
                message.partition(),
                TableRow.placeOf(message),
                message.leaderEpoch(),
                ordinal);
    }

    /** The sources that had the same partition's name in another life of the topic. */
    Set<Integer> ofOtherTopics(int number) {
        Optional<Source> own = sources.stream().filter(it -> it.number() == number).findFirst();
        return sources.stream()
                .filter(it -> own.isPresent() && own.get().partition().equals(it.partition()))
                .filter(it -> !firstTopicId(it).equals(firstTopicId(own.orElseThrow())))
                .map(Source::number)
                .collect(Collectors.toSet());
    }

    private Uuid firstTopicId(Source source) {
        return firstTopicIds.getOrDefault(source.number(), source.topicId());
    }

    void introduce(Collection<NewSource> added) {
        List<Source> before = all();
        added.stream()
                .sorted(Comparator.comparingInt(source -> source.partition().partition()))
                .filter(source -> before.stream().noneMatch(it -> isOfOther(it, source)))
                .filter(source -> sources.stream().noneMatch(known -> isSame(known, source)))
                .forEach(
                        source ->
                                sources.add(
                                        new Source(
                                                ++lastNumber,
                                                source.partition(),
                                                source.topicId(),
                                                source.generation(),
                                                source.start(),
                                                source.start(),
                                                new Growth(
                                                        source.growth(),
                                                        source.growth() == 0
                                                                || isFormerSettled(source),
                                                        Duration.ZERO))));
    }

    /** Whether the topic has got an id since that its finder did not know of. */
    private static boolean isOfOther(Source known, NewSource source) {
        return known.partition().topic().equals(source.partition().topic())
                && !known.topicId().equals(source.topicId())
                && !source.beside().contains(known.topicId());
    }

    private boolean isFormerSettled(NewSource source) {
        return sources.stream()
                .filter(it -> it.partition().equals(source.partition()))
                .filter(it -> it.topicId().equals(source.topicId()))
                .filter(it -> it.generation() == source.generation() - 1)
                .anyMatch(it -> it.growth().settled());
    }

    /** The slots that sources feed, by the number of the source. */
    Map<Integer, SortedSet<Integer>> fed() {
        Map<Integer, SortedSet<Integer>> copy = new HashMap<>();
        fed.forEach((source, slots) -> copy.put(source, new TreeSet<>(slots)));
        return copy;
    }

    void feeds(int source, int slot) {
        fed.computeIfAbsent(source, it -> new TreeSet<>()).add(slot);
    }

    List<Copy> copies() {
        return sources.stream()
                .sorted(Comparator.comparingInt(Source::number))
                .map(this::copy)
                .toList();
    }

    private Copy copy(Source it) {
        @Nullable Uuid first = firstTopicIds.get(it.number());
        return new Copy(
                it.number(),
                it.partition(),
                uuid(it.topicId()),
                first == null ? null : uuid(first),
                it.generation(),
                it.start(),
                it.growth().round(),
                it.growth().settled());
    }

    private static UUID uuid(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    private static Uuid uuid(UUID id) {
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /**
     * Takes over a source that has its number elsewhere.
     *
     * @return false if there is another one under the number, or it has another number
     */
    boolean take(Copy source, NextOffset checkpoint) {
        for (Source known : sources) {
            boolean isSame =
                    known.topicId().equals(uuid(source.topicId()))
                            && known.partition().partition() == source.partition().partition()
                            && known.generation() == source.generation();
            if (known.number() == source.number() || isSame) {
                return known.number() == source.number() && isSame;
            }
        }
        if (source.firstTopicId() != null) {
            firstTopicIds.put(source.number(), uuid(source.firstTopicId()));
        }
        return sources.add(
                new Source(
                        source.number(),
                        source.partition(),
                        uuid(source.topicId()),
                        source.generation(),
                        source.start(),
                        checkpoint,
                        new Growth(
                                source.growth(),
                                source.growth() == 0 || source.settled(),
                                Duration.ZERO)));
    }

    void giveNoNumberUpTo(int number) {
        lastNumber = Math.max(lastNumber, number);
    }

    void skip(int source, List<Skip> left) {
        left.forEach(
                it ->
                        skipped.merge(
                                new SkippedId(source, it.first()),
                                it,
                                (known, later) -> later.next() > known.next() ? later : known));
    }

    /** What was left out for good: number of the source, first offset, last offset, cause. */
    List<String> skipped() {
        return skipped.entrySet().stream()
                .map(
                        it ->
                                "%d %d %d %s"
                                        .formatted(
                                                it.getKey().source(),
                                                it.getValue().first(),
                                                it.getValue().next() - 1,
                                                it.getValue()
                                                        .cause()
                                                        .name()
                                                        .toLowerCase(Locale.ROOT)))
                .toList();
    }

    void adopt(String topic, Uuid former, Uuid present) {
        sources.stream()
                .filter(it -> it.partition().topic().equals(topic))
                .filter(it -> it.topicId().equals(former))
                .forEach(it -> firstTopicIds.putIfAbsent(it.number(), former));
        sources.replaceAll(
                it ->
                        it.partition().topic().equals(topic) && it.topicId().equals(former)
                                ? with(it, present, withoutEpoch(it.checkpoint()), it.growth())
                                : it);
    }

    /** Leader epochs count anew in another cluster. */
    private static NextOffset withoutEpoch(NextOffset next) {
        return new NextOffset(next.offset(), NextOffset.NO_EPOCH);
    }

    void settle(int source) {
        sources.replaceAll(
                it ->
                        it.number() == source
                                ? with(
                                        it,
                                        it.topicId(),
                                        it.checkpoint(),
                                        new Growth(it.growth().round(), true, it.growth().age()))
                                : it);
    }

    private static Source with(Source it, Uuid topicId, NextOffset checkpoint, Growth growth) {
        return new Source(
                it.number(),
                it.partition(),
                topicId,
                it.generation(),
                it.start(),
                checkpoint,
                growth);
    }

    private static boolean isSame(Source known, NewSource source) {
        return known.topicId().equals(source.topicId())
                && known.generation() == source.generation()
                && known.partition().partition() == source.partition().partition();
    }

    void raise(Map<Integer, NextOffset> nextBySource) {
        Set<Integer> unknown = new TreeSet<>(nextBySource.keySet());
        sources.forEach(it -> unknown.remove(it.number()));
        if (!unknown.isEmpty()) {
            throw new RefusedException("the database no longer knows the sources " + unknown);
        }
        sources.replaceAll(
                source -> {
                    NextOffset next = nextBySource.get(source.number());
                    return next == null || !isHigher(next, source.checkpoint())
                            ? source
                            : with(source, source.topicId(), next, source.growth());
                });
    }

    private static boolean isHigher(NextOffset next, NextOffset than) {
        return next.offset() > than.offset()
                || (next.offset() == than.offset() && next.leaderEpoch() > than.leaderEpoch());
    }
}
