package dev.envelope.core.api;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * One record of the log with its key decoded. It keeps the fields that it needs and not the
 * client's record, so that there is less to copy while messages wait.
 *
 * <p>Threads: immutable. The arrays and headers are never changed.
 */
public final class Message {

    /**
     * What a record costs in memory beyond its bytes: message, arrays, strings, mailbox, ledger.
     */
    public static final int OVERHEAD_BYTES = 192;

    private static final int HEADER_OVERHEAD_BYTES = 96;

    /**
     * What the keys of messages that can't have a row begin with. Those of a partition are one key,
     * so that they hold up no other messages. It is a NUL, so no row key can begin with it.
     */
    public static final String NO_ROW = "\u0000";

    private static final Headers NO_HEADERS = noHeaders();

    private final PartitionEpoch epoch;
    private final long sequence;
    private final String key;
    private final @Nullable String refusal;
    private final boolean isKeyKept;
    private final int leaderEpoch;
    private final long offset;
    private final long timestampMillis;
    private final TimestampType timestampType;
    private final int heldBytes;
    private final byte @Nullable [] keyBytes;
    private final byte @Nullable [] value;
    private final Headers headers;

    private Message(
            PartitionEpoch epoch,
            long sequence,
            RowKey key,
            @Nullable String refusal,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        this.epoch = epoch;
        this.sequence = sequence;
        this.key = key.text();
        this.refusal = refusal;
        this.isKeyKept = key.isKept();
        this.leaderEpoch = record.leaderEpoch().orElse(NextOffset.NO_EPOCH);
        this.offset = record.offset();
        this.timestampMillis = record.timestamp();
        this.timestampType = record.timestampType();
        this.keyBytes = key.bytes();
        this.value = record.value();
        Header[] all = record.headers().toArray(); // allocates nothing if there are none
        this.headers = all.length == 0 ? NO_HEADERS : record.headers();
        this.heldBytes = heldBytes(record.serializedKeySize(), record.serializedValueSize(), all);
    }

    private Message(
            PartitionEpoch source, String key, long offset, int leaderEpoch, Content content) {
        this.epoch = source;
        this.sequence = 0;
        this.key = key;
        this.refusal = null;
        this.isKeyKept = false;
        this.leaderEpoch = leaderEpoch;
        this.offset = offset;
        this.timestampMillis = content.timestampMillis();
        this.timestampType = TimestampType.CREATE_TIME;
        this.keyBytes = content.key();
        this.value = content.value();
        this.headers = content.headers();
        this.heldBytes = heldBytes(length(keyBytes), length(value), headers.toArray());
    }

    private Message(
            PartitionEpoch epoch,
            RowKey key,
            InLog inLog,
            byte @Nullable [] value,
            Headers headers) {
        this.epoch = epoch;
        this.sequence = inLog.sequence();
        this.key = key.text();
        this.refusal = null;
        this.isKeyKept = key.isKept();
        this.leaderEpoch = inLog.leaderEpoch();
        this.offset = inLog.offset();
        this.timestampMillis = inLog.timestampMillis();
        this.timestampType = inLog.timestampType();
        this.keyBytes = key.bytes();
        this.value = value;
        this.headers = headers;
        this.heldBytes = inLog.heldBytes();
    }

    /** What a message is in its log and in its ledger, besides its contents. */
    public record InLog(
            long sequence,
            long offset,
            int leaderEpoch,
            long timestampMillis,
            TimestampType timestampType,
            int heldBytes) {}

