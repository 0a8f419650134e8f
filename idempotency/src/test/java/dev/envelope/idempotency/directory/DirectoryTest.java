package dev.envelope.idempotency.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.store.directory.DirectoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Who is taken for the owner of a partition. */
class DirectoryTest implements DirectoryStore {

    private static final TopicPartition PARTITION = new TopicPartition("payments", 3);

    private final List<Claim> told = new ArrayList<>();
    private final List<Owner> owners = new ArrayList<>();
    private boolean isKnown = true;
    private long nanos;
    private EngineStatus engine = EngineStatus.begun(0);
    private final Directory directory =
            new Directory(this, () -> engine, "10.0.0.1:8090", () -> nanos);

    @Override
    public boolean tell(Claim claim) {
        told.add(claim);
        return isKnown;
    }

    @Override
    public List<Owner> owners() {
        return owners;
    }

    /** Of a generation, with the partitions up to this. */
    private static EngineStatus owning(int generation, int partitions) {
        return new EngineStatus(
                0,
                true,
                generation,
                true,
                "",
                List.of(),
                IntStream.range(0, partitions)
                        .mapToObj(i -> Statuses.of(new TopicPartition("payments", i), 1))
                        .toList());
    }

    /** Partitions' statuses. */
    static final class Statuses {

        private Statuses() {}

        static PartitionStatus of(TopicPartition partition, long epoch) {
            return new PartitionStatus(
                    partition, epoch, 0, 0, 0, 0, 0, 0, 0, "", "", "", false, null);
        }
    }

    private static Owner owner(String instance, int generation) {
        return new Owner(
                instance, false, new Claim(instance + ":8090", generation, Set.of(PARTITION)));
    }

    @Test
    void aChangeIsToldAtOnceAndTheSameAgainAfterThreeSeconds() {
        engine = owning(1, 2);
        directory.look();
        directory.look();
        assertThat(told).hasSize(1);
        assertThat(told.get(0).address()).isEqualTo("10.0.0.1:8090");
        assertThat(told.get(0).generation()).isEqualTo(1);
        assertThat(told.get(0).partitions()).hasSize(2);

        engine = owning(2, 2);
        directory.look();
        assertThat(told).hasSize(2);

        nanos = Duration.ofSeconds(3).toNanos();
        directory.look();
        directory.look();
        assertThat(told).hasSize(3);
    }

    @Test
    void whatTheDatabaseDidNotTakeIsToldAgain() {
        isKnown = false;
        directory.look();
        isKnown = true;
        directory.look();
        directory.look();

        assertThat(told).hasSize(2);
    }

    /** A process that hangs claims what it had, for ten seconds more. */
    @Test
    void ofTwoThatClaimAPartitionTheLaterGenerationOwnsIt() {
        owners.add(owner("hangs", 4));
        owners.add(owner("present", 5));
        directory.look();
        assertThat(directory.owner(PARTITION)).hasValue(owner("present", 5));

        owners.add(0, owners.remove(1));
        directory.look();
        assertThat(directory.owner(PARTITION)).hasValue(owner("present", 5));
        assertThat(directory.owner(new TopicPartition("payments", 4))).isEmpty();
    }
}
