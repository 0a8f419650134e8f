package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.HandlerTimeoutException;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.offset.DoneAhead;
import dev.envelope.core.offset.Stamp;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.core.offset.TopicAdmin.Commit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What was done, and what commits say is done: nothing may be promised that is not done, nothing be
 * left out, nothing be done again that a commit had said is done when its partition was positioned,
 * and what belongs together be done in order.
 *
 * <p>Threads: one thread.
 */
final class WorkBook {

    private record Of(String process, TopicPartition partition) {}

    /**
     * Of messages that are done one after the other, for as long as a process has their partition:
     * a call that outlasts that is nobody's to wait for.
     */
    private record Call(String process, PartitionEpoch epoch, String group) {}

    private final WorkWorld world;
    private final Set<String> done = new HashSet<>(); // places
    private final Map<Call, String> underWay = new HashMap<>();
    private final Map<Of, Set<String>> known = new HashMap<>(); // done, as the first answer says
    private final Set<TopicPartition> moved = new HashSet<>(); // back, by somebody
    private final Set<String> failed = new HashSet<>(); // places
    private final Set<String> committing = new HashSet<>();
    private long repeated;
    private @Nullable Violation violation;

    WorkBook(WorkWorld world) {
        this.world = world;
    }

    @Nullable Violation violation() {
        return violation;
    }

    void fail(String anomaly, String seen) {
        Violation found = new Violation(anomaly, seen);
        if (violation == null) {
            violation = found;
        }
        throw found;
    }

    /** How many calls were made for what was done before. */
    long repeated() {
        return repeated;
    }

    // --- calls

    /**
     * @param isInCall whether it is not the first of its call: nobody can take it out of that, even
     *     if its partition is gone meanwhile
     */
    void begins(SimProcess process, Message message, boolean isInCall) {
        String place = Trace.place(message);
        String before = underWay.put(callOf(process, message), place);
        if (before != null) {
            fail("overlap", process.name() + " is at " + before + " and at " + place);
        }
        if (world.tables() != null) {
            return; // what was written counts
        }
        SimPartition log = logOf(place);
        TopicPartition partition = new TopicPartition(message.topic(), message.partition());
        if (log.isOfFirstLife() && !log.wasTruncated()) {
            boolean outlastsItsPartition = isInCall && !message.epoch().isLive();
            if (!moved.contains(partition) && !outlastsItsPartition) {
                repeats(process, partition, place);
            }
            comesInOrder(log, message, place);
        }
        if (done.contains(place)) {
            repeated++;
        }
    }

    void ends(SimProcess process, Message message) {
        underWay.remove(callOf(process, message));
    }

    void did(Message message) {
        done.add(Trace.place(message));
    }

    /** A message whose call has failed, or will have. */
    void fails(Message message) {
        failed.add(Trace.place(message));
    }

    /**
     * It is given up: somebody has called for it, and that has failed.
     *
     * @param wasFrozen whether who sends it away was frozen at that for longer than its transaction
     */
    void setAside(Message message, @Nullable GivenUp givenUp, boolean wasFrozen) {
        boolean isToBlame =
                givenUp == null
                        || givenUp.cause() instanceof HandlerTimeoutException
                        || failed.contains(Trace.place(message));
        if (!isToBlame) {
            fail("charged", message + " is given up for " + givenUp);
        }
        WorkTables tables = world.tables();
        if (tables == null) {
            did(message);
        } else {
            tables.setAside(message, wasFrozen);
        }
    }

    private boolean isDone(String place) {
        WorkTables tables = world.tables();
        return tables == null ? done.contains(place) : tables.isDone(place);
    }

    private void repeats(SimProcess process, TopicPartition partition, String place) {
        if (known.getOrDefault(new Of(process.name(), partition), Set.of()).contains(place)) {
            fail("repeated", process.name() + " does " + place + ", which a commit says is done");
        }
    }

    private void comesInOrder(SimPartition log, Message message, String place) {
        if (world.ordering().by() == Ordering.By.NONE) {
            return;
        }
        for (SimRecord earlier : log.records()) {
            if (earlier.offset() >= message.offset()) {
                return;
            }
            boolean belongs =
                    world.ordering().by() == Ordering.By.PARTITION
                            || Objects.equals(log.at(place).key(), earlier.key());
            if (belongs && !done.contains(earlier.place())) {
                fail("reorder", place + " comes before " + earlier.place());
            }
        }
    }

