package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.key.Ordering;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.work.DoneBefore.Place;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The database of the seeds whose handler writes in transactions that mark its messages: what
 * befalls it, and what has to be true of the rows in it at any time. What a message has written is
 * there once, behind what the messages before it have written; and what a checkpoint is past is
 * written, or was sent away.
 *
 * <p>Threads: one thread.
 */
final class WorkTables {

    private static final long MILLIS = 1_000_000;
    private static final int BACKUPS = 6;

    private record Of(String process, TopicPartition partition) {}

    private final WorkWorld world;
    private final InMemoryDatabase database;
    private final Deque<InMemoryDatabase.Backup> backups = new ArrayDeque<>();
    private final Set<String> letters = new HashSet<>(); // places of what was sent away
    private final Set<String> doubtful = new HashSet<>(); // done under the name of another log
    private final Map<Of, NextOffset> checkpointed = new HashMap<>();
    private long downUntil;

    WorkTables(WorkWorld world) {
        this.world = world;
        this.database = new InMemoryDatabase(world.scheduler()::now);
    }

    InMemoryDatabase database() {
        return database;
    }

    // --- troubles

    void plan() {
        world.plan(1, this::restart);
        world.plan(world.faults().occurrences(2, 2), this::goDown);
        int goesBack = world.faults().occurrences(3, 1);
        if (goesBack > 0) {
            world.every(200 * MILLIS, this::backUp);
            world.plan(goesBack, this::goBack);
        }
    }

    private void restart() {
        world.faults().landed(Fault.RESTARTED);
        database.restart();
    }

    private void goDown() {
        world.faults().landed(Fault.STORE_DOWN);
        downUntil = world.scheduler().now() + (50 + world.random().nextInt(3_000)) * MILLIS;
    }

    boolean isDown() {
        return !world.faults().areOver() && world.scheduler().now() < downUntil;
    }

    /** Not before the database knows the topic: without it the group's commits are all there is. */
    private void backUp() {
        List<TopicPartition> known =
                database.sources().stream().filter(this::isPresent).map(Source::partition).toList();
        if (world.log().all().stream().allMatch(it -> known.contains(it.name()))) {
            backups.addLast(database.backup());
            if (backups.size() > BACKUPS) {
                backups.removeFirst();
            }
        }
    }

    private void goBack() {
        if (!backups.isEmpty()) {
            world.faults().landed(Fault.WENT_BACK);
            List<InMemoryDatabase.Backup> all = List.copyOf(backups);
            database.restore(all.get(world.random().nextInt(all.size())));
            backups.clear();
        }
    }

    /** Of a log that was written anew, what is done of the former one is in the way. */
    void forgetTheTruncated() {
        for (Source source : database.sources()) {
            SimPartition log = world.log().of(source.partition(), source.topicId());
            database.forgetMarks(
                    (place, epoch) ->
                            place.source() == source.number()
                                    && log.records().stream()
                                            .anyMatch(
                                                    it ->
                                                            it.offset() == place.offset()
                                                                    && it.leaderEpoch() > epoch));
        }
    }

    // --- what has to be true

    /** A transaction with these rows, which are places of messages, has been committed. */
    void committed(List<String> rows) {
        List<String> all = database.handlerRows();
        for (String place : rows) {
            if (all.indexOf(place) != all.lastIndexOf(place) && !doubtful.contains(place)) {
                world.book().fail("twice", place + " is written twice");
            }
            comesInOrder(place, all);
        }
    }

    private void comesInOrder(String place, List<String> all) {
        SimPartition log = logOf(place);
        boolean isOrdered = world.ordering().by() != Ordering.By.NONE;
        if (!isOrdered || !log.isOfFirstLife() || log.wasTruncated()) {
            return;
        }
        SimRecord record = log.at(place);
        int at = all.indexOf(place);
        for (SimRecord earlier : log.records()) {
            if (earlier.offset() >= record.offset()) {
                return;
            }
            boolean belongs =
                    world.ordering().by() == Ordering.By.PARTITION
                            || Objects.equals(record.key(), earlier.key());
            int before = all.indexOf(earlier.place());
            if (belongs && !letters.contains(earlier.place()) && (before < 0 || before > at)) {
                world.book().fail("reorder", place + " is written before " + earlier.place());
            }
        }
    }

