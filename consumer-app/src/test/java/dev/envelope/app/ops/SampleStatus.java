package dev.envelope.app.ops;

import dev.envelope.core.Recurring;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.place.PlaceStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * A process that works, of which a test says what is otherwise.
 *
 * <p>Threads: one thread.
 */
public final class SampleStatus {

    public static final ProcessStatus.Identity IDENTITY =
            new ProcessStatus.Identity("1.2.3", "balances", "here-1", "abc", "rows");
    public static final ProcessStatus.Totals TOTALS = new ProcessStatus.Totals(9, 8, 2, 1, 0, 3);

    private final List<PartitionStatus> partitions;
    private Duration beatAge = Duration.ofMillis(120);
    private boolean isStoreThere = true;
    private String notCommitted = "";
    private List<String> missingTopics = List.of();
    private int busy = 1;
    private int stuck;
    private int stuckForGood;
    private List<Recurring.Status> loops = List.of();
    private OutboxStatus outbox = OutboxStatus.EMPTY;
    private OutputStatus outputs = OutputStatus.NOTHING;
    private Frozen frozen = Frozen.NONE;
    private List<PlaceStatus> places = List.of();
    private Optional<SlotLocks.Seen> slots = Optional.empty();
    private List<String> strain = List.of();

    private SampleStatus(List<PartitionStatus> partitions) {
        this.partitions = partitions;
    }

    public static SampleStatus of(PartitionStatus... partitions) {
        return new SampleStatus(List.of(partitions));
    }

    /** One whose records of a minute ago are still under way. */
    public static PartitionStatus partition(int number, String pausedBecause) {
        return partition(number, 15, 10, pausedBecause, false);
    }

    public static PartitionStatus stopped(int number, String because) {
        return partition(number, 15, 10, because, true);
    }

    public static PartitionStatus partition(
            int number, long lag, long unacked, String pausedBecause, boolean isStopped) {
        return new PartitionStatus(
                new TopicPartition("payments", number),
                3,
                120,
                110,
                100,
                lag,
                unacked,
                4_096,
                62_000,
                pausedBecause,
                "",
                "",
                isStopped,
                null);
    }

    public SampleStatus beatAge(Duration age) {
        beatAge = age;
        return this;
    }

    public SampleStatus isStoreThere(boolean isThere) {
        isStoreThere = isThere;
        return this;
    }

    public SampleStatus notCommitted(String words) {
        notCommitted = words;
        return this;
    }

    public SampleStatus missingTopic(String name) {
        missingTopics = List.of(name);
        return this;
    }

    /** Workers whose handler heeds no interrupt. */
    public SampleStatus stuck(int workers) {
        stuck = workers;
        return this;
    }

    /** So many of four workers. */
    public SampleStatus busy(int workers) {
        busy = workers;
        return this;
    }

    /** Workers that are stuck, with nobody in their place. */
    public SampleStatus stuckForGood(int workers) {
        stuckForGood = workers;
        return this;
    }

    public SampleStatus outbox(OutboxStatus status) {
        outbox = status;
        return this;
    }

    public SampleStatus outputs(OutputStatus status) {
        outputs = status;
        return this;
    }

    /** Keys are frozen, and more than {@code most} are too many. */
    public SampleStatus frozen(long most, FrozenKeys... partitions) {
        frozen = new Frozen(List.of(partitions), most);
        return this;
    }

    /** All of it is slow, for that. */
    public SampleStatus strain(String words) {
        strain = List.of(words);
        return this;
    }

    /** Something beside the engine, whose last turn has thrown that. */
    public SampleStatus failingLoop(String name, String trouble) {
        loops = List.of(new Recurring.Status(name, 7, 2, trouble));
        return this;
    }

    /** Slots divide the partitions. */
    public SampleStatus slots(SlotLocks.Seen seen) {
        slots = Optional.of(seen);
        return this;
    }

    /** Rows are divided between these. */
    public SampleStatus places(PlaceStatus... all) {
        places = List.of(all);
        return this;
    }

    public ProcessStatus status() {
        return new ProcessStatus(
                IDENTITY,
                "RUNNING",
                Duration.ofMinutes(1),
                beatAge,
                new EngineStatus(0, true, 1, isStoreThere, notCommitted, missingTopics, partitions),
                Duration.ZERO,
                new ProcessStatus.Pool(
                        "fold(count)", 4, busy, 17, 0, 3, stuck, 1, stuckForGood, 1 << 20, ""),
                outbox,
                outputs,
                loops,
                List.of(),
                frozen,
                strain,
                TOTALS,
                slots,
                places);
    }
}
