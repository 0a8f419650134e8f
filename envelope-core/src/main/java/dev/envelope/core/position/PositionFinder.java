package dev.envelope.core.position;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.DoneAhead;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Bounds;
import dev.envelope.core.offset.TopicAdmin.Commit;
import dev.envelope.core.offset.TopicAdmin.Topic;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Finds where newly assigned partitions are to be read from, out of the checkpoints in the database
 * and the commits in Kafka.
 *
 * <p>It is called from background threads, since it asks both servers.
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

    /** A position for every partition, of whose logs nothing bad was seen. */
    public Map<TopicPartition, Position> find(Set<TopicPartition> partitions) {
        return find(partitions, Map.of());
    }

    /**
     * A position for every partition; of some of them perhaps that there is no answer yet.
     *
     * @param diverged what was seen of their logs while they were read
     * @throws UnavailableException if a server did not answer: ask again
     */
    public Map<TopicPartition, Position> find(
            Set<TopicPartition> partitions, Map<TopicPartition, Divergence> diverged) {
        Set<String> names =
                partitions.stream()
                        .map(TopicPartition::topic)
                        .collect(Collectors.toCollection(TreeSet::new));
        Map<String, Topic> topics = describe(names);
        // Before the checkpoints: each commit of ours follows its checkpoint, so what another
        // instance does meanwhile can't look like a commit that the database knows nothing of.
        Map<TopicPartition, Commit> commits = new HashMap<>(admin.committed(partitionsOf(topics)));
        Introduction introduction =
                new Introduction(admin, checkpoints, policy, commits, checkpoints.read(names));
        Bearings bearings = introduction.introduce(topics, diverged);
        Map<TopicPartition, Position> positions = new HashMap<>();
        Set<TopicPartition> open = new HashSet<>(partitions);
        for (TopicPartition partition : partitions) {
            Optional<String> refusal = introduction.refusal(partition);
            refusal.ifPresent(why -> positions.put(partition, new Position.Refused(why)));
        }
        open.removeAll(positions.keySet());
        if (!open.isEmpty()) {
            Inquiry inquiry = new Inquiry(topics, commits, bearings, diverged);
            Map<TopicPartition, Position> decided = decide(open, inquiry);
            decided.values().forEach(this::record);
            decided.replaceAll(
                    (it, position) -> complete(position, it, introduction.remark(it), inquiry));
            positions.putAll(decided);
        }
        return positions;
    }

    /** The ids that these topics have now; one that does not exist is missing. */
    public Map<String, Uuid> topicIds(Set<String> names) {
        return admin.describe(names).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, topic -> topic.getValue().id()));
    }

    /**
     * Asks what positions follow from, and decides and records nothing. Who has done that finds
     * them sooner: connections are open, and classes loaded.
     *
     * @throws UnavailableException if a server did not answer
     */
    public void rehearse(Set<String> names) {
        Set<TopicPartition> all = partitionsOf(describe(names));
        admin.committed(all);
        checkpoints.read(names);
        admin.bounds(all);
        checkpoints.stopped();
    }

    /** What was asked of both servers. */
    private record Inquiry(
            Map<String, Topic> topics,
            Map<TopicPartition, Commit> commits,
            Bearings bearings,
            Map<TopicPartition, Divergence> diverged) {

        /** By partition, the source of the topic id that is there now, of the last generation. */
        Map<TopicPartition, Source> sources() {
            return bearings.sources().stream()
                    .filter(this::isPresent)
                    .collect(
                            Collectors.toMap(
                                    Source::partition,
                                    source -> source,
                                    (a, b) -> a.generation() > b.generation() ? a : b));
        }

        /** The sources of the same log in former generations. */
        Set<Integer> formersOf(Source source) {
            return bearings.sources().stream()
                    .filter(it -> it.partition().equals(source.partition()))
                    .filter(it -> it.topicId().equals(source.topicId()))
                    .filter(it -> it.generation() < source.generation())
                    .map(Source::number)
                    .collect(Collectors.toSet());
        }

        private boolean isPresent(Source source) {
            Topic topic = topics.get(source.partition().topic());
            return topic != null
                    && topic.id().equals(source.topicId())
                    && source.partition().partition() < topic.partitions();
        }
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
        topics.forEach((name, topic) -> all.addAll(Introduction.partitionsOf(name, topic)));
        return all;
    }

    private Map<TopicPartition, Position> decide(Set<TopicPartition> partitions, Inquiry inquiry) {
        Map<TopicPartition, Bounds> bounds = admin.bounds(partitions);
        Map<TopicPartition, Source> sources = inquiry.sources();
        Map<Integer, String> stopped = stopped();
        Map<TopicPartition, Position> positions = new HashMap<>();
        for (TopicPartition partition : partitions) {
            Source source = sources.get(partition);
            Bounds log = bounds.get(partition);
            String unknown =
                    source == null ? null : inquiry.bearings().unknown().get(source.number());
            if (source == null || log == null || unknown != null) {
                String what =
                        source == null
                                ? "it has no source yet"
                                : unknown == null ? "its leader does not answer" : unknown;
                positions.put(partition, new Position.Unanswered(partition + ": " + what));
                continue;
            }
            PositionJudge.Case found =
                    new PositionJudge.Case(
                            source,
                            inquiry.formersOf(source),
                            Optional.ofNullable(inquiry.commits().get(partition)),
                            Optional.ofNullable(inquiry.diverged().get(partition)),
                            log.first(),
                            log.end());
            String why = stopped.get(source.number());
            positions.put(
                    partition,
                    why != null
                            ? new Position.Held(source.number(), why)
                            : decide(found, inquiry.bearings().incarnation()));
        }
        return positions;
    }

    private Position decide(PositionJudge.Case found, Incarnation life) {
        try {
            return judge.decide(found, life);
        } catch (UnavailableException e) { // of this one alone
            return new Position.Unanswered(String.valueOf(e.getMessage()));
        }
    }

    /** What is left out is on record before anything behind it is read. */
    private void record(Position position) {
        if (position instanceof Position.Found found && !found.skips().isEmpty()) {
            checkpoints.skip(found.source(), found.skips(), found.incarnation());
        }
    }

    /**
     * Sources that stay stopped until an operator resumes them, and why.
     *
     * @throws UnavailableException if the database did not answer: ask again
     */
    public Map<Integer, String> stopped() {
        return checkpoints.stopped();
    }

    /** How many partitions a topic had when reading it began, where only commits say so; or 0. */
    public int partitionsAtFirst(Uuid topicId) {
        return checkpoints.partitionsAtFirst(topicId);
    }

    private Position complete(
            Position position, TopicPartition partition, String remark, Inquiry inquiry) {
        if (!(position instanceof Position.Found found)) {
            return position;
        }
        String both =
                Stream.of(remark, found.remark())
                        .filter(it -> !it.isEmpty())
                        .collect(Collectors.joining(". "));
        return found.with(doneAhead(partition, found, inquiry), young(partition, inquiry), both);
    }

    private @Nullable DoneAhead doneAhead(
            TopicPartition partition, Position.Found found, Inquiry inquiry) {
        if (!checkpoints.areCommits()) {
            return null;
        }
        Commit commit = inquiry.commits().get(partition);
        return commit == null
                        || !commit.next().equals(found.next())
                        || inquiry.diverged().containsKey(partition)
                ? DoneAhead.NONE
                : Stamp.doneAhead(commit, found.topicId());
    }

    private Optional<Young> young(TopicPartition partition, Inquiry inquiry) {
        Map<TopicPartition, Source> sources = inquiry.sources();
        @Nullable Source source = sources.get(partition);
        if (source == null || source.growth().settled() || policy.partitionGrace().isZero()) {
            return Optional.empty();
        }
        Set<TopicPartition> older =
                sources.values().stream()
                        .filter(it -> it.partition().topic().equals(partition.topic()))
                        .filter(it -> it.growth().round() < source.growth().round())
                        .map(Source::partition)
                        .collect(Collectors.toSet());
        Duration left = policy.partitionGrace().minus(source.growth().age());
        return Optional.of(new Young(older, left.isNegative() ? Duration.ZERO : left));
    }

    // --- what young partitions wait for

    /** Where these logs end now. */
    public Map<TopicPartition, NextOffset> ends(Set<TopicPartition> partitions) {
        return admin.latest(partitions);
    }

    /** Up to where these logs are done, whoever reads them. */
    public Map<TopicPartition, NextOffset> done(Set<TopicPartition> partitions) {
        Set<String> names =
                partitions.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        Map<TopicPartition, NextOffset> done = new HashMap<>();
        checkpoints.read(names).sources().stream()
                .filter(source -> partitions.contains(source.partition()))
                .sorted(Comparator.comparingInt(Source::number)) // the last one is the present one
                .forEach(source -> done.put(source.partition(), source.checkpoint()));
        return done;
    }

    /** What this source brings need not wait any more. */
    public void settle(int source) {
        checkpoints.settle(source);
    }
}
