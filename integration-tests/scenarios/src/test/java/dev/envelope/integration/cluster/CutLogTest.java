package dev.envelope.integration.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.LogTruncated;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.integration.cluster.Listeners.Member;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.FileLogInputStream.FileChannelRecordBatch;
import org.apache.kafka.common.record.internal.FileRecords;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A broker that has lost the end of a log: killed before the disk had it, and started again, it
 * writes other records at those offsets under a higher leader epoch.
 */
@Tag("cluster")
@ExtendWith(OneStack.class)
class CutLogTest {

    private static final String TOPIC = "cut";
    private static final TopicPartition P0 = new TopicPartition(TOPIC, 0);

    /** A producer that counts what it sends would find out what the broker has lost. */
    private static final Map<String, Object> COUNTS_NOTHING = Map.of("enable.idempotence", false);

    private final LocalStack stack;

    CutLogTest(LocalStack stack) {
        this.stack = stack;
    }

    private static PositionPolicy policy(LogTruncated truncated) {
        return new PositionPolicy(new StartFrom.Earliest(), OffsetAhead.STOP, Gap.STOP)
                .with(truncated);
    }

    @Tag("long")
    @Test
    void itsPartitionStopsAloneAndOnceThatIsAcceptedGoesOnBehindTheCut() throws IOException {
        try (Listeners listeners = new Listeners(stack, TOPIC, 2);
                Speaker speaker = new Speaker(stack, TOPIC, COUNTS_NOTHING)) {
            Member reader = listeners.start(policy(LogTruncated.STOP));
            for (int i = 0; i < 6; i++) {
                speaker.say("key", 8, 1); // each time a batch for each partition, or more
            }
            listeners.awaitHeard(speaker.said());
            listeners.await(() -> isAllCommittedBy(reader));
            long end = end(P0);

            stack.broker().kill();
            long cut = dropLastBatches(stack.broker().storage().resolve(P0.toString()), 3);
            stack.broker().start();
            speaker.say("key", 8, 6); // beyond where it had ended

            PartitionStatus stopped = awaitStopped(listeners, reader);
            assertThat(stopped.partition()).isEqualTo(P0);
            assertThat(stopped.pausedBecause())
                    .contains("on.log.truncated=continue")
                    // Positioned anew before all of that was written, it has seen an end instead.
                    .containsPattern("from offset " + cut + " on|ends at \\d+")
                    .containsPattern("\\b" + end + "@0");
            Set<String> others = keysOfTheOther(listeners);
            listeners.await(() -> of(others, listeners.heard()).equals(of(others, speaker.said())));
            reader.close();

            Member goesOn = listeners.start(policy(LogTruncated.CONTINUE));
            listeners.awaitHeard(speaker.said());
            listeners.await(() -> isAllCommittedBy(goesOn));
            assertThat(
                            listeners.query(
                                    "SELECT partition, start_offset FROM %s.source"
                                            + " WHERE generation = 1"))
                    .containsExactly(List.of("0", Long.toString(cut)));
        }
    }

    /** The only one that is, as soon as there is one. */
    private static PartitionStatus awaitStopped(Listeners listeners, Member member) {
        List<PartitionStatus> stopped = new ArrayList<>();
        listeners.await(
                () -> {
                    stopped.clear();
                    member.partitions().stream()
                            .filter(PartitionStatus::stopped)
                            .forEach(stopped::add);
                    return !stopped.isEmpty();
                });
        assertThat(stopped).hasSize(1);
        return stopped.get(0);
    }

    private long end(TopicPartition partition) {
        return stack.topics().endOffsets(TOPIC).getOrDefault(partition, -1L);
    }

    private boolean isAllCommittedBy(Member member) {
        return member.partitions().size() == 2
                && member.partitions().stream()
                        .allMatch(it -> it.committed() == end(it.partition()));
    }

    private static Map<String, List<String>> of(Set<String> keys, Map<String, List<String>> words) {
        Map<String, List<String>> theirs = new TreeMap<>(words);
        theirs.keySet().retainAll(keys);
        return theirs;
    }

    private static Set<String> keysOfTheOther(Listeners listeners) {
        return listeners
                .query(
                        "SELECT key FROM %1$s.state JOIN %1$s.source"
                                + " ON marks LIKE number || ':%%' AND partition = 1")
                .stream()
                .map(row -> row.get(0))
                .collect(Collectors.toSet());
    }

    /** What was written last is not there any more; where the log ends then. */
    private static long dropLastBatches(Path partition, int count) throws IOException {
        Path segment = partition.resolve("00000000000000000000.log");
        try (FileRecords records = FileRecords.open(segment.toFile())) {
            List<FileChannelRecordBatch> batches = new ArrayList<>();
            records.batches().forEach(batches::add);
            FileChannelRecordBatch first = batches.get(batches.size() - count);
            records.truncateTo(first.position());
            return first.baseOffset();
        }
    }
}