    private Call callOf(SimProcess process, Message message) {
        String group =
                switch (world.ordering().by()) {
                    case KEY -> message.key();
                    case PARTITION -> "";
                    case NONE -> Trace.place(message);
                };
        return new Call(process.name(), message.epoch(), group);
    }

    private SimPartition logOf(String place) {
        return world.log().everything().stream()
                .filter(it -> it.has(place))
                .findFirst()
                .orElseThrow(() -> new Violation("unseen", place));
    }

    // --- commits

    /** Of which records a commit says that they are done, if it is of this log. */
    private static Optional<Set<String>> saidDone(SimPartition log, Commit commit) {
        if (Stamp.topicId(commit).filter(log.topicId()::equals).isEmpty()) {
            return Optional.empty();
        }
        Set<String> places = new HashSet<>();
        log.below(commit.next()).forEach(it -> places.add(it.place()));
        DoneAhead ahead = Stamp.doneAhead(commit, log.topicId());
        log.records().stream()
                .filter(it -> it.offset() >= commit.next().offset())
                .filter(it -> ahead.contains(it.offset()))
                .filter(it -> it.leaderEpoch() <= ahead.leaderEpoch())
                .forEach(it -> places.add(it.place()));
        return Optional.of(places);
    }

    private void commits(SimProcess process, TopicPartition partition, Commit commit) {
        SimPartition log = world.log().find(partition);
        if (log == null) {
            return;
        }
        for (String place : saidDone(log, commit).orElse(Set.of())) {
            if (!done.contains(place)) {
                fail(
                        "commit-ahead",
                        "%s commits %s of %s, and not done is %s"
                                .formatted(process.name(), commit.next(), partition, place));
            }
        }
    }

    SimConsumer.Watch ofClient(SimProcess process) {
        return new SimConsumer.Watch() {

            @Override
            public void took(List<TopicPartition> assigned) {
                assigned.forEach(it -> known.remove(new Of(process.name(), it)));
            }

            @Override
            public void gaveUp(List<TopicPartition> revoked, long nanos) {
                // What is done late is noted all the same.
            }

            @Override
            public void fetched(TopicPartition partition) {
                // Whatever is done with it is noted.
            }

            @Override
            public void commitBegins(Map<TopicPartition, OffsetAndMetadata> offsets) {
                if (!committing.add(process.name())) {
                    fail("I9", process.name() + " commits twice at once, " + offsets);
                }
            }

            @Override
            public void commitEnds() {
                committing.remove(process.name());
            }

            @Override
            public void commits(TopicPartition partition, OffsetAndMetadata next) {
                WorkTables tables = world.tables();
                if (tables != null) {
                    tables.commits(process, partition, next);
                    return;
                }
                NextOffset offset =
                        new NextOffset(
                                next.offset(), next.leaderEpoch().orElse(NextOffset.NO_EPOCH));
                WorkBook.this.commits(process, partition, new Commit(offset, next.metadata()));
            }
        };
    }

    /** Notes what a process is told of commits before it begins with a partition. */
    TopicAdmin watched(WorkInstance process, TopicAdmin admin) {
        return new ForwardingAdmin(admin) {

            @Override
            public Map<TopicPartition, Commit> committed(Set<TopicPartition> partitions) {
                Map<TopicPartition, Commit> commits = super.committed(partitions);
                commits.forEach((partition, commit) -> told(process, partition, commit));
                return commits;
            }
        };
    }

    private void told(WorkInstance process, TopicPartition partition, Commit commit) {
        SimPartition log = world.log().find(partition);
        if (log != null && process.owns(partition)) {
            saidDone(log, commit)
                    .ifPresent(
                            places -> known.putIfAbsent(new Of(process.name(), partition), places));
        }
    }

    /** What commits said of it does not hold any more: of two answers the lower one counts. */
    void movedBack(TopicPartition partition) {
        moved.add(partition);
    }

    // --- the end

    /** Whether all of this log is done and committed. */
    boolean isCaughtUp(SimPartition log) {
        Optional<Commit> commit =
                world.log()
                        .commit(log.name())
                        .filter(it -> it.next().offset() == log.end().offset());
        WorkTables tables = world.tables();
        boolean isCommitted =
                log.end().offset() == 0
                        || (tables == null
                                ? commit.flatMap(Stamp::topicId)
                                        .filter(log.topicId()::equals)
                                        .isPresent()
                                : commit.isPresent() && tables.isCaughtUp(log));
        return isCommitted && notDone(log).isEmpty();
    }

    /** What is left to do. */
    List<String> notDone(SimPartition log) {
        return log.records().stream().map(SimRecord::place).filter(it -> !isDone(it)).toList();
    }
}
