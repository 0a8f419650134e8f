package dev.envelope.app.ops.api;

import dev.envelope.app.ops.ProcessStatus;
import dev.envelope.app.ops.Said;
import dev.envelope.core.Recurring;
import dev.envelope.core.api.Doing;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.Words;
import dev.envelope.core.mailbox.Standing;
import dev.envelope.core.offset.MessageName;
import dev.envelope.core.status.Holdup;
import dev.envelope.core.status.PartitionStatus;
import dev.envelope.idempotency.slot.SlotLocks;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The answer to "why is my lag stuck?": for each partition the message that its committed offset
 * waits for, what its key is doing, and what waits behind it; and findings, in sentences.
 *
 * @param stuck whether anything is stuck
 * @param findings in sentences; one that says that nothing is stuck, if nothing is
 */
public record StuckDocument(
        boolean stuck, List<String> findings, long lag, List<Map<String, Object>> partitions) {

    /** A message that is here for less time is not a finding. */
    static final Duration USUAL = Duration.ofSeconds(5);

    /** The most partitions that a sentence names. */
    private static final int NAMED = 10;

    /** The cause of hold-ups; only the first with the same cause is described in full. */
    private record Cause(Doing doing, String trouble) {}

    /**
     * The document, with its findings and figures.
     *
     * @param locks which sessions hold the locks that keys wait for, in sentences
     * @param pace what sets the pace, if that is too slow
     */
    public static StuckDocument of(
            ProcessStatus status, List<Holdup> holdups, List<String> locks, Optional<String> pace) {
        List<String> sentences = new ArrayList<>(locks); // causes come before effects
        sentences.addAll(findings(status, holdups, pace.isPresent()));
        boolean isStuck = !sentences.isEmpty();
        if (!isStuck) {
            sentences.add(nothingIsStuck(status));
        }
        pace.ifPresent(sentences::add);
        return new StuckDocument(
                isStuck,
                sentences,
                status.lag(),
                holdups.stream().map(StuckDocument::holdup).toList());
    }

    /**
     * @param isBehind whether the pace explains the backlog: then messages that wait for a turn are
     *     no finding
     */
    private static List<String> findings(
            ProcessStatus status, List<Holdup> holdups, boolean isBehind) {
        List<String> findings = new ArrayList<>();
        status.frozen().sentence().ifPresent(findings::add);
        findings.addAll(status.notReadyBecause());
        if (!status.outputs().isFull()) { // or that is said already
            status.outputs().sentence().ifPresent(findings::add);
        }
        if (!status.engine().notCommitted().isEmpty()) {
            findings.add(status.engine().notCommitted());
        }
        deafHandlers(status).ifPresent(findings::add);
        status.slots().flatMap(StuckDocument::freeSlots).ifPresent(findings::add);
        status.places().forEach(place -> place.sentence().ifPresent(findings::add));
        status.places()
                .forEach(
                        place -> place.moves().forEach(it -> findings.add(it + ": its keys wait")));
        findings.addAll(status.strain()); // the lag is not known while fetches are held back
        Map<Cause, List<Holdup>> alike = new LinkedHashMap<>();
        for (Holdup holdup : holdups) {
            boolean isOld = holdup.partition().oldestUnackedMillis() > USUAL.toMillis();
            boolean isInTrouble = !holdup.standing().trouble().isEmpty();
            if (isInTrouble || (isOld && !(isBehind && isMoving(holdup)))) {
                Cause cause = new Cause(holdup.standing().doing(), holdup.standing().trouble());
                alike.computeIfAbsent(cause, any -> new ArrayList<>()).add(holdup);
            }
        }
        alike.values().forEach(each -> findings.add(sentence(each)));
        for (PartitionStatus partition : status.partitions()) {
            String reason = partition.pausedBecause();
            boolean isUsual = isBehind && reason.equals(PartitionStatus.ENOUGH);
            if (!partition.stopped() && !reason.isEmpty() && !isUsual) {
                findings.add("%s is not fetched: %s".formatted(partition.partition(), reason));
            }
        }
        for (Recurring.Status loop : status.loops()) {
            if (loop.isFailing()) {
                findings.add(
                        "%s: the last turn failed, and is tried again: %s"
                                .formatted(loop.name(), Words.line(loop.trouble())));
            }
        }
        return findings;
    }

    /** Nobody reads the partitions of a slot that nobody holds. */
    private static Optional<String> freeSlots(SlotLocks.Seen seen) {
        List<Integer> free = seen.free();
        if (free.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                "%d of %d slots are held by nobody, the first is %d: what is theirs is not read;"
                                .formatted(free.size(), seen.count(), free.get(0))
                        + " start more processes, or raise slots.per.process");
    }

    /** A sentence about stuck handlers, while all their workers have been replaced. */
    private static Optional<String> deafHandlers(ProcessStatus status) {
        int stuck = status.pool().stuckWorkers();
        if (stuck == 0 || status.pool().notReplaced() > 0) {
            return Optional.empty();
        }
        return Optional.of(
                (stuck == 1 ? "1 handler ignores" : stuck + " handlers ignore")
                        + " the interrupt of handler.timeout: a key waits for each, and"
                        + " the log says at which message, and where in the code");
    }

    private static boolean isMoving(Holdup holdup) {
        return holdup.standing().doing() == Doing.QUEUED || holdup.forSoLong().compareTo(USUAL) < 0;
    }

    private static String nothingIsStuck(ProcessStatus status) {
        if (status.lag() == 0) {
            return "nothing is stuck: everything that is in the log is durable";
        }
        return "nothing is stuck: %s on the way, the oldest for %s"
                .formatted(Words.count(status.lag(), "record"), Said.of(status.oldestUnacked()));
    }

    private static String sentence(List<Holdup> alike) {
        String first = sentence(alike.get(0));
        if (alike.size() == 1) {
            return first;
        }
        String others =
                alike.stream()
                        .skip(1)
                        .limit(NAMED)
                        .map(it -> it.partition().partition().toString())
                        .collect(Collectors.joining(", "));
        int unnamed = alike.size() - 1 - NAMED;
        return "%s. The same in %,d partitions in all: also in %s"
                        .formatted(first, alike.size(), others)
                + (unnamed > 0 ? " and %,d more".formatted(unnamed) : "");
    }

    /** What a partition waits for. */
    static String sentence(Holdup holdup) {
        Standing standing = holdup.standing();
        PartitionStatus partition = holdup.partition();
        String attempts =
                switch (standing.failedAttempts()) {
                    case 0 -> "";
                    case 1 -> ", after one failed attempt";
                    default -> ", after %,d failed attempts".formatted(standing.failedAttempts());
                };
        String trouble = standing.trouble().isEmpty() ? "" : ", last with " + standing.trouble();
        return "%s waits for message %s of %s, which is here for %s: %s (for %s%s%s). "
                        .formatted(
                                partition.partition(),
                                holdup.message(),
                                key(holdup.message()),
                                Said.of(Duration.ofMillis(partition.oldestUnackedMillis())),
                                standing.doing().words(),
                                Said.of(holdup.forSoLong()),
                                attempts,
                                trouble)
                + "Behind it wait %s of its key and %,d of the partition in all"
                        .formatted(
                                Words.count(Math.max(0, standing.messages() - 1), "message"),
                                Math.max(0, partition.unacked() - 1));
    }

    private static String key(MessageName message) {
        return Message.isOfNoRow(message.key()) ? "no row" : "key " + Words.quote(message.key());
    }

    private static Map<String, Object> holdup(Holdup holdup) {
        Map<String, Object> document = new LinkedHashMap<>();
        PartitionStatus partition = holdup.partition();
        MessageName message = holdup.message();
        document.put("topic", partition.partition().topic());
        document.put("partition", partition.partition().partition());
        document.put("offset", message.offset());
        document.put("key", Message.isOfNoRow(message.key()) ? null : message.key());
        document.put("timestamp", Instant.ofEpochMilli(message.timestampMillis()));
        document.put("hereForMillis", partition.oldestUnackedMillis());
        document.putAll(standing(holdup.standing(), holdup.forSoLong()));
        document.put("unackedInPartition", partition.unacked());
        document.put("heldBytes", partition.heldBytes());
        document.put("lag", partition.lag());
        document.put("pausedBecause", partition.pausedBecause());
        return document;
    }

    /** What a key is doing. */
    static Map<String, Object> standing(Standing standing, Duration forSoLong) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("doing", standing.doing().name());
        document.put("inWords", standing.doing().words());
        document.put("forMillis", forSoLong.toMillis());
        document.put("failedAttempts", standing.failedAttempts());
        document.put("trouble", standing.trouble());
        document.put("messagesOfKey", standing.messages());
        return document;
    }
}
