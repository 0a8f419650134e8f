package dev.envelope.core.position;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Tells the database what it does not know yet of topics as they are now: topics never seen,
 * partitions that were added, topics that were made again. Where a person must decide about that,
 * it says why.
 *
 * <p>Threads: one call, in the background.
 */
final class Introduction {

    private final TopicAdmin admin;
    private final Checkpoints checkpoints;
    private final PositionPolicy policy;
    private final Map<TopicPartition, Commit> commits;
    private final Map<String, String> refusals = new HashMap<>();
    private final Map<TopicPartition, String> cutsTooEarly = new HashMap<>();
    private final Map<TopicPartition, String> remarks = new HashMap<>();
    private final List<NewSource> unseen = new ArrayList<>();
    private Bearings bearings;

    /**
     * @param commits all of the group's for these topics; those that say nothing about the logs
     *     that are there now are taken out
     * @param bearings what the database knows
     */
    Introduction(
            TopicAdmin admin,
            Checkpoints checkpoints,
            PositionPolicy policy,
            Map<TopicPartition, Commit> commits,
            Bearings bearings) {
        this.admin = admin;
        this.checkpoints = checkpoints;
        this.policy = policy;
        this.commits = commits;
        this.bearings = bearings;
    }

    /**
     * What the database knows afterwards.
     *
     * @param diverged what was seen of logs while they were read
     */
    Bearings introduce(Map<String, Topic> topics, Map<TopicPartition, Divergence> diverged) {
        topics.forEach(this::introduce);
        if (policy.onLogTruncated() == PositionPolicy.LogTruncated.CONTINUE) {
            introduceBehindCuts(topics, diverged);
        }
        if (!unseen.isEmpty()) {
            Set<String> changed =
                    unseen.stream().map(it -> it.partition().topic()).collect(Collectors.toSet());
            bearings = merge(changed, checkpoints.introduce(unseen));
        }
        commits.entrySet().removeIf(it -> isOfFormerLog(it.getKey(), it.getValue().next(), topics));
        return bearings;
    }

    /**
     * Whether a commit is from before a truncation that was accepted since, also where who accepted
     * it has not lived to commit anything. It is above the cut, and of a leader epoch that the
     * former log had; what the present one has above its cut was written under later epochs. A
     * commit without a leader epoch may be of either.
     */
    private boolean isOfFormerLog(
            TopicPartition partition, NextOffset committed, Map<String, Topic> topics) {
        List<Source> generations =
                bearings.sources().stream()
                        .filter(source -> source.partition().equals(partition))
                        .filter(source -> isPresent(source, topics))
                        .toList();
        return committed.leaderEpoch() != NextOffset.NO_EPOCH
                && generations.stream()
                        .filter(this::isLast)
                        .anyMatch(last -> committed.compareTo(last.start()) > 0)
                && generations.stream()
                        .filter(source -> !isLast(source))
                        .anyMatch(
                                it ->
                                        committed.leaderEpoch()
                                                <= it.durable().highest().leaderEpoch());
    }

    /** Why this partition is not to be read. */
    Optional<String> refusal(TopicPartition partition) {
        @Nullable String ofTopic = refusals.get(partition.topic());
        return Optional.ofNullable(ofTopic != null ? ofTopic : cutsTooEarly.get(partition));
    }

    /** What an operator should know of how this partition was introduced; mostly nothing. */
    String remark(TopicPartition partition) {
        return remarks.getOrDefault(partition, "");
    }

    static Set<TopicPartition> partitionsOf(String name, Topic topic) {
        return IntStream.range(0, topic.partitions())
                .mapToObj(number -> new TopicPartition(name, number))
                .collect(Collectors.toSet());
    }

    private void introduce(String name, Topic topic) {
        List<Source> known = sourcesOf(name);
        if (known.isEmpty()) {
            introduceTopic(name, topic);
            return;
        }
        Uuid youngest = youngest(known);
        if (youngest.equals(topic.id())) {
            introduceAdded(name, topic, adopted(name, topic, known));
        } else if (known.stream().anyMatch(source -> source.topicId().equals(topic.id()))) {
            throw new UnavailableException(
                    "the broker that was asked still shows a former id of topic " + name);
        } else {
            requireStillThere(name, topic);
            recreated(name, topic, youngest);
        }
    }

