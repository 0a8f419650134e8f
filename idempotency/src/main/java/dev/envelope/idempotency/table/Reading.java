package dev.envelope.idempotency.table;

import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableStore;
import dev.envelope.idempotency.store.table.TableStore.Most;
import dev.envelope.idempotency.store.table.TableStore.Part;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a partition that are in hand, from the moment its position was set until it is set
 * again: read and not yet taken, or taken and not yet committed. None of them is read again.
 *
 * <p>Threads: thread-safe (its monitor).
 */
final class Reading {

    private static final long LEAST_NUMBERS = 1_000_000;

    /** A row that was taken, and the offset that it has got. */
    private record Taken(long offset, String id) {}

    private final TopicPartition partition;
    private final int slots;
    private final ArrayDeque<TableRow> shelf = new ArrayDeque<>();
    private final ArrayDeque<Taken> taken = new ArrayDeque<>();
    private final Set<String> inHand = new HashSet<>();
    private long shelfBytes;
    private long next = -1; // the number of the next row that is taken
    private long behind = -1; // how many rows wait beyond what is in hand; -1 if not known

    /**
     * @param slots among which the table is divided
     */
    Reading(TopicPartition partition, int slots) {
        this.partition = partition;
        this.slots = slots;
    }

    /** What is read of the table. */
    Part part() {
        return new Part(partition.partition(), slots);
    }

    /** Whether there are numbers for what may be on the shelf, and more. */
    synchronized boolean hasNumbers() {
        return next >= 0 && TableStore.NUMBERS - next % TableStore.NUMBERS > LEAST_NUMBERS;
    }

    /** Rows get numbers from here on. */
    synchronized void numbersFrom(long first) {
        next = first;
    }

    /** Whether what is read and not yet taken is less than half of that. */
    synchronized boolean hasRoomFor(Most page) {
        return shelf.size() < page.rows() / 2 && shelfBytes < page.bytes() / 2;
    }

    /** Puts those that are not in hand to what is to be taken; returns how many. */
    synchronized int put(List<TableRow> rows) {
        int before = shelf.size();
        for (TableRow row : rows) {
            if (inHand.add(row.id())) {
                shelf.add(row);
                shelfBytes += row.bytes();
            }
        }
        int added = shelf.size() - before;
        behind = behind < 0 ? behind : Math.max(0, behind - added);
        return added;
    }

    /** A whole pass has found nothing new. */
    synchronized void allInHand() {
        behind = 0;
    }

    /** All that is to be taken. */
    synchronized List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> take() {
        List<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records =
                new ArrayList<>(shelf.size());
        for (TableRow row : shelf) {
            taken.add(new Taken(next, row.id()));
            records.add(record(row, next++));
        }
        shelf.clear();
        shelfBytes = 0;
        return records;
    }

    private ConsumerRecord<byte @Nullable [], byte @Nullable []> record(TableRow row, long offset) {
        byte[] key = row.key().getBytes(StandardCharsets.UTF_8);
        byte @Nullable [] value = row.value();
        Headers headers =
                new RecordHeaders(
                        List.of(
                                new RecordHeader(
                                        TableRow.ID, row.id().getBytes(StandardCharsets.UTF_8))));
        return new ConsumerRecord<>(
                partition.topic(),
                partition.partition(),
                offset,
                row.timestampMillis(),
                TimestampType.CREATE_TIME,
                key.length,
                value == null ? -1 : value.length,
                key,
                value,
                headers,
                Optional.empty());
    }

    /** The rows below an offset are done. */
    synchronized void committed(long offset) {
        while (!taken.isEmpty() && taken.getFirst().offset() < offset) {
            inHand.remove(taken.removeFirst().id());
        }
    }

    /** So many rows are not done, those in hand included. */
    synchronized void counted(long rows) {
        behind = Math.max(0, rows - inHand.size());
    }

    /** How many rows wait beyond those that were taken; -1 if not known. */
    synchronized long lag() {
        return behind < 0 ? -1 : behind + shelf.size();
    }
}
