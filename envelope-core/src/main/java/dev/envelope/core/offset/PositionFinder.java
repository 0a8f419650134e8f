package dev.envelope.core.offset;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;

/**
 * Finds where newly assigned partitions are to be read from, out of the checkpoints in the database
 * and the commits in Kafka.
 *
 * <p>Threads: immutable; called from background threads, since it asks both servers.
 */
public final class PositionFinder {

    private final TopicAdmin admin;
    private final Checkpoints checkpoints;
    private final PositionPolicy policy;
    private final PositionJudge judge;

    public PositionFinder(TopicAdmin admin, Checkpoints checkpoints, PositionPolicy policy) {
        this.admin = admin;
        this.checkpoints = checkpoints;
        this.policy = policy;
        this.judge = new PositionJudge(policy);
    }

    /**
     * A position for every partition.
     *
     * @throws UnavailableException if a server did not answer: ask again
     */
    public Map<TopicPartition, Position> find(Set<TopicPartition> partitions) {
        Set<String> names =
                partitions.stream()
                        .map(TopicPartition::topic)
                        .collect(Collectors.toCollection(TreeSet::new));
        Map<String, Topic> topics = describe(names);
        // Before the checkpoints: each commit of ours follows its checkpoint, so what another
        // instance does meanwhile can't look like a commit that the database knows nothing of.
        Map<TopicPartition, Commit> commits = admin.committed(partitionsOf(topics));
        Bearings bearings = checkpoints.read(names);
        Map<TopicPartition, Position> positions = new HashMap<>();
        List<NewSource> unseen = new ArrayList<>();
        for (Map.Entry<String, Topic> topic : topics.entrySet()) {
            Optional<String> refusal =
                    introduce(topic.getKey(), topic.getValue(), commits, bearings, unseen);
            for (TopicPartition partition : partitions) {
                if (partition.topic().equals(topic.getKey())) {
                    refusal.ifPresent(why -> positions.put(partition, new Position.Refused(why)));
                }
            }
        }
        if (!unseen.isEmpty()) {
            bearings = checkpoints.introduce(unseen);
        }
        Set<TopicPartition> open = new HashSet<>(partitions);
        open.removeAll(positions.keySet());
        if (!open.isEmpty()) {
            positions.putAll(decide(open, topics, commits, bearings));
        }
        return positions;
    }

    private Map<String, Topic> describe(Set<String> names) {
        Map<String, Topic> topics = admin.describe(names);
        for (String name : names) {
            if (!topics.containsKey(name)) {
                throw new UnavailableException("topic " + name + " does not exist");
            }
        }
        return topics;
    }

    private static Set<TopicPartition> partitionsOf(Map<String, Topic> topics) {
        Set<TopicPartition> all = new HashSet<>();
        topics.forEach((name, topic) -> all.addAll(partitionsOf(name, topic)));
        return all;
    }

    private static Set<TopicPartition> partitionsOf(String name, Topic topic) {
        return IntStream.range(0, topic.partitions())
                .mapToObj(number -> new TopicPartition(name, number))
                .collect(Collectors.toSet());
    }

    /** Adds what of a topic the database does not know yet; a reason where a person must decide. */
    private Optional<String> introduce(
            String name,
            Topic topic,
            Map<TopicPartition, Commit> commits,
            Bearings bearings,
            List<NewSource> unseen) {
        List<Source> known =
                bearings.sources().stream()
                        .filter(source -> source.partition().topic().equals(name))
                        .toList();
        Set<TopicPartition> all = partitionsOf(name, topic);
        if (known.isEmpty()) {
            Map<TopicPartition, Commit> ofTopic = new HashMap<>(commits);
            ofTopic.keySet().retainAll(all);
            return introduceTopic(name, topic, ofTopic, unseen);
        }
        if (known.stream().noneMatch(source -> source.topicId().equals(topic.id()))) {
            return Optional.of(
                    "topic "
                            + name
                            + " was deleted and created again: its id is "
                            + topic.id()
                            + ", the database knows it as "
                            + known.get(known.size() - 1).topicId()
                            + ". What is in the log now is not what was applied.");
        }
        // Partitions that were added since: all that is in them is new.
        Set<TopicPartition> added = new HashSet<>(all);
        known.stream()
                .filter(source -> source.topicId().equals(topic.id()))
                .forEach(source -> added.remove(source.partition()));
        if (!added.isEmpty()) {
            addStarts(topic, admin.earliest(added), unseen);
        }
        return Optional.empty();
    }

    /** A topic never seen: its start is resolved for all its partitions at once. */
    private Optional<String> introduceTopic(
            String name, Topic topic, Map<TopicPartition, Commit> commits, List<NewSource> unseen) {
        Set<TopicPartition> all = partitionsOf(name, topic);
        if (policy.startFrom() instanceof StartFrom.Committed) {
            Map<TopicPartition, NextOffset> starts = new HashMap<>(admin.earliest(all));
            commits.forEach((partition, commit) -> starts.put(partition, commit.next()));
            addStarts(topic, starts, unseen);
            return Optional.empty();
        }
        if (!commits.isEmpty()) {
            return Optional.of(
                    "the group has commits for topic "
                            + name
                            + ", but the database knows nothing of it. Either the database is new or"
                            + " not the right one, or the group belonged to another consumer. Set"
                            + " start.from=committed to go on from the commits, delete the group's"
                            + " offsets to begin anew, or restore the database.");
        }
        addStarts(topic, resolveStart(all), unseen);
        return Optional.empty();
    }

    private Map<TopicPartition, NextOffset> resolveStart(Set<TopicPartition> partitions) {
        if (policy.startFrom() instanceof StartFrom.Latest) {
            return admin.latest(partitions);
        } else if (policy.startFrom() instanceof StartFrom.Time time) {
            return admin.at(time.instant(), partitions);
        }
        return admin.earliest(partitions);
    }

    private static void addStarts(
            Topic topic, Map<TopicPartition, NextOffset> starts, List<NewSource> unseen) {
        starts.forEach(
                (partition, start) -> unseen.add(new NewSource(partition, topic.id(), start)));
    }

    private Map<TopicPartition, Position> decide(
            Set<TopicPartition> partitions,
            Map<String, Topic> topics,
            Map<TopicPartition, Commit> commits,
            Bearings bearings) {
        Map<TopicPartition, NextOffset> earliest = admin.earliest(partitions);
        Map<TopicPartition, NextOffset> latest = admin.latest(partitions);
        Map<TopicPartition, Source> sources = new HashMap<>();
        for (Source source : bearings.sources()) {
            Topic topic = topics.get(source.partition().topic());
            if (topic != null && topic.id().equals(source.topicId())) {
                sources.merge(
                        source.partition(),
                        source,
                        (a, b) -> a.generation() > b.generation() ? a : b);
            }
        }
        Map<TopicPartition, Position> positions = new HashMap<>();
        for (TopicPartition partition : partitions) {
            Source source = sources.get(partition);
            NextOffset first = earliest.get(partition);
            NextOffset end = latest.get(partition);
            if (source == null || first == null || end == null) {
                throw new UnavailableException("no bearings of " + partition + " yet");
            }
            Optional<Commit> commit = Optional.ofNullable(commits.get(partition));
            positions.put(
                    partition, judge.decide(source, commit, first, end, bearings.incarnation()));
        }
        return positions;
    }
}
