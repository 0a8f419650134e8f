package dev.envelope.integration.simulation;

import dev.envelope.core.api.NextOffset;
import dev.envelope.idempotency.store.reply.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The log of one partition in one life of its topic. It can lose its beginning to retention, its
 * end to a truncation, after which another branch of it is written, and single records to
 * compaction. What was ever in it is kept for the checks.
 *
 * <p>Threads: one thread.
 */
final class SimPartition {

    private static final long NOWHERE = Long.MAX_VALUE;

    /** What was written between two truncations, with what was before the first of them. */
    private record Branch(
            long cut, int firstEpoch, List<SimRecord> all, Map<String, List<SimRecord>> byKey) {

        Branch(long cut, int firstEpoch, List<SimRecord> kept) {
            this(cut, firstEpoch, new ArrayList<>(), new HashMap<>());
            kept.forEach(this::add);
        }

        void add(SimRecord record) {
            insert(record, all);
            if (record.key() != null) {
                insert(record, byKey.computeIfAbsent(record.key(), key -> new ArrayList<>()));
            }
        }

        List<SimRecord> of(String key) {
            return byKey.getOrDefault(key, List.of());
        }

        boolean has(String key, NextOffset passed) {
            return passed.offset() == 0
                    || of(key).stream()
                            .anyMatch(
                                    it ->
                                            it.offset() == passed.offset() - 1
                                                    && (it.leaderEpoch() == passed.leaderEpoch()
                                                            || passed.leaderEpoch() < 0));
        }
    }

    /**
     * A record that was written in a transaction which is not over: nobody reads beyond it.
     *
     * @param branch of the log, by number
     */
    record Pending(long offset, int leaderEpoch, int branch) {}

    private final TopicPartition name;
    private final Uuid topicId;
    private final int life;
    private final Map<String, SimRecord> byPlace = new HashMap<>();
    private final Set<String> repeated = new HashSet<>();
    private final List<Branch> branches = new ArrayList<>();
    private final List<SimRecord> records = new ArrayList<>(); // those that can be read
    private final TreeMap<Integer, Long> epochStarts = new TreeMap<>();
    private final TreeMap<Long, Pending> pending = new TreeMap<>(); // by offset
    private long start;
    private long next;
    private long unreadableAt = NOWHERE;

    SimPartition(TopicPartition name, Uuid topicId, int life) {
        this.name = name;
        this.topicId = topicId;
        this.life = life;
        branches.add(new Branch(0, 0, List.of()));
        epochStarts.put(0, 0L);
    }

    /** Where a record stands among those before it. */
    private static void insert(SimRecord record, List<SimRecord> into) {
        int at = into.size();
        while (at > 0 && into.get(at - 1).offset() > record.offset()) {
            at--;
        }
        into.add(at, record);
    }

    SimRecord append(
            @Nullable String key,
            byte @Nullable [] keyBytes,
            byte @Nullable [] value,
            int number,
            long timestamp,
            @Nullable SimRecord repeats) {
        RecordHeaders headers = new RecordHeaders();
        headers.add(SimRecord.ID_HEADER, utf8("e" + number));
        String command = SimRecord.command(number);
        if (command != null) {
            headers.add(Reply.COMMAND, utf8(command));
        }
        Pending at = begin();
        pending.remove(at.offset());
        String former = repeats == null ? null : repeats.place();
        SimRecord made =
                add(at, key, number, former, record(at, timestamp, keyBytes, value, headers));
        if (former != null) {
            repeated.add(former);
        }
        return made;
    }

    /** A record is written in a transaction. */
    Pending begin() {
        Pending begun = new Pending(next++, leaderEpoch(), branches.size() - 1);
        pending.put(begun.offset(), begun);
        return begun;
    }

    /** Its transaction was aborted. */
    void abort(Pending begun) {
        pending.remove(begun.offset(), begun);
    }

    /**
     * Its transaction was committed.
     *
     * @return null if the log has lost it meanwhile
     */
    @Nullable SimRecord commit(
            Pending begun,
            @Nullable String key,
            ProducerRecord<byte @Nullable [], byte @Nullable []> its,
            long timestamp) {
        if (!pending.remove(begun.offset(), begun)) {
            return null;
        }
        RecordHeaders headers = new RecordHeaders(its.headers().toArray());
        return add(
                begun,
                key,
                SimRecord.FIRING,
                null,
                record(begun, timestamp, its.key(), its.value(), headers));
    }

    private String place(Pending at) {
        return label() + ':' + at.offset() + (at.branch() == 0 ? "" : "~" + at.branch());
    }

    private ConsumerRecord<byte @Nullable [], byte @Nullable []> record(
            Pending at,
            long timestamp,
            byte @Nullable [] key,
            byte @Nullable [] value,
            RecordHeaders headers) {
        headers.add(SimRecord.PLACE_HEADER, utf8(place(at)));
        return new ConsumerRecord<>(
                name.topic(),
                name.partition(),
                at.offset(),
                timestamp,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                headers,
                Optional.of(at.leaderEpoch()));
    }

