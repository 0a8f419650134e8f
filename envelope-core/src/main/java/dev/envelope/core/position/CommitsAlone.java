package dev.envelope.core.position;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * What is known where there is no database: the group's commits. A partition is done up to its
 * commit. The first commit, right behind the positioning, says where reading began. What a database
 * would keep beside that is kept by nobody: stops, pauses, what was skipped, when a partition was
 * added.
 *
 * <p>Threads: thread-safe (concurrent maps).
 */
public final class CommitsAlone implements Checkpoints {

    private static final Incarnation LIFE = new Incarnation("kafka");
    private static final int IDS_APART = 1_000_000; // more than a topic has partitions

    private final TopicAdmin admin;

    /** Where this process has begun, by partition; the last one of each. */
    private final Map<TopicPartition, NewSource> begun = new ConcurrentHashMap<>();

    /**
     * The topic ids in the order in which the brokers showed them to this process. A younger id has
     * greater numbers of sources, as a database would give it; one that is only known from a commit
     * is older than all.
     */
    private final Map<Uuid, Integer> ages = new ConcurrentHashMap<>();

    private final AtomicInteger seen = new AtomicInteger();

    /** How many partitions a topic had when reading it began: each commit of it says so. */
    private final Map<Uuid, Integer> partitionsAtFirst = new ConcurrentHashMap<>();

    public CommitsAlone(TopicAdmin admin) {
        this.admin = admin;
    }

    @Override
    public boolean areCommits() {
        return true;
    }

    @Override
    public Bearings read(Set<String> topics) {
        Map<String, Topic> present = admin.describe(topics);
        Set<TopicPartition> all = new HashSet<>();
        present.forEach(
                (name, topic) -> {
                    ages.computeIfAbsent(topic.id(), unseen -> seen.incrementAndGet());
                    all.addAll(Introduction.partitionsOf(name, topic));
                });
        Map<TopicPartition, Commit> commits = admin.committed(all);
        commits.values().forEach(this::learn);
        List<Source> sources = new ArrayList<>();
        present.forEach((name, topic) -> sources.addAll(sources(name, topic, commits)));
        return new Bearings(LIFE, sources);
    }

    private void learn(Commit commit) {
        int partitions = Stamp.partitionsAtFirst(commit);
        if (partitions > 0) {
            Stamp.topicId(commit)
                    .ifPresent(id -> partitionsAtFirst.merge(id, partitions, Math::min));
        }
    }

    @Override
    public int partitionsAtFirst(Uuid topicId) {
        return partitionsAtFirst.getOrDefault(topicId, 0);
    }

    /** None for a partition that the group has never read. */
    private List<Source> sources(String name, Topic topic, Map<TopicPartition, Commit> commits) {
        List<Source> sources = new ArrayList<>();
        for (TopicPartition partition : Introduction.partitionsOf(name, topic)) {
            Commit commit = commits.get(partition);
            NewSource here = begun.get(partition);
            @Nullable Uuid committedOf =
                    commit == null ? null : Stamp.topicId(commit).orElse(topic.id());
            if (commit != null && committedOf != null) {
                sources.add(source(partition, committedOf, commit.next()));
            }
            if (here != null && !here.topicId().equals(committedOf)) {
                sources.add(source(partition, here.topicId(), here.start()));
            }
        }
        return sources;
    }

    private Source source(TopicPartition partition, Uuid topicId, NextOffset done) {
        int number = IDS_APART * ages.getOrDefault(topicId, 0) + partition.partition() + 1;
        return new Source(number, partition, topicId, 0, done, done, Growth.NONE);
    }

    @Override
    public Bearings introduce(Collection<NewSource> sources) {
        sources.stream()
                .filter(source -> source.generation() == 0) // others need a database
                .forEach(source -> begun.put(source.partition(), source));
        Set<String> topics =
                sources.stream().map(source -> source.partition().topic()).collect(toSet());
        Bearings bearings = read(topics); // first what another process may have written down
        sources.stream()
                .filter(source -> source.growth() == 0 && source.generation() == 0)
                .collect(groupingBy(NewSource::topicId, summingInt(source -> 1)))
                .forEach(partitionsAtFirst::putIfAbsent);
        return bearings;
    }

    /** The commits are taken for those of the present topic from now on. */
    @Override
    public Bearings adopt(String topic, Uuid former, Uuid present) {
        Map<TopicPartition, NextOffset> done =
                read(Set.of(topic)).sources().stream()
                        .filter(source -> source.topicId().equals(former))
                        .collect(toMap(Source::partition, Source::checkpoint));
        done.forEach(
                (partition, next) -> begun.put(partition, new NewSource(partition, present, next)));
        return read(Set.of(topic));
    }

    @Override
    public void skip(int source, List<Skip> skips, Incarnation incarnation) {
        // The first commit behind it says so.
    }

    @Override
    public void settle(int source) {
        // Nothing is young.
    }

    @Override
    public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
        return nextBySource.keySet(); // the commit that follows is what is kept
    }

    @Override
    public Incarnation incarnation() {
        return LIFE;
    }
}