    /** Timestamp, key, value and headers of a message. */
    public record Content(
            long timestampMillis,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {}

    private Message(Message other, byte @Nullable [] value) {
        this.epoch = other.epoch;
        this.sequence = other.sequence;
        this.key = other.key;
        this.refusal = other.refusal;
        this.isKeyKept = other.isKeyKept;
        this.leaderEpoch = other.leaderEpoch;
        this.offset = other.offset;
        this.timestampMillis = other.timestampMillis;
        this.timestampType = other.timestampType;
        this.keyBytes = other.keyBytes;
        this.value = value;
        this.headers = other.headers;
        this.heldBytes = other.heldBytes;
    }

    /** The same message with another value. */
    public Message withValue(byte @Nullable [] other) {
        return new Message(this, other);
    }

    /** The headers of a message that has none. */
    public static Headers withoutHeaders() {
        return NO_HEADERS;
    }

    private static Headers noHeaders() {
        RecordHeaders none = new RecordHeaders();
        none.setReadOnly();
        return none;
    }

    /**
     * A message of a row.
     *
     * @param sequence the record's place in the ledger of its epoch
     */
    public static Message of(
            PartitionEpoch epoch,
            long sequence,
            String key,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        return of(epoch, sequence, new RowKey(key, record.key()), record);
    }

    /**
     * The same.
     *
     * @param key with bytes that are equal to those of the record
     */
    public static Message of(
            PartitionEpoch epoch,
            long sequence,
            RowKey key,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        return new Message(epoch, sequence, key, null, record);
    }

    /**
     * A message that can't have a row: it will be set aside alone.
     *
     * @param refusal why, in words for the operator
     */
    public static Message withoutRow(
            PartitionEpoch epoch,
            long sequence,
            String refusal,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        RowKey key = new RowKey(NO_ROW + epoch.partition(), record.key());
        return new Message(epoch, sequence, key, refusal, record);
    }

    /**
     * A message that was set aside before, and is in no ledger any more.
     *
     * @param source names the source that it came from; it is not an epoch of the engine
     */
    public static Message setAside(
            PartitionEpoch source, String key, long offset, int leaderEpoch, Content content) {
        return new Message(source, key, offset, leaderEpoch, content);
    }

    /** A message whose parts were kept apart while it waited. */
    public static Message ofParts(
            PartitionEpoch epoch,
            RowKey key,
            InLog inLog,
            byte @Nullable [] value,
            Headers headers) {
        return new Message(epoch, key, inLog, value, headers);
    }

    /** Whether this is the key of messages that can't have a row. */
    public static boolean isOfNoRow(String key) {
        return key.startsWith(NO_ROW);
    }

    /** The bytes that a record counts as while it is unacked. */
    public static int heldBytes(ConsumerRecord<?, ?> record) {
        return heldBytes(
                record.serializedKeySize(),
                record.serializedValueSize(),
                record.headers().toArray());
    }

    private static int length(byte @Nullable [] bytes) {
        return bytes == null ? 0 : bytes.length;
    }

    private static int heldBytes(int keyBytes, int valueBytes, Header[] headers) {
        long bytes = (long) OVERHEAD_BYTES + Math.max(0, keyBytes) + Math.max(0, valueBytes);
        for (Header header : headers) {
            bytes += HEADER_OVERHEAD_BYTES + header.key().length() + length(header.value());
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    public PartitionEpoch epoch() {
        return epoch;
    }

    public long sequence() {
        return sequence;
    }

    /** The row key, or one that begins with {@link #NO_ROW}. */
    public String key() {
        return key;
    }

    /** Why it can't have a row; null for a message that can. */
    public @Nullable String refusal() {
        return refusal;
    }

    /** Whether text and bytes of its key are kept for the next messages of the key. */
    public boolean isKeyKept() {
        return isKeyKept;
    }

    public String topic() {
        return epoch.partition().topic();
    }

    public int partition() {
        return epoch.partition().partition();
    }

    public long offset() {
        return offset;
    }

    /** The leader epoch of the record, or {@link NextOffset#NO_EPOCH}. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The record's timestamp in milliseconds, as its producer or its broker set it. */
    public long timestampMillis() {
        return timestampMillis;
    }

    /** Whether its producer or its broker set the timestamp. */
    public TimestampType timestampType() {
        return timestampType;
    }

    /** The bytes of the record's key; null if it has none. */
    public byte @Nullable [] keyBytes() {
        return keyBytes;
    }

    /** The bytes of the record's value; null for a tombstone. */
    public byte @Nullable [] value() {
        return value;
    }

    public Headers headers() {
        return headers;
    }

    /** The last header of that name, or null. */
    public byte @Nullable [] header(String name) {
        Header header = headers == NO_HEADERS ? null : headers.lastHeader(name);
        return header == null ? null : header.value();
    }

    /** The bytes that it counts as while it is unacked. */
    public int heldBytes() {
        return heldBytes;
    }

    /** The offset after this message. */
    public NextOffset next() {
        return NextOffset.after(offset, leaderEpoch);
    }

    @Override
    public String toString() {
        return topic() + "-" + partition() + "@" + offset();
    }
}