    private SimRecord add(
            Pending at,
            @Nullable String key,
            int number,
            @Nullable String repeats,
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        SimRecord made = new SimRecord(place(at), key, number, repeats, record);
        insert(made, records);
        branches.subList(at.branch(), branches.size()).forEach(it -> it.add(made));
        byPlace.put(made.place(), made);
        return made;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Branch branch() {
        return branches.get(branches.size() - 1);
    }

    /** Transactions' markers, aborted records, and what compaction has removed long ago. */
    void skipOffsets(int count) {
        next += count;
    }

    void electLeader() {
        epochStarts.put(leaderEpoch() + 1, next);
    }

    /** An unclean election: the new leader lacks the end, and goes on from there. */
    void truncate(long to) {
        int epoch = leaderEpoch() + 1;
        List<SimRecord> kept = branch().all().stream().filter(it -> it.offset() < to).toList();
        branches.add(new Branch(to, epoch, kept));
        records.removeIf(it -> it.offset() >= to);
        epochStarts.values().removeIf(from -> from > to);
        epochStarts.put(epoch, to);
        pending.tailMap(to).clear();
        next = to;
        unreadableAt = unreadableAt >= to ? NOWHERE : unreadableAt;
    }

    /** Retention: what is below is gone; returns what that was. */
    List<SimRecord> deleteBelow(long offset) {
        List<SimRecord> gone = records.stream().filter(it -> it.offset() < offset).toList();
        records.removeAll(gone);
        start = Math.max(start, offset);
        return gone;
    }

    /** Compaction: of each key only the last record stays, but for the newest ones. */
    List<SimRecord> compactBelow(long offset) {
        Map<String, SimRecord> last = new HashMap<>();
        records.forEach(it -> last.put(String.valueOf(it.key()), it));
        List<SimRecord> gone =
                records.stream()
                        .filter(it -> it.offset() < offset && it.key() != null)
                        .filter(it -> !it.equals(last.get(it.key())))
                        .toList();
        records.removeAll(gone);
        return gone;
    }

    void spoil(long offset) {
        unreadableAt = offset;
    }

    void mend() {
        unreadableAt = NOWHERE;
    }

    boolean isUnreadableAt(long offset) {
        return offset >= unreadableAt;
    }

    /** What the places of its records begin with. */
    String label() {
        return name + (life == 0 ? "" : "#" + life);
    }

    /** Whether it is of the topic that was there first. */
    boolean isOfFirstLife() {
        return life == 0;
    }

    TopicPartition name() {
        return name;
    }

    Uuid topicId() {
        return topicId;
    }

    List<SimRecord> records() {
        return records;
    }

    long start() {
        return start;
    }

    NextOffset end() {
        return new NextOffset(next, leaderEpoch());
    }

    /** Whoever does not read what may be aborted reads to here. */
    long stableEnd() {
        return pending.isEmpty() ? next : pending.firstKey();
    }

    int leaderEpoch() {
        return epochStarts.lastKey();
    }

    boolean wasTruncated() {
        return branches.size() > 1;
    }

    /** The leader epoch that this offset was written under. */
    int epochOf(long offset) {
        int epoch = NextOffset.NO_EPOCH;
        for (Map.Entry<Integer, Long> begun : epochStarts.entrySet()) {
            if (begun.getValue() <= offset) {
                epoch = begun.getKey();
            }
        }
        return epoch;
    }

    /** Where that leader epoch, or the one before it that there is, has ended. */
    long endOf(int leaderEpoch) {
        Map.Entry<Integer, Long> later = epochStarts.higherEntry(leaderEpoch);
        return later == null ? next : later.getValue();
    }

    /** Where the first record of that time or later is, or the end without any. */
    NextOffset at(long timestamp) {
        return records.stream()
                .filter(it -> it.record().timestamp() >= timestamp)
                .findFirst()
                .map(it -> new NextOffset(it.offset(), it.leaderEpoch()))
                .orElseGet(this::end);
    }

    /** The first record at this offset or later, as an index of {@link #records}. */
    int firstAtOrAfter(long offset) {
        int low = 0;
        int high = records.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (records.get(middle).offset() < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * All records of a key that a mark passes as it moves on. If the former mark stood on a branch
     * that was cut off, they begin at the cut: what was written anew there must not be left out.
     */
    List<SimRecord> passed(String key, NextOffset from, NextOffset to) {
        int now = newest(key, to);
        int before = newest(key, from);
        long begin = from.offset();
        for (int i = before + 1; i <= now; i++) {
            begin = branches.get(now).has(key, from) ? begin : minCut(begin, i);
        }
        long first = begin;
        return branches.get(now).of(key).stream()
                .filter(it -> it.offset() >= first && it.offset() < to.offset())
                .toList();
    }

    private long minCut(long begin, int branch) {
        return Math.min(begin, branches.get(branch).cut());
    }

    private int newest(String key, NextOffset passed) {
        for (int i = branches.size() - 1; i > 0; i--) {
            if (branches.get(i).has(key, passed)) {
                return i;
            }
        }
        return passed.leaderEpoch() < 0 ? 0 : standsOn(passed); // a row made anew got it
    }

    /** The last branch that has what is below, by number. */
    private int standsOn(NextOffset next) {
        for (int i = 1; i < branches.size(); i++) {
            Branch later = branches.get(i);
            if (next.offset() > later.cut() && next.leaderEpoch() < later.firstEpoch()) {
                return i - 1;
            }
        }
        return branches.size() - 1;
    }

    /**
     * All that a checkpoint promises: the records below it, of the branch that it stands on. One
     * without a leader epoch is where the log begins, or where an operator has put it: it is about
     * the log as it is now.
     */
    List<SimRecord> below(NextOffset next) {
        Branch its = next.leaderEpoch() < 0 ? branch() : branches.get(standsOn(next));
        return its.all().stream().filter(it -> it.offset() < next.offset()).toList();
    }

    /** Whether it has a tombstone of this key between these offsets. */
    boolean hasTombstone(String key, long from, long to) {
        return byPlace.values().stream()
                .filter(it -> it.isTombstone() && key.equals(it.key()))
                .anyMatch(it -> it.offset() >= from && it.offset() < to);
    }

    boolean has(String place) {
        return byPlace.containsKey(place);
    }

    SimRecord at(String place) {
        return Objects.requireNonNull(byPlace.get(place), place);
    }

    /** Whether a producer has sent this one again. */
    boolean isRepeated(String place) {
        return repeated.contains(place);
    }
}
