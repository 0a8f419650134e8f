package dev.envelope.core.fetch;

import dev.envelope.core.api.Environment;
import dev.envelope.core.api.FailurePolicy;
import dev.envelope.core.api.Words;
import dev.envelope.core.assignment.Assigned;
import dev.envelope.core.assignment.AssignedPartition;
import dev.envelope.core.assignment.AssignedPartition.Flowing;
import dev.envelope.core.assignment.Positioning;
import dev.envelope.core.assignment.Undecoded;
import dev.envelope.core.background.Background;
import dev.envelope.core.decode.DecodeFault;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.key.RowKeys;
import dev.envelope.core.key.RowKeys.DecodedKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has keys decoded in the background, where their format may block: it may ask a registry of
 * schemas, which may be away. A partition has one batch at a time in hand, and goes on in order;
 * the others flow meanwhile. A key that can't be decoded now is tried again, for as long as
 * somebody is away; one of which nobody can tell why, for a stated time, and then its partition
 * stops. Keys of the other formats pass through.
 *
 * <p>A batch in hand is in no ledger and no budget, and is forgotten with its assignment.
 *
 * <p>Threads: poll thread only; keys are decoded on a thread for each partition, which answers by
 * an errand.
 */
final class KeyDecoding {

    private static final Logger log = LoggerFactory.getLogger(KeyDecoding.class);
    private static final Duration RETRY = Duration.ofMillis(50);
    private static final Duration RETRY_MAX = Duration.ofSeconds(5);

    private final RowKeys keys;
    private final Assigned assignment;
    private final Positioning positioning;
    private final Environment environment;
    private final Background background;
    private final Duration unclearAtMost;
    private final Map<AssignedPartition, Decoded> done = new LinkedHashMap<>();
    private int underWay;

    /** What came of a batch, as far as it could be decoded. */
    private record Decoded(
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
            List<DecodedKey> keys,
            Optional<OffsetAndMetadata> next) {}

    /**
     * Records that may be routed.
     *
     * @param keys theirs, in their order, where they were decoded before
     */
    record Keyed(
            ConsumerRecords<byte @Nullable [], byte @Nullable []> records,
            Map<TopicPartition, List<DecodedKey>> keys) {}

    /**
     * @param unclearAtMost how long a key is tried of which nobody can tell why it can't be decoded
     */
    KeyDecoding(
            RowKeys keys,
            Assigned assignment,
            Positioning positioning,
            Environment environment,
            Background background,
            Duration unclearAtMost) {
        this.keys = keys;
        this.assignment = assignment;
        this.positioning = positioning;
        this.environment = environment;
        this.background = background;
        this.unclearAtMost = unclearAtMost;
    }

    /** Whether keys are being decoded: then an errand is about to come. */
    boolean isUnderWay() {
        return underWay > 0;
    }

    /** Takes what was polled in hand, and hands out what has been decoded since. */
    Keyed admit(ConsumerRecords<byte @Nullable [], byte @Nullable []> polled) {
        if (!keys.mayBlock()) {
            return new Keyed(polled, Map.of());
        }
        Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
        for (TopicPartition name : polled.partitions()) {
            Optional<OffsetAndMetadata> behind = Optional.ofNullable(next.remove(name));
            assignment
                    .get(name)
                    .filter(this::isOpen)
                    .ifPresent(it -> take(it, polled.records(name), behind));
        }
        // Of a partition with something in hand the client may say that it is further.
        next.keySet().removeIf(name -> assignment.get(name).stream().anyMatch(this::hasInHand));
        Map<TopicPartition, List<ConsumerRecord<byte @Nullable [], byte @Nullable []>>> through =
                new LinkedHashMap<>();
        Map<TopicPartition, List<DecodedKey>> theirKeys = new HashMap<>();
        done.forEach(
                (partition, decoded) -> {
                    if (isOpen(partition)) {
                        through.put(partition.partition(), decoded.records());
                        theirKeys.put(partition.partition(), decoded.keys());
                        // What this poll says of it is behind that batch.
                        decoded.next().ifPresent(it -> next.putIfAbsent(partition.partition(), it));
                    }
                });
        done.clear();
        return new Keyed(new ConsumerRecords<>(through, next), theirKeys);
    }

