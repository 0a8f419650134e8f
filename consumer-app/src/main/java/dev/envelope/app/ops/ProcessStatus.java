package dev.envelope.app.ops;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Words;
import dev.envelope.core.offset.MessageName;
import dev.envelope.core.pool.WorkerPool;
import dev.envelope.core.status.EngineStatus;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.core.status.WaitingKeys;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.place.PlaceStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The status of the process, for people and probes.
 *
 * @param state PREPARING until the engine exists, then the engine's state
 * @param beatAge the time since the poll loop's last pass
 * @param engine the last status of its poll thread
 * @param brokerSilence how long no broker has answered
 * @param loops the loops beside the engine: requests, purge, relay
 * @param waiting keys that wait for something other than broker and database
 * @param frozen keys with parked messages
 * @param strain what slows the process down, in sentences
 * @param slots who holds which slot; empty where a group divides the partitions
 * @param places the databases that have the rows; none where one has all
 */
public record ProcessStatus(
        Identity identity,
        String state,
        Duration uptime,
        Duration beatAge,
        EngineStatus engine,
        Duration brokerSilence,
        Pool pool,
        OutboxStatus outbox,
        OutputStatus outputs,
        List<Recurring.Status> loops,
        List<WaitingKeys> waiting,
        Frozen frozen,
        List<String> strain,
        Totals totals,
        Optional<SlotLocks.Seen> slots,
        List<PlaceStatus> places) {

    /** The state before the engine exists. */
    public static final String PREPARING = "PREPARING";

    private static final EngineStatus NO_ENGINE =
            new EngineStatus(0, false, -1, false, "", List.of(), List.of());

    private static final String RUNNING = "RUNNING";
    private static final String FAILED = "FAILED";

    /** Keys that wait for longer make the process not ready. */
    private static final Duration WORTH_TELLING = Duration.ofSeconds(2);

    private static final Duration LONGEST_BEAT = Duration.ofSeconds(30);

    /** After a longer silence the broker counts as away; several heartbeats fall into this time. */
    public static final Duration LONGEST_SILENCE = Duration.ofSeconds(10);

    public ProcessStatus {
        loops = List.copyOf(loops);
        waiting = List.copyOf(waiting);
        strain = List.copyOf(strain);
        places = List.copyOf(places);
    }

    /**
     * The identity of the process.
     *
     * @param fingerprint of the effective settings
     * @param mode rows, or work: then there is no database
     */
    public record Identity(
            String version,
            String applicationId,
            String instance,
            String fingerprint,
            String mode) {}

    /**
     * The workers, by the names under which they are shown.
     *
     * @param behavior what each of them does with messages
     * @param handlerTimeouts how often a handler was interrupted after its timeout
     * @param stuckWorkers those whose handler ignores the interrupt and has not returned
     * @param workersReplaced how often a stuck worker was replaced
     * @param notReplaced stuck workers that were not replaced
     * @param mailboxBytes the limit of all mailboxes together
     * @param whySize why there are as many as there are, where latency decides; otherwise empty
     */
    public record Pool(
            String behavior,
            int size,
            int busy,
            long turns,
            long foldsLeftBehind,
            long handlerTimeouts,
            int stuckWorkers,
            long workersReplaced,
            @JsonIgnore int notReplaced,
            long mailboxBytes,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String whySize) {

        /** Before there are workers. */
        public static final Pool NONE = new Pool("", 0, 0, 0, 0, 0, 0, 0, 0, 0, "");

        /** The status of these workers. */
        public static Pool of(String behavior, long mailboxBytes, WorkerPool pool) {
            return new Pool(
                    behavior,
                    pool.size(),
                    pool.busy(),
                    pool.turns(),
                    pool.foldsLeftBehind(),
                    pool.handlerTimeouts(),
                    pool.stuck(),
                    pool.workersReplaced(),
                    pool.notReplaced(),
                    mailboxBytes,
                    pool.whySize());
        }
    }

    /**
     * The totals since the start, by the names under which they are shown.
     *
     * @param records whose effect was saved
     * @param rowsWritten for those records
     */
    @JsonPropertyOrder({"fetched", "records", "rowsWritten", "recordsPerWrite"})
    public record Totals(
            long fetched,
            long records,
            long rowsWritten,
            long duplicates,
            long parked,
            long deadLettered) {

        /** Messages that were set aside. */
        public long setAside() {
            return parked + deadLettered;
        }

        /** How many records there are for each row written. */
        public double recordsPerWrite() {
            return rowsWritten == 0 ? 0 : (double) records / rowsWritten;
        }

        @JsonProperty("recordsPerWrite")
        double recordsPerWriteShown() {
            return Math.round(recordsPerWrite() * 100) / 100.0;
        }
    }

    /** A process whose engine does not exist yet. */
    public static ProcessStatus preparing(Identity identity, Duration uptime, Totals totals) {
        return new ProcessStatus(
                identity,
                PREPARING,
                uptime,
                Duration.ZERO,
                NO_ENGINE,
                Duration.ZERO,
                Pool.NONE,
                OutboxStatus.EMPTY,
                OutputStatus.NOTHING,
                List.of(),
                List.of(),
                Frozen.NONE,
                List.of(),
                totals,
                Optional.empty(),
                List.of());
    }

    /** Why it should be restarted; empty if it is alive. */
    public List<String> notLiveBecause() {
        if (state.equals(FAILED)) {
            return List.of("the engine has failed");
        }
        return beatAge.compareTo(LONGEST_BEAT) > 0
                ? List.of("the poll loop has not turned for " + beatAge.toSeconds() + " s")
                : List.of();
    }

    /** Why it is not ready; empty if it is. */
    public List<String> notReadyBecause() {
        List<String> reasons = new ArrayList<>(notLiveBecause());
        if (!state.equals(RUNNING) && !state.equals(FAILED)) {
            reasons.add("the process is " + state);
        }
        if (!engine.joined()) {
            reasons.add("the group has not given it its part");
        }
        if (!engine.storeReachable()) {
            reasons.add("the database does not answer, or takes no rows");
        }
        for (String topic : engine.missingTopics()) {
            reasons.add(
                    "topic %s does not exist (any more): nothing of it is read".formatted(topic));
        }
        slots.filter(it -> !it.trouble().isEmpty())
                .ifPresent(it -> reasons.add("it can't hold slots: " + it.trouble()));
        if (pool.notReplaced() > 0) {
            reasons.add(
                    pool.stuckWorkers()
                            + " handlers are stuck, and no more workers take their places (the log"
                            + " has their stacks)");
        }
        if (brokerSilence.compareTo(LONGEST_SILENCE) > 0) {
            reasons.add("no broker has answered for " + brokerSilence.toSeconds() + " s");
        }
        partitions().stream()
                .filter(PartitionStatus::stopped)
                .forEach(it -> reasons.add(it.partition() + " is stopped: " + it.pausedBecause()));
        partitions().stream()
                .filter(it -> !it.stopped() && !it.outage().isEmpty())
                .forEach(it -> reasons.add(it.partition() + " waits: " + it.outage()));
        waiting.stream()
                .filter(it -> it.forSoLong().compareTo(WORTH_TELLING) > 0)
                .forEach(it -> reasons.add(sentence(it)));
        if (frozen.isTooMuch()) {
            reasons.add("more keys are frozen than ready.max.frozen.keys=" + frozen.most());
        }
        if (outbox.isFull()) {
            reasons.add(outbox.notReadyBecause());
        }
        if (outputs.isFull()) {
            outputs.sentence().ifPresent(reasons::add);
        }
        return reasons;
    }

    private static String sentence(WaitingKeys waiting) {
        return "%,d %s; first key %s, for %,d s: %s (%s)"
                .formatted(
                        waiting.keys(),
                        waiting.keys() == 1 ? "key waits" : "keys wait",
                        Words.quote(waiting.key()),
                        waiting.forSoLong().toSeconds(),
                        waiting.doing().words(),
                        waiting.standing().trouble());
    }

    /** Why it has not started yet; empty once its engine exists, or has failed. */
    public List<String> notStartedBecause() {
        return state.equals(PREPARING)
                ? List.of("the database or the broker is waited for, or the handler prepared")
                : List.of();
    }

    /** In the order of topic and number. */
    public List<PartitionStatus> partitions() {
        return engine.partitions();
    }

    /** Whether nothing more is fetched, and all that was is saved and committed. */
    public boolean isDrained() {
        return partitions().stream().allMatch(PartitionStatus::isDrained);
    }

    /** Records fetched and not yet durable. */
    public long unacked() {
        return partitions().stream().mapToLong(PartitionStatus::unacked).sum();
    }

    /** The bytes of these records, as the byte budget counts them. */
    public long heldBytes() {
        return partitions().stream().mapToLong(PartitionStatus::heldBytes).sum();
    }

    /** How long the oldest of them has been here. */
    public Duration oldestUnacked() {
        return Duration.ofMillis(
                partitions().stream()
                        .filter(it -> it.unacked() > 0)
                        .mapToLong(PartitionStatus::oldestUnackedMillis)
                        .max()
                        .orElse(0));
    }

    /** Records between the committed offset and the position. */
    public long uncommitted() {
        return partitions().stream()
                .mapToLong(it -> Math.max(0, it.position() - it.committed()))
                .sum();
    }

    /** Records that are in the log and not yet durable, as far as that is known. */
    public long lag() {
        return partitions().stream().mapToLong(it -> Math.max(0, it.lag())).sum();
    }

    /**
     * The age of the oldest message that is not durable, by its timestamp; -1 if it was not fetched
     * yet.
     */
    public long behindMillis(long nowMillis) {
        long most = 0;
        for (PartitionStatus partition : partitions()) {
            MessageName first = partition.firstUnackedMessage();
            if (first != null) {
                most = Math.max(most, nowMillis - first.timestampMillis());
            } else if (partition.lag() > 0) {
                return -1;
            }
        }
        return most;
    }
}