    /**
     * What is recorded may have been found after we looked at the topic: then the id that we have
     * is the former one, and not the next.
     */
    private void requireStillThere(String name, Topic topic) {
        @Nullable Topic now = admin.describe(Set.of(name)).get(name);
        if (now == null || !now.id().equals(topic.id())) {
            throw new UnavailableException("topic " + name + " has got another id just now");
        }
    }

    /**
     * The topic id that was seen last. Every id begins with partitions that were there from the
     * start, once; what was told of it later may be younger than another id.
     */
    private static Uuid youngest(List<Source> known) {
        return known.stream()
                .filter(source -> source.generation() == 0 && source.growth().round() == 0)
                .reduce((earlier, later) -> later)
                .orElseGet(() -> known.get(known.size() - 1))
                .topicId();
    }

    /** A topic never seen: its start is resolved for all its partitions at once. */
    private void introduceTopic(String name, Topic topic) {
        Set<TopicPartition> all = partitionsOf(name, topic);
        Map<TopicPartition, Commit> ofTopic = new HashMap<>(commits);
        ofTopic.keySet().retainAll(all);
        if (policy.startFrom() instanceof StartFrom.Committed) {
            Map<TopicPartition, NextOffset> starts = new HashMap<>(admin.earliest(all));
            ofTopic.forEach((partition, commit) -> starts.put(partition, commit.next()));
            addStarts(topic, starts);
        } else if (ofTopic.isEmpty()) {
            addStarts(topic, resolveStart(all));
        } else {
            refusals.put(name, IntroductionWords.unknownGroup(name));
        }
    }

    private Map<TopicPartition, NextOffset> resolveStart(Set<TopicPartition> partitions) {
        if (policy.startFrom() instanceof StartFrom.Latest) {
            return admin.latest(partitions);
        } else if (policy.startFrom() instanceof StartFrom.Time time) {
            return admin.at(time.instant(), partitions);
        }
        return admin.earliest(partitions);
    }

    /**
     * The same, with what another process has adopted for its own partitions alone: where only
     * commits say so, that of each partition is adopted by whoever has it.
     */
    private List<Source> adopted(String name, Topic topic, List<Source> known) {
        if (!checkpoints.areCommits()
                || policy.onTopicRecreated() != PositionPolicy.TopicRecreated.ADOPT) {
            return known;
        }
        Set<TopicPartition> present = new HashSet<>();
        known.stream()
                .filter(source -> source.topicId().equals(topic.id()))
                .forEach(source -> present.add(source.partition()));
        known.stream()
                .filter(source -> !present.contains(source.partition()))
                .map(Source::topicId)
                .distinct()
                .forEach(
                        former ->
                                bearings =
                                        merge(
                                                Set.of(name),
                                                checkpoints.adopt(name, former, topic.id())));
        return sourcesOf(name);
    }

    private List<Source> sourcesOf(String name) {
        return bearings.sources().stream()
                .filter(source -> source.partition().topic().equals(name))
                .sorted(Comparator.comparingInt(Source::number))
                .toList();
    }

    /** Partitions that were added since: all that is in them is new. */
    private void introduceAdded(String name, Topic topic, List<Source> known) {
        Set<TopicPartition> added = new HashSet<>(partitionsOf(name, topic));
        known.stream()
                .filter(source -> source.topicId().equals(topic.id()))
                .forEach(source -> added.remove(source.partition()));
        Set<TopicPartition> first =
                added.stream()
                        .filter(it -> it.partition() < checkpoints.partitionsAtFirst(topic.id()))
                        .collect(Collectors.toSet());
        if (!first.isEmpty()) { // another process has begun with its own at the same time
            boolean isRecreated = known.stream().anyMatch(it -> !it.topicId().equals(topic.id()));
            addStarts(topic, isRecreated ? admin.earliest(first) : resolveStart(first));
            commits.keySet().removeAll(first); // of a former topic, if any
            added.removeAll(first);
        }
        if (!added.isEmpty()) {
            int rounds = known.stream().mapToInt(it -> it.growth().round()).max().orElse(0);
            admin.earliest(added)
                    .forEach(
                            (it, start) ->
                                    unseen.add(
                                            new NewSource(
                                                    it,
                                                    topic.id(),
                                                    0,
                                                    start,
                                                    rounds + 1,
                                                    idsOf(name))));
            added.forEach(
                    it ->
                            remarks.put(
                                    it,
                                    IntroductionWords.added(
                                            it,
                                            topic.partitions(),
                                            added.size(),
                                            policy.partitionGrace())));
        }
    }