    private SimPartition logOf(String place) {
        return world.log().everything().stream()
                .filter(it -> it.has(place))
                .findFirst()
                .orElseThrow(() -> new Violation("unseen", place));
    }

    /** The handler is about to write it. */
    void writes(Message message) {
        String place = Trace.place(message);
        if (!isOfItsSource(message, place)) {
            doubtful.add(place);
        }
    }

    /** The client reads on in a topic that was made again, for a while. */
    private boolean isOfItsSource(Message message, String place) {
        return database.sources().stream()
                .filter(it -> it.number() == message.epoch().source())
                .anyMatch(it -> logOf(place).topicId().equals(it.topicId()));
    }

    /**
     * It is sent away, and is not to be written any more.
     *
     * @param wasFrozen whether another may have written it meanwhile
     */
    void setAside(Message message, boolean wasFrozen) {
        String place = Trace.place(message);
        boolean isWritten = database.handlerRows().contains(place) && isOfItsSource(message, place);
        if (isWritten && !wasFrozen) {
            world.book().fail("twice", place + " is written, and sent away");
        }
        letters.add(place);
    }

    boolean isDone(String place) {
        return letters.contains(place) || database.handlerRows().contains(place);
    }

    /** A process has raised checkpoints. */
    void checkpointed(SimProcess process, Map<Integer, NextOffset> nextBySource) {
        for (Source source : database.sources()) {
            @Nullable NextOffset next = nextBySource.get(source.number());
            if (next != null) {
                checkpointed.merge(
                        new Of(process.name(), source.partition()),
                        next,
                        (a, b) -> a.compareTo(b) > 0 ? a : b);
                checkDone(process, source, next);
            }
        }
    }

    private void checkDone(SimProcess process, Source source, NextOffset next) {
        SimPartition log = world.log().of(source.partition(), source.topicId());
        if (!isPresent(source)) {
            return; // what is read under its name is another log
        }
        for (SimRecord record : log.below(next)) {
            if (record.offset() >= source.start().offset() && !isDone(record.place())) {
                world.book()
                        .fail(
                                "commit-ahead",
                                process.name() + " says " + next + ", and not done is " + record);
            }
        }
    }

    private boolean isPresent(Source source) {
        SimPartition present = world.log().find(source.partition());
        return present != null && present.topicId().equals(source.topicId());
    }

    /** A process commits: no more than it has checkpointed. */
    void commits(SimProcess process, TopicPartition partition, OffsetAndMetadata next) {
        NextOffset offset =
                new NextOffset(next.offset(), next.leaderEpoch().orElse(NextOffset.NO_EPOCH));
        @Nullable NextOffset known = checkpointed.get(new Of(process.name(), partition));
        if (known == null || offset.compareTo(known) > 0) {
            world.book()
                    .fail(
                            "commit-ahead",
                            process.name() + " commits " + offset + ", checkpointed " + known);
        }
    }

    // --- the end

    /** Whether the checkpoint is at its end, and no mark of it is left. */
    boolean isCaughtUp(SimPartition log) {
        List<Source> sources =
                database.sources().stream()
                        .filter(it -> it.partition().equals(log.name()))
                        .filter(it -> it.topicId().equals(log.topicId()))
                        .toList();
        if (sources.isEmpty()) {
            return log.end().offset() == 0;
        }
        Source last = sources.get(sources.size() - 1);
        return last.checkpoint().offset() == log.end().offset() && marksOf(last).isEmpty();
    }

    private List<Place> marksOf(Source source) {
        return database.marks().stream().filter(it -> it.source() == source.number()).toList();
    }

    @Override
    public String toString() {
        return "marks " + database.marks() + ", sources " + database.sources();
    }
}
