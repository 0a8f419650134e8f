package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Bearings;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.TopicAdmin;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

/** How sources are numbered where no database does it: those of a younger topic id come later. */
class CommittedSourcesTest {

    private static final Uuid FORMER = new Uuid(1, 1);
    private static final Uuid PRESENT = new Uuid(1, 2);
    private static final TopicPartition FIRST = new TopicPartition("calls", 0);
    private static final TopicPartition LAST = new TopicPartition("calls", 3);
    private static final NextOffset BEGINNING = new NextOffset(0, 0);

    private final Brokers brokers = new Brokers();
    private final CommitsAlone commits = new CommitsAlone(brokers);

    @Test
    void whatThisProcessBeganOfAFormerTopicIsOlderThanAnythingOfThePresentOne() {
        commits.introduce(List.of(new NewSource(LAST, FORMER, BEGINNING)));
        brokers.id = PRESENT;
        brokers.commits.put(FIRST, stamped(PRESENT));

        assertThat(youngest(commits.read(Set.of("calls")))).isEqualTo(PRESENT);
    }

    @Test
    void aCommitOfAnIdThatNoBrokerShowsIsOlderToo() {
        brokers.commits.put(LAST, stamped(FORMER));
        brokers.id = PRESENT;

        Bearings bearings = commits.introduce(List.of(new NewSource(FIRST, PRESENT, BEGINNING)));

        assertThat(youngest(bearings)).isEqualTo(PRESENT);
    }

    @Test
    void aBrokerThatStillShowsTheFormerIdDoesNotMakeItYounger() {
        commits.introduce(List.of(new NewSource(LAST, FORMER, BEGINNING)));
        brokers.id = PRESENT;
        commits.introduce(List.of(new NewSource(FIRST, PRESENT, BEGINNING)));
        brokers.id = FORMER;

        assertThat(youngest(commits.read(Set.of("calls")))).isEqualTo(PRESENT);
    }

    private static Uuid youngest(Bearings bearings) {
        return bearings.sources().stream()
                .max(Comparator.comparingInt(Source::number))
                .orElseThrow()
                .topicId();
    }

    private static TopicAdmin.Commit stamped(Uuid topicId) {
        return new TopicAdmin.Commit(new NextOffset(5, 0), "envelope/ahead/" + topicId + "/");
    }

    private static final class Brokers implements TopicAdmin {

        private final Map<TopicPartition, Commit> commits = new HashMap<>();
        private Uuid id = FORMER;

        @Override
        public Map<String, Topic> describe(Set<String> topics) {
            return Map.of("calls", new Topic(id, 4));
        }

        @Override
        public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
            return Map.copyOf(commits);
        }

        @Override
        public Map<TopicPartition, NextOffset> earliest(Set<TopicPartition> partitions) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<TopicPartition, NextOffset> latest(Set<TopicPartition> partitions) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<TopicPartition, Bounds> bounds(Set<TopicPartition> partitions) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<TopicPartition, NextOffset> at(Instant instant, Set<TopicPartition> partitions) {
            throw new UnsupportedOperationException();
        }
    }
}
