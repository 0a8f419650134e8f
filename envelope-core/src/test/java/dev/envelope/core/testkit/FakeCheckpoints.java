package dev.envelope.core.testkit;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Sources and checkpoints in memory, in one life after the other.
 *
 * <p>Threads: one thread.
 */
public final class FakeCheckpoints implements Checkpoints {

    private final Map<Integer, Source> sources = new HashMap<>();
    private final Map<Integer, Set<Skip>> skips = new HashMap<>();
    private final List<Map<Integer, NextOffset>> saves = new ArrayList<>();
    private Incarnation incarnation = new Incarnation("life-1");
    private @Nullable RuntimeException failure;
    private @Nullable Error error;
    private @Nullable Incarnation lifeAfterRead;
    private @Nullable Incarnation away;
    private boolean skipsFail;
    private boolean pausesFail;
    private int sourcesMade;
    private int calls;
    private final Map<Integer, String> stopped = new HashMap<>();
    private final List<Pauses.Pause> pauses = new ArrayList<>();

    /** From now on every call fails with this; null for success. */
    public void failWith(@Nullable RuntimeException with) {
        failure = with;
    }

    /** From now on every call breaks off. */
    public void failWithError(Error with) {
        error = with;
    }

    /** From now on it can't be reached. */
    public void unavailable(String reason) {
        failWith(new UnavailableException(reason));
    }

    /** The server was restarted, or another has taken over. */
    public void beginLife(String life) {
        incarnation = new Incarnation(life);
    }

    /**
     * What is of the present life can't be saved, since one of several databases is away. Another
     * one that had not answered before does so now: that is another life.
     */
    public void beginLifeWhileOneIsAway(String life) {
        away = incarnation;
        beginLife(life);
    }

    /** The same, between what is read next and whatever is asked then. */
    public void beginLifeAfterRead(String life) {
        lifeAfterRead = new Incarnation(life);
    }

    /** What a fail-over has lost: the checkpoint is back where it was. */
    public void goBack(TopicPartition partition, NextOffset to) {
        sources.replaceAll(
                (number, it) -> it.partition().equals(partition) ? withCheckpoint(it, to) : it);
    }

    /** Somebody has worked on in it. */
    public void raise(TopicPartition partition, long to) {
        goBack(partition, new NextOffset(to, 0));
    }

    /** Records a source as if it had always been there. */
    public Source add(
            TopicPartition partition, Uuid topicId, int generation, NextOffset checkpoint) {
        return add(partition, topicId, generation, checkpoint, checkpoint, Growth.NONE);
    }

    /** The same, where reading has come further than its start. */
    public Source add(
            TopicPartition partition,
            Uuid topicId,
            int generation,
            NextOffset start,
            NextOffset checkpoint) {
        return add(partition, topicId, generation, start, checkpoint, Growth.NONE);
    }

    private Source add(
            TopicPartition partition,
            Uuid topicId,
            int generation,
            NextOffset start,
            NextOffset checkpoint,
            Growth growth) {
        int number = ++sourcesMade;
        Source source =
                new Source(number, partition, topicId, generation, start, checkpoint, growth);
        sources.put(number, source);
        return source;
    }

    /** Sources were introduced so long ago. */
    public void growOlder(Duration by) {
        sources.replaceAll(
                (number, it) ->
                        with(
                                it,
                                it.topicId(),
                                it.checkpoint(),
                                new Growth(
                                        it.growth().round(),
                                        it.growth().settled(),
                                        it.growth().age().plus(by))));
    }