    private boolean isOpen(AssignedPartition partition) {
        return assignment.has(partition) && partition.phase() instanceof Flowing;
    }

    private boolean hasInHand(AssignedPartition partition) {
        return partition.undecoded().isPresent();
    }

    private void take(
            AssignedPartition partition,
            List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records,
            Optional<OffsetAndMetadata> next) {
        Undecoded before = partition.undecoded().orElse(null);
        if (before != null) { // it was paused too late for what the client had at hand
            partition.decodeLater(before.plus(records, next));
        } else {
            Undecoded batch = Undecoded.of(records, next, environment.ticker().nanoTime());
            partition.decodeLater(batch);
            decode(partition, batch);
        }
    }

    private void decode(AssignedPartition partition, Undecoded batch) {
        underWay++;
        background.askOthers(
                "decoding keys",
                () -> decodeAll(batch),
                attempt -> decoded(partition, batch, attempt));
    }

    /** The keys of a batch, as far as that went, and what it ended with. */
    private record Attempt(List<DecodedKey> keys, @Nullable DecoderOutException failure) {}

    /** On a thread of the format's own. */
    private Attempt decodeAll(Undecoded batch) {
        List<DecodedKey> decoded = new ArrayList<>(batch.records().size());
        try {
            for (ConsumerRecord<byte @Nullable [], byte @Nullable []> record : batch.records()) {
                decoded.add(keys.decode(record));
            }
            return new Attempt(decoded, null);
        } catch (DecoderOutException e) {
            return new Attempt(decoded, e);
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) { // a bug of the format: no reason to end the process
            boolean isOutage = DecodeFault.of(e) == DecodeFault.OUTAGE;
            return new Attempt(decoded, new DecoderOutException(Words.describe(e), e, isOutage));
        }
    }

    private void decoded(AssignedPartition partition, Undecoded asked, Attempt attempt) {
        underWay--;
        Undecoded batch = partition.undecoded().orElse(null);
        if (!isOpen(partition) || batch == null || !batch.beginsAs(asked)) {
            return; // it was let go meanwhile, and is read again
        }
        int size = attempt.keys().size();
        if (size > 0 && batch.hasFailedOften()) {
            log.info("{} goes on: its keys can be decoded again", partition.partition());
        }
        boolean isAll = size == batch.records().size();
        if (size > 0) {
            done.put(
                    partition,
                    new Decoded(
                            batch.records().subList(0, size),
                            attempt.keys(),
                            isAll ? batch.next() : Optional.empty()));
        }
        if (isAll) {
            partition.holdNothing();
        } else if (attempt.failure() == null) { // more has come since
            goOn(partition, batch.from(size, environment.ticker().nanoTime()));
        } else {
            failed(partition, batch.from(size, environment.ticker().nanoTime()), attempt.failure());
        }
    }

    private void goOn(AssignedPartition partition, Undecoded rest) {
        partition.decodeLater(rest);
        decode(partition, rest);
    }

    private void failed(AssignedPartition partition, Undecoded rest, DecoderOutException why) {
        long now = environment.ticker().nanoTime();
        Undecoded failed = rest.failed(why, now);
        if (failed.unclearNanos(now) > unclearAtMost.toNanos()) {
            positioning.stopAside(
                    partition,
                    failed.inWords(now)
                            + ". Nobody can tell whether it is the key's fault: mend the registry"
                            + " or key.format, or move the group's commit behind it and set"
                            + " on.offset.ahead=follow to skip it, and start again");
            return;
        }
        if (failed.hasFailedOften() && !rest.hasFailedOften()) {
            log.warn("{} waits: {}; trying again", partition.partition(), failed.inWords(now));
        }
        partition.decodeLater(failed);
        Duration wait =
                FailurePolicy.backoff(RETRY, RETRY_MAX, failed.failures(), environment.random());
        background.later(wait, () -> again(partition, failed));
    }

    private void again(AssignedPartition partition, Undecoded failed) {
        partition
                .undecoded()
                .filter(it -> isOpen(partition) && it.beginsAs(failed))
                .ifPresent(batch -> decode(partition, batch));
    }
}
