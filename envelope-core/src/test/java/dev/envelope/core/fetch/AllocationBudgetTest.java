package dev.envelope.core.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.PoolSizing;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.Assignment;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shards;
import dev.envelope.core.mailbox.TurnLimits;
import dev.envelope.core.mailbox.TurnRunner;
import dev.envelope.core.offset.AckInbox;
import dev.envelope.core.offset.Commitment;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.testkit.Allocations;
import dev.envelope.core.testkit.LiveObjects;
import dev.envelope.core.testkit.ManualEnvironment;
import dev.envelope.core.testkit.Records;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What the engine allocates for a message, from the poll to the ack, without what the handler does.
 * What a message costs the collector is most of what it costs; that it may not grow unseen is the
 * point, not the figure.
 */
final class AllocationBudgetTest {

    private static final int RECORDS = 5_000;
    private static final int POLLS = 4;
    private static final int OF_A_KEY_THAT_COMES_OFTEN = 175;
    private static final int OF_A_KEY_THAT_COMES_ONCE = 435;

    /** Slabs and pages of the ledger, and what the test itself leaves, for 5,000 that wait. */
    private static final int OBJECTS_OF_WAITING_MESSAGES = 2_500;

    /** What a careless change would cost a message: a list, a lambda, a copy of its key. */
    private static final int A_LITTLE = 48;

    private final ManualEnvironment environment = new ManualEnvironment();
    private final PartitionEpoch epoch = Records.epoch(1);
    private final Commitment commitment = new Commitment(epoch, new NextOffset(0, 0));
    private final AckInbox inbox = new AckInbox(environment.environment().parker());
    private final WorkerPool pool = newPool();
    private final Router router = newRouter();
    private int wasted; // for each message
    private byte[] waste = {};
    private boolean keepsMessages;
    private int polls;
    private final List<ConsumerRecords<byte @Nullable [], byte @Nullable []>> kept =
            new ArrayList<>();

    private WorkerPool newPool() {
        TurnRunner runner =
                new TurnRunner(
                        turn -> {
                            for (int i = 0; i < turn.envelopes().size(); i++) {
                                if (wasted > 0) {
                                    waste = new byte[wasted * turn.envelopes().get(i).size()];
                                }
                                turn.settle(i, Outcome.applied(turn.envelopes().get(i)));
                            }
                        },
                        inbox,
                        new TurnLimits(RECORDS, 1 << 30, RECORDS, 1 << 30, Duration.ofDays(1)),
                        new FailurePolicy(1, Duration.ZERO, Duration.ZERO, FailurePolicy.Last.STOP),
                        environment.environment(),
                        Telemetry.NONE);
        return new WorkerPool(
                1,
                1,
                PoolSizing.GAIN,
                runner,
                fault -> {
                    throw new AssertionError(fault);
                },
                environment.environment().ticker(),
                Telemetry.NONE);
    }

    private Router newRouter() {
        AssignedPartition partition = new AssignedPartition(epoch.partition());
        partition.become(new Flowing(commitment));
        Assignment assignment = new Assignment();
        assignment.add(List.of(partition));
        Shards shards = Shards.of(16, pool.readyShards(), environment.environment(), new KeyGate());
        RowKeys keys =
                new RowKeys(
                        KeyFormats.string(),
                        RowKeys.Scope.APPLICATION,
                        new NullKeys.Reject(),
                        Ordering.KEY,
                        1_024);
        return new Router(assignment, shards, keys, Telemetry.NONE);
    }

    @Test
    void ofAKeyThatComesOftenAMessageCostsItselfAndSomePlacesInLists() {
        assertThat(bytesPerMessage(100)).isLessThan(OF_A_KEY_THAT_COMES_OFTEN);
    }

    @Test
    void ofAKeyThatComesOnceItCostsAnEnvelopeMore() {
        assertThat(bytesPerMessage(Integer.MAX_VALUE)).isLessThan(OF_A_KEY_THAT_COMES_ONCE);
    }

    @Test
    void whereAMessageCostsALittleMoreThatIsSeen() {
        wasted = A_LITTLE;
        assertThat(bytesPerMessage(100)).isGreaterThan(OF_A_KEY_THAT_COMES_OFTEN);
        assertThat(waste).isNotEmpty();
    }

    @Test
    void whereAnEnvelopeCostsALittleMoreThatIsSeen() {
        wasted = A_LITTLE;
        assertThat(bytesPerMessage(Integer.MAX_VALUE)).isGreaterThan(OF_A_KEY_THAT_COMES_ONCE);
        assertThat(waste).isNotEmpty();
    }

    /**
     * Each object of a message that waits would be followed and copied by some young collections,
     * and found in no cache when a worker comes to it.
     */
    @Test
    void aMessageThatWaitsIsNoObject() {
        assertThat(objectsThatWait(Integer.MAX_VALUE)).isLessThan(OBJECTS_OF_WAITING_MESSAGES);
        assertThat(objectsThatWait(100)).isLessThan(OBJECTS_OF_WAITING_MESSAGES);
    }

    @Test
    void whereAMessageThatWaitsIsAnObjectThatIsSeen() {
        keepsMessages = true;
        assertThat(objectsThatWait(100)).isGreaterThan(OBJECTS_OF_WAITING_MESSAGES);
    }

    private long objectsThatWait(int keys) {
        int first = polls;
        route(first, keys); // it makes what is kept
        long before = LiveObjects.count();
        route(first + 1, keys);
        return LiveObjects.count() - before;
    }

    private void route(int poll, int keys) {
        polls = poll + 1;
        ConsumerRecords<byte @Nullable [], byte @Nullable []> records = poll(poll, keys);
        environment.advance(Duration.ofSeconds(1)); // so what waits has waited for long
        router.route(new KeyDecoding.Keyed(records, Map.of()), 0);
        if (keepsMessages) {
            kept.add(records);
        }
    }

    private long bytesPerMessage(int keys) {
        long bytes = 0;
        for (int poll = 0; poll < POLLS; poll++) {
            ConsumerRecords<byte @Nullable [], byte @Nullable []> records = poll(poll, keys);
            long allocated = Allocations.bytesOf(() -> work(records));
            bytes = poll == 0 ? 0 : bytes + allocated; // the first fills what is kept
        }
        assertThat(commitment.ledger().committable().offset()).isEqualTo(POLLS * RECORDS);
        return bytes / ((POLLS - 1) * RECORDS);
    }

    private ConsumerRecords<byte @Nullable [], byte @Nullable []> poll(int poll, int keys) {
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            int number = poll * RECORDS + i;
            records.add(
                    Records.record(epoch.partition(), number, 0, "key-" + number % keys, "value"));
        }
        return new ConsumerRecords<>(Map.of(epoch.partition(), records), Map.of());
    }

    private void work(ConsumerRecords<byte @Nullable [], byte @Nullable []> records) {
        router.route(new KeyDecoding.Keyed(records, Map.of()), 0);
        while (pool.turn()) {
            inbox.drain(notice -> ((AckInbox.Acked) notice).bookInto(commitment.ledger()));
        }
    }
}