    /** What follows a truncation that a person has accepted is a source of its own. */
    private void introduceBehindCuts(
            Map<String, Topic> topics, Map<TopicPartition, Divergence> diverged) {
        diverged.forEach(
                (partition, divergence) ->
                        bearings.sources().stream()
                                .filter(divergence::isOf)
                                .filter(source -> isPresent(source, topics))
                                .filter(this::isLast)
                                .filter(source -> !bearings.unknown().containsKey(source.number()))
                                .findAny()
                                .ifPresent(source -> introduceBehind(source, divergence)));
    }

    private static boolean isPresent(Source source, Map<String, Topic> topics) {
        @Nullable Topic topic = topics.get(source.partition().topic());
        return topic != null && topic.id().equals(source.topicId());
    }

    private boolean isLast(Source source) {
        return bearings.sources().stream()
                .filter(it -> it.partition().equals(source.partition()))
                .filter(it -> it.topicId().equals(source.topicId()))
                .noneMatch(it -> it.generation() > source.generation());
    }

    private void introduceBehind(Source source, Divergence divergence) {
        if (divergence.cut().isEmpty()) {
            return;
        }
        NextOffset cut = divergence.cut().get();
        if (source.checkpoint().offset() < cut.offset()) {
            cutsTooEarly.put(source.partition(), IntroductionWords.cutTooEarly(source, cut));
            return;
        }
        int generation = source.generation() + 1;
        unseen.add(
                new NewSource(
                        source.partition(),
                        source.topicId(),
                        generation,
                        cut,
                        source.growth().round(),
                        idsOf(source.partition().topic())));
        commits.remove(source.partition());
        remarks.put(source.partition(), IntroductionWords.behindCut(source, cut, generation));
    }

    private void recreated(String name, Topic topic, Uuid former) {
        Set<TopicPartition> all = partitionsOf(name, topic);
        Map<TopicPartition, NextOffset> starts = admin.earliest(all);
        Map<TopicPartition, NextOffset> ends = admin.latest(all);
        Map<TopicPartition, Long> applied = appliedOf(name, former);
        RecreatedTopic words = new RecreatedTopic(name, topic.id(), former);
        switch (policy.onTopicRecreated()) {
            case STOP -> refusals.put(name, words.refused(applied.values(), starts, ends));
            case CONTINUE -> {
                addStarts(topic, starts);
                commits.keySet().removeAll(all); // they were about the former
                all.forEach(it -> remarks.put(it, words.readAsNew(it, starts, ends)));
            }
            case ADOPT -> {
                bearings = merge(Set.of(name), checkpoints.adopt(name, former, topic.id()));
                introduceAdded(name, topic, sourcesOf(name));
                all.forEach(it -> remarks.put(it, words.adopted(it, applied.getOrDefault(it, 0L))));
            }
        }
    }

    /** What is new about these topics, with what was known of the others. */
    private Bearings merge(Set<String> topics, Bearings about) {
        if (!about.incarnation().equals(bearings.incarnation())) {
            throw new UnavailableException(
                    "the database was restarted or replaced while it was told of "
                            + topics
                            + ": what it said before may not hold any more");
        }
        List<Source> sources = new ArrayList<>(about.sources());
        bearings.sources().stream()
                .filter(source -> !topics.contains(source.partition().topic()))
                .forEach(sources::add);
        Map<Integer, String> unknown = new HashMap<>(bearings.unknown());
        unknown.putAll(about.unknown());
        return new Bearings(about.incarnation(), sources, unknown);
    }

    private Map<TopicPartition, Long> appliedOf(String name, Uuid topicId) {
        return bearings.sources().stream()
                .filter(source -> source.partition().topic().equals(name))
                .filter(source -> source.topicId().equals(topicId))
                .collect(
                        Collectors.toMap(
                                Source::partition,
                                it -> it.checkpoint().offset() - it.start().offset(),
                                Long::sum));
    }

    private void addStarts(Topic topic, Map<TopicPartition, NextOffset> starts) {
        starts.forEach(
                (partition, start) ->
                        unseen.add(
                                new NewSource(
                                        partition,
                                        topic.id(),
                                        0,
                                        start,
                                        0,
                                        idsOf(partition.topic()))));
    }

    /** All ids that the database knows of this topic. */
    private Set<Uuid> idsOf(String name) {
        return bearings.sources().stream()
                .filter(source -> source.partition().topic().equals(name))
                .map(Source::topicId)
                .collect(Collectors.toSet());
    }
}
