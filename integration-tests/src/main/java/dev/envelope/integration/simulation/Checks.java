package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.ParkedMessage;
import dev.envelope.idempotency.store.Snapshot;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What must hold, looked at whenever something becomes durable or is promised, and at the end.
 *
 * <p>Threads: one thread.
 */
final class Checks {

    private final SimLog log;
    private final Reference reference;
    private final InMemoryDatabase database;
    private final Map<String, NextOffset> checkpointed =
            new HashMap<>(); // by process and partition
    private final Set<String> folding = new HashSet<>(); // by process, epoch and key
    private @Nullable Violation violation;

    Checks(SimLog log, InMemoryDatabase database) {
        this.log = log;
        this.reference = new Reference(log);
        this.database = database;
    }

    /** The first violation; the engine may have caught the throwable itself. */
    @Nullable Violation violation() {
        return violation;
    }

    private void fail(String anomaly, String seen) {
        Violation found = new Violation(anomaly, seen);
        if (violation == null) {
            violation = found;
        }
        throw found;
    }

    /** I5, and I4 by what the row says was applied. */
    void saved(@Nullable Snapshot before, Snapshot after) {
        long version = before == null ? Snapshot.ABSENT : before.version();
        if (after.version() != version + 1) {
            fail("version", after.key() + " went from " + version + " to " + after.version());
        }
        for (Source source : database.sources()) {
            long next = after.marks().nextOffset(source.number());
            if (before != null && next < before.marks().nextOffset(source.number())) {
                fail("mark-shrunk", after.key() + " in " + source.partition());
            }
        }
        compare(after, markOf(after));
    }

    private long markOf(Snapshot row) {
        long mark = 0;
        for (Source source : database.sources()) {
            mark = Math.max(mark, row.marks().nextOffset(source.number()));
        }
        return mark;
    }

    private void compare(Snapshot row, long mark) {
        byte[] state = row.state();
        List<String> actual = state == null ? null : Trace.CODEC.decode(state).places();
        List<String> expected = reference.state(row.key(), mark, parkedPlaces());
        if (!Objects.equals(actual, expected)) {
            fail(
                    anomaly(expected, actual),
                    row.key() + " at " + mark + " has " + actual + ", the log says " + expected);
        }
    }

    private static String anomaly(@Nullable List<String> expected, @Nullable List<String> actual) {
        List<String> wanted = expected == null ? List.of() : expected;
        List<String> had = actual == null ? List.of() : actual;
        if (new HashSet<>(had).size() < had.size()) {
            return "duplicate-apply";
        }
        List<String> missing = new ArrayList<>(wanted);
        missing.removeAll(had);
        if (!missing.isEmpty()) {
            return "lost-apply";
        }
        return had.size() > wanted.size() ? "unseen" : "reorder";
    }

    /** I3: one fold of a key at a time, within an epoch. */
    void foldBegins(SimInstance process, Message message) {
        if (!folding.add(foldOf(process, message))) {
            fail("overlap", "two folds of " + message.key() + " at once in " + process);
        }
    }

    void foldEnds(SimInstance process, Message message) {
        folding.remove(foldOf(process, message));
    }

    private static String foldOf(SimInstance process, Message message) {
        return process.name() + '/' + message.epoch().number() + '/' + message.key();
    }

    /** I2: a checkpoint promises that every record below it is done with, durably. */
    void checkpointed(SimInstance process, Source source, NextOffset next) {
        Map<String, Snapshot> rows = database.rows();
        Set<String> parked = parkedPlaces();
        for (var record : log.records(source.partition().partition())) {
            if (record.offset() >= next.offset()) {
                break;
            }
            String place = record.partition() + ":" + record.offset();
            boolean isDone;
            if (record.key() == null) {
                isDone = parked.contains(place);
            } else {
                Snapshot row = rows.get(new String(record.key(), StandardCharsets.UTF_8));
                isDone = row != null && row.marks().nextOffset(source.number()) > record.offset();
            }
            if (!isDone) {
                fail(
                        "commit-ahead",
                        process + " checkpoints " + next + ", " + place + " is not done");
            }
        }
        checkpointed.merge(
                process.name() + source.partition(), next, (a, b) -> a.compareTo(b) > 0 ? a : b);
    }

    private Set<String> parkedPlaces() {
        Set<String> places = new TreeSet<>();
        for (ParkedMessage parked : database.parked()) {
            places.add(Trace.place(parked.message()));
        }
        return places;
    }

    /** I1: no commit is ahead of a checkpoint that the same process has written. */
    void committed(SimInstance process, TopicPartition partition, OffsetAndMetadata next) {
        NextOffset offset =
                new NextOffset(next.offset(), next.leaderEpoch().orElse(NextOffset.NO_EPOCH));
        NextOffset known = checkpointed.get(process.name() + partition);
        if (known == null || offset.compareTo(known) > 0) {
            fail("commit-ahead", process + " commits " + offset + ", checkpointed " + known);
        }
        log.commit(partition, offset, next.metadata());
    }

    /** Whether everything is checkpointed, in the database as it is now, and committed. */
    boolean isCaughtUp() {
        for (TopicPartition partition : log.all()) {
            long end = log.end(partition.partition()).offset();
            long committed = log.commit(partition).map(c -> c.next().offset()).orElse(0L);
            long checkpoint =
                    database.sources().stream()
                            .filter(source -> source.partition().equals(partition))
                            .mapToLong(source -> source.checkpoint().offset())
                            .max()
                            .orElse(0);
            if (committed < end || checkpoint < end) {
                return false;
            }
        }
        return true;
    }

    /** At the end: every row is what the log says, and what had to be parked is parked. */
    void atTheEnd() {
        Map<String, Snapshot> rows = database.rows();
        for (String key : reference.keys()) {
            Snapshot row = rows.getOrDefault(key, Snapshot.absent(key));
            compare(row, reference.end(key));
        }
        if (rows.size() > reference.keys().size()) {
            fail("unseen", "rows that no message made");
        }
        if (!parkedPlaces().equals(reference.parked())) {
            fail("parked", "parked " + parkedPlaces() + ", the log says " + reference.parked());
        }
    }
}
