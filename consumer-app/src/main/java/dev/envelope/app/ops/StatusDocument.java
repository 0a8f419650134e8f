package dev.envelope.app.ops;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.outbox.OutboxStatus;
import dev.envelope.idempotency.output.OutputStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import dev.envelope.idempotency.store.place.PlaceStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The documents of {@code /status}, {@code /livez} and {@code /readyz}, as maps and records for
 * JSON. Their names are an API: they may be added, never changed.
 */
public final class StatusDocument {

    private StatusDocument() {}

    /** The whole status. */
    public static Map<String, Object> status(ProcessStatus status) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("version", status.identity().version());
        document.put("application", status.identity().applicationId());
        document.put("instance", status.identity().instance());
        document.put("configFingerprint", status.identity().fingerprint());
        document.put("mode", status.identity().mode());
        document.put("state", status.state());
        document.put("ready", status.notReadyBecause().isEmpty());
        document.put("notReadyBecause", status.notReadyBecause());
        document.put("uptimeSeconds", status.uptime().toSeconds());
        document.put("beatAgeMillis", status.beatAge().toMillis());
        document.put("joined", status.engine().joined());
        document.put("storeReachable", status.engine().storeReachable());
        document.put("brokerSilentMillis", status.brokerSilence().toMillis());
        document.put("totals", status.totals());
        document.put("inFlight", status.unacked());
        document.put("oldestUnackedMillis", status.oldestUnacked().toMillis());
        document.put("lag", status.lag());
        document.put("pool", pool(status));
        document.put("frozen", frozen(status.frozen()));
        document.put("outbox", outbox(status.outbox()));
        document.put("outputs", outputs(status.outputs()));
        status.slots().ifPresent(it -> document.put("slots", slots(it)));
        if (!status.places().isEmpty()) {
            document.put("places", status.places().stream().map(StatusDocument::place).toList());
        }
        document.put("loops", status.loops());
        document.put("partitions", partitions(status));
        return document;
    }

    /** The status of each partition. */
    public static List<Map<String, Object>> partitions(ProcessStatus status) {
        return status.partitions().stream()
                .map(it -> partition(it, status.identity().instance()))
                .toList();
    }

    /** Whether all that was fetched is saved and committed, and nothing more is fetched. */
    public static Object drain(ProcessStatus status) {
        return new Drain(status.isDrained(), status.unacked(), status.uncommitted());
    }

    private record Drain(boolean drained, long inFlight, long uncommitted) {}

    /** The answer of a probe: ok or not, with the reasons. */
    public static Object probe(List<String> reasons) {
        return new Probe(reasons.isEmpty(), reasons);
    }

    private record Probe(boolean ok, List<String> reasons) {}

    /** The status of the workers. */
    public static Object pool(ProcessStatus status) {
        return new Workers(
                status.pool(),
                status.heldBytes(),
                status.unacked(),
                status.totals().fetched(),
                status.totals().setAside());
    }

    private record Workers(
            @JsonUnwrapped ProcessStatus.Pool pool,
            long mailboxHeldBytes,
            long mailboxMessages,
            long forwarded,
            long unhandled) {}

    /** The same, under names that are usual for worker pools. */
    public static Map<String, Object> inspected(ProcessStatus status) {
        ProcessStatus.Pool pool = status.pool();
        Map<String, Object> items = new LinkedHashMap<>();
        items.put("pool_size", pool.size());
        items.put("worker_behavior", pool.behavior());
        items.put("worker_mailbox_size", pool.mailboxBytes());
        items.put("pool_capacity", pool.mailboxBytes());
        items.put("worker_restarts", pool.workersReplaced());
        items.put("messages_forwarded", status.totals().fetched());
        items.put("messages_unhandled", status.totals().setAside());
        items.put("mailbox_depth", status.unacked());
        items.put("oldest_age_millis", status.oldestUnacked().toMillis());
        items.put("busy_ratio", pool.size() == 0 ? 0.0 : (double) pool.busy() / pool.size());
        return items;
    }

    private record Parked(long keys, long messages, long oldestMillis, String inWords) {}

    private static Parked frozen(Frozen frozen) {
        String inWords = frozen.sentence().orElse("");
        return new Parked(frozen.keys(), frozen.messages(), frozen.oldest().toMillis(), inWords);
    }

    private static Map<String, Object> outbox(OutboxStatus outbox) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("waiting", outbox.rows());
        document.put("oldestMillis", outbox.oldest().toMillis());
        document.put("relayed", outbox.relayed());
        document.put("failures", outbox.failures());
        document.put("trouble", outbox.trouble());
        document.put("full", outbox.isFull());
        return document;
    }

    private static Map<String, Object> outputs(OutputStatus outputs) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("waiting", outputs.waiting().outputs());
        document.put("waitingBytes", outputs.waiting().bytes());
        document.put("oldestMillis", outputs.waiting().oldest().toMillis());
        document.put("sent", outputs.sent());
        document.put("batches", outputs.batches());
        document.put("refused", outputs.refused());
        document.put("doubtful", outputs.doubtful());
        document.put("trouble", outputs.trouble());
        document.put("full", outputs.isFull());
        return document;
    }

    private static Map<String, Object> place(PlaceStatus place) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("name", place.name());
        document.put("slots", place.slots());
        document.put("away", place.silence().map(PlaceStatus.Silence::why).orElse(""));
        document.put("awaySeconds", place.silence().map(it -> it.time().toSeconds()).orElse(0L));
        if (!place.moves().isEmpty()) {
            document.put("moves", place.moves());
        }
        return document;
    }

    private record Holder(int slot, String instance, boolean ours) {}

    private static Map<String, Object> slots(SlotLocks.Seen seen) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("count", seen.count());
        document.put(
                "holders",
                seen.holders().stream()
                        .map(it -> new Holder(it.slot(), it.instance(), it.isOurs()))
                        .toList());
        document.put("free", seen.free());
        document.put("waiting", seen.waiting());
        document.put("trouble", seen.trouble());
        document.put("change", seen.change());
        return document;
    }

    private static Map<String, Object> partition(PartitionStatus partition, String owner) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("topic", partition.partition().topic());
        document.put("partition", partition.partition().partition());
        document.put("owner", owner);
        document.put("epoch", partition.epoch());
        document.put("position", partition.position());
        document.put("firstUnacked", partition.firstUnacked());
        document.put("committed", partition.committed());
        document.put("end", partition.end());
        document.put("lag", partition.lag());
        document.put("unacked", partition.unacked());
        document.put("heldBytes", partition.heldBytes());
        document.put("oldestUnackedMillis", partition.oldestUnackedMillis());
        document.put("pausedBecause", partition.pausedBecause());
        document.put("skipped", partition.skipped());
        document.put("stopped", partition.stopped());
        return document;
    }
}