    @Override
    public void settle(int source) {
        mayFail();
        sources.computeIfPresent(
                source,
                (number, it) ->
                        with(
                                it,
                                it.topicId(),
                                it.checkpoint(),
                                new Growth(it.growth().round(), true, it.growth().age())));
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

    /** The only source of a partition. */
    public Source source(TopicPartition partition) {
        return sources.values().stream()
                .filter(it -> it.partition().equals(partition))
                .findAny()
                .orElseThrow();
    }

    /** The checkpoint of a partition, or -1 where it has no source. */
    public long checkpoint(TopicPartition partition) {
        return sources.values().stream()
                .filter(it -> it.partition().equals(partition))
                .mapToLong(it -> it.checkpoint().offset())
                .findAny()
                .orElse(-1);
    }

    /** What was saved, call by call. */
    public List<Map<Integer, NextOffset>> saves() {
        return saves;
    }

    /** How often it was called, be it in vain. */
    public int calls() {
        return calls;
    }

    private void mayFail() {
        calls++;
        if (error != null) {
            throw error;
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public Bearings read(Set<String> topics) {
        mayFail();
        Incarnation of = incarnation;
        if (lifeAfterRead != null) {
            incarnation = lifeAfterRead;
            lifeAfterRead = null;
        }
        return new Bearings(
                of,
                sources.values().stream()
                        .filter(it -> topics.contains(it.partition().topic()))
                        .toList());
    }

    /** Records that a source stays stopped. */
    public void stop(int source, String why) {
        stopped.put(source, why);
    }

    /** An operator holds something back until it is resumed. */
    public void pause(Pauses.Kind kind, String name) {
        pause(kind, name, null);
    }

    /** An operator holds something back, and the database says until when. */
    public void pause(Pauses.Kind kind, String name, @Nullable Instant until) {
        pauses.add(new Pauses.Pause(kind, name, "me", Instant.EPOCH, until));
    }

    /** An operator lets everything of that name go on. */
    public void resume(String name) {
        pauses.removeIf(pause -> pause.name().equals(name));
    }

    /** Whether what is held back can't be read, though all else can. */
    public void failPauses(boolean fail) {
        pausesFail = fail;
    }

    @Override
    public Pauses pauses() {
        if (failure != null) {
            throw failure;
        }
        if (pausesFail) {
            throw new UnavailableException("it can't be read");
        }
        return new Pauses(pauses);
    }

    /** An operator resumes it. */
    public void resume(int source) {
        stopped.remove(source);
    }

    @Override
    public Map<Integer, String> stopped() {
        mayFail();
        return Map.copyOf(stopped);
    }

    @Override
    public Bearings introduce(Collection<NewSource> unseen) {
        mayFail();
        for (NewSource source : unseen) {
            boolean isKnown =
                    sources.values().stream()
                            .anyMatch(
                                    it ->
                                            it.partition().equals(source.partition())
                                                    && it.generation() == source.generation()
                                                    && it.topicId().equals(source.topicId()));
            boolean isOfAnother =
                    sources.values().stream()
                            .anyMatch(
                                    it ->
                                            it.partition()
                                                            .topic()
                                                            .equals(source.partition().topic())
                                                    && !it.topicId().equals(source.topicId())
                                                    && !source.beside().contains(it.topicId()));
            if (!isKnown && !isOfAnother) {
                add(
                        source.partition(),
                        source.topicId(),
                        source.generation(),
                        source.start(),
                        source.start(),
                        new Growth(source.growth(), source.growth() == 0, Duration.ZERO));
            }
        }
        Set<String> topics =
                unseen.stream().map(it -> it.partition().topic()).collect(Collectors.toSet());
        return read(topics);
    }

    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        mayFail();
        sources.replaceAll(
                (number, it) ->
                        it.partition().topic().equals(topic) && it.topicId().equals(former)
                                ? withTopicId(it, present)
                                : it);
        return read(Set.of(topic));
    }

    @Override
    public void skip(int source, List<Skip> left, Incarnation of) {
        if (skipsFail) {
            throw new UnavailableException("nothing can be recorded");
        }
        left.forEach(skip -> skips.computeIfAbsent(source, it -> new LinkedHashSet<>()).add(skip));
        long next = left.stream().mapToLong(Skip::next).max().orElse(0);
        save(Map.of(source, new NextOffset(next, NextOffset.NO_EPOCH)), of);
    }

    /** Whether nothing can be recorded as left out. */
    public void failSkips(boolean fail) {
        skipsFail = fail;
    }

    /** What was left out of a partition. */
    public List<Skip> skips(TopicPartition partition) {
        return List.copyOf(skips.getOrDefault(source(partition).number(), Set.of()));
    }

    private static Source withTopicId(Source it, Uuid topicId) {
        NextOffset checkpoint = new NextOffset(it.checkpoint().offset(), NextOffset.NO_EPOCH);
        return with(it, topicId, checkpoint, it.growth());
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation of) {
        mayFail();
        if (of.equals(away)) {
            throw new UnavailableException("a place of that life is away");
        }
        if (!of.equals(incarnation)) {
            throw new OtherIncarnationException(of, incarnation);
        }
        saves.add(Map.copyOf(nextBySource));
        nextBySource.forEach(
                (number, next) ->
                        sources.computeIfPresent(
                                number,
                                (same, it) ->
                                        next.compareTo(it.checkpoint()) > 0
                                                ? withCheckpoint(it, next)
                                                : it));
        if (!sources.keySet().containsAll(nextBySource.keySet())) {
            throw new InvariantViolation("a checkpoint of no source: " + nextBySource);
        }
        return nextBySource.keySet();
    }

    @Override
    public Incarnation incarnation() {
        mayFail();
        return incarnation;
    }

    private static Source withCheckpoint(Source it, NextOffset checkpoint) {
        return with(it, it.topicId(), checkpoint, it.growth());
    }
}
