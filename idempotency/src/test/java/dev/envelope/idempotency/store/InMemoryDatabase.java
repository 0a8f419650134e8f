package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryParked.Kept;
import dev.envelope.idempotency.store.InMemorySources.RecordId;
import dev.envelope.idempotency.store.SourceCopies.Copy;
import dev.envelope.idempotency.store.output.Origin;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.KeyOrder;
import dev.envelope.idempotency.store.row.OutboxRecord;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.table.TableRow;
import dev.envelope.idempotency.store.table.TableSettings;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.store.timer.TimerStore;
import dev.envelope.idempotency.work.DoneBefore.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The database of a simulation: what several instances share. It never fails by itself; it can be
 * restarted, backed up and restored.
 *
 * <p>Threads: guarded by this.
 */
public final class InMemoryDatabase {

    private int life = 1;
    private SortedMap<String, Snapshot> rows = new TreeMap<>(KeyOrder.BY_BYTES);
    private Map<String, Long> updatedAt = new HashMap<>(); // by key
    private Marks purged = Marks.NONE;
    private InMemorySources sources = new InMemorySources();
    private InMemoryParked parked = new InMemoryParked();
    private Map<PauseId, Pauses.Pause> pauses = new LinkedHashMap<>();
    private List<Asked> requests = new ArrayList<>();
    private Map<Origin, Written> outbox = new LinkedHashMap<>();
    private long lastPosition; // in the outbox
    private InMemoryOutputs outputs = new InMemoryOutputs();
    private InMemoryEffects effects = new InMemoryEffects();
    private InMemoryWork work = new InMemoryWork();
    private final LongSupplier nanoTime;
    private String server;
    private final InMemoryTable table = new InMemoryTable(new TableSettings("work", "key", "id"));

    /** A database whose clock stands still. */
    public InMemoryDatabase() {
        this(() -> 0);
    }

    /** A database with a clock of its own, which rows and outbox records are dated by. */
    public InMemoryDatabase(LongSupplier nanoTime) {
        this("memory", nanoTime);
    }

    /** The same on a server of that name. */
    public InMemoryDatabase(String server, LongSupplier nanoTime) {
        this.server = server;
        this.nanoTime = nanoTime;
    }

    /** The present life of the server. */
    public synchronized Incarnation incarnation() {
        return new Incarnation(server + "/" + life);
    }

    /** All rows in the order of their keys. */
    public synchronized SortedMap<String, Snapshot> rows() {
        return new TreeMap<>(rows);
    }

    /** The row of a key, or null without one. */
    public synchronized @Nullable Snapshot row(String key) {
        return rows.get(key);
    }

    /** All parked messages in the order in which they were parked. */
    public synchronized List<ParkedMessage> parked() {
        return parked.all();
    }

    /** All sources in the order of their numbers. */
    public synchronized List<Source> sources() {
        return sources.all();
    }

    /** The same data in another life. */
    public synchronized void restart() {
        life++;
    }

    /** All that it holds now. */
    public synchronized Backup backup() {
        InMemoryDatabase copy = new InMemoryDatabase(nanoTime);
        copy.take(this);
        return new Backup(copy);
    }

    /** Goes back to what it held then, in another life: a fail-over that lost something. */
    public synchronized void restore(Backup backup) {
        take(backup.database);
        restart();
    }

    /** The same data on the server of another one, in the life that it is in. */
    public synchronized void moveTo(InMemoryDatabase neighbour) {
        server = neighbour.server;
        life = neighbour.life;
    }

    private void take(InMemoryDatabase other) {
        rows = new TreeMap<>(other.rows);
        updatedAt = new HashMap<>(other.updatedAt);
        purged = other.purged;
        sources = new InMemorySources(other.sources);
        parked = new InMemoryParked(other.parked);
        pauses = new LinkedHashMap<>(other.pauses);
        requests = copies(other.requests);
        outbox = new LinkedHashMap<>(other.outbox);
        lastPosition = other.lastPosition;
        outputs = new InMemoryOutputs(other.outputs);
        effects = new InMemoryEffects(other.effects);
        work = new InMemoryWork(other.work);
    }

    private static List<Asked> copies(List<Asked> asked) {
        return new ArrayList<>(asked.stream().map(Asked::new).toList());
    }

    synchronized void require(Incarnation expected) {
        if (!expected.equals(incarnation())) {
            throw new OtherIncarnationException(expected, incarnation());
        }
    }

    synchronized Map<String, Snapshot> find(Collection<String> keys, Incarnation expected) {
        require(expected);
        Map<String, Snapshot> found = new TreeMap<>(KeyOrder.BY_BYTES);
        for (String key : keys) {
            Snapshot row = rows.get(key);
            if (purged.size() > 0) {
                found.put(key, (row == null ? Snapshot.absent(key) : row).inStorePurgedTo(purged));
            } else if (row != null) {
                found.put(key, row);
            }
        }
        return found;
    }

    /** Says that rows of deleted keys were purged, which that source had been applied to so far. */
    synchronized void purgedTo(int source, NextOffset next) {
        purged = purged.advance(source, next);
    }

    /**
     * Purges rows of deleted keys that nobody has written to since, once each of their marks is at
     * or below its source's checkpoint.
     */
    synchronized int purge(long before, Predicate<String> isInUse) {
        List<Snapshot> gone =
                rows.values().stream()
                        .filter(row -> row.state() == null && row.parked() == 0)
                        .filter(row -> updatedAt.getOrDefault(row.key(), before) < before)
                        .filter(
                                row ->
                                        sources.areBelowCheckpoints(row.marks())
                                                && !isInUse.test(row.key()))
                        .toList();
        for (Snapshot row : gone) {
            deleteRow(row.key());
            effects.forgetTimers(row.key());
            row.marks()
                    .forEach(
                            (source, next) -> {
                                if (next.offset() > purged.nextOffset(source)) {
                                    purgedTo(source, next);
                                }
                            });
        }
        return gone.size();
    }

    /**
     * Saves changes.
     *
     * @param relay the number to write on what they put out
     */
    synchronized boolean[] save(List<Change> changes, int relay, Incarnation expected) {
        require(expected);
        boolean[] saved = new boolean[changes.size()];
        List<SavedOutput> put = new ArrayList<>();
        for (int i = 0; i < saved.length; i++) {
            Change change = changes.get(i);
            saved[i] = save(change);
            if (saved[i]) {
                change.outputs().forEach(it -> put.add(new SavedOutput(change.key(), it)));
                effects.save(change.asSaved(), change.effects(), nanoTime.getAsLong());
                table.done(change.beside().rowsDone());
            }
        }
        outputs.save(relay, put, nanoTime.getAsLong());
        return saved;
    }

    /** Fires timers that are due by its clock. */
    synchronized TimerStore.Look fire(
            Collection<TopicPartition> owned, int most, ToIntFunction<Incarnation> relay) {
        List<SavedOutput> firings = effects.fire(owned, most, now());
        outputs.save(relay.applyAsInt(incarnation()), firings, nanoTime.getAsLong());
        return new TimerStore.Look(
                firings.stream().map(SavedOutput::output).toList(), effects.next(owned, now()));
    }

    /** Marks a timer as fired, due or not; null if it is not set, or has fired. */
    public synchronized @Nullable Output fire(String key, String name) {
        return effects.fire(key, name);
    }

    synchronized Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation expected) {
        require(expected);
        return effects.due(timers, now(), sources::ofOtherTopics);
    }

    /** The table whose rows are done with saves. */
    public InMemoryTable table() {
        return table;
    }

    /** All that handlers have written to tables of their own, in the order of the commits. */
    public synchronized List<String> handlerRows() {
        return work.written();
    }

    /** The messages that are marked as done. */
    public synchronized Set<Place> marks() {
        return work.marks();
    }

    /** Somebody deletes marks, by place and leader epoch. */
    public synchronized void forgetMarks(BiPredicate<Place, Integer> which) {
        work.forget(which);
    }

    /** Marks that say no more than their source's checkpoint are deleted. */
    synchronized boolean forgetMarks() {
        work.forget((it, epoch) -> it.offset() < sources.checkpoint(it.source()).offset());
        return false;
    }

    /** The marks and what was written, as they are now. */
    InMemoryWork work() {
        return work;
    }

    synchronized Set<String> waiting(Collection<String> rowIds, Incarnation expected) {
        require(expected);
        return table.waiting(rowIds);
    }

    synchronized Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation expected) {
        require(expected);
        return effects.applied(commands);
    }

    /** All timers that are set, by key and name. */
    public synchronized Map<String, Map<String, Timer.Setting>> timers() {
        return effects.settings();
    }

    /** The names of a key's timers, also of those that have fired. */
    public synchronized Set<String> timers(String key) {
        return Set.copyOf(effects.names(key));
    }

    /** The timers of a key by name, as they stand. */
    public synchronized Map<String, StandingTimer> standingTimers(String key) {
        return effects.standing(key);
    }

    /** All timers by key and name, as they stand. */
    public synchronized Map<String, Map<String, StandingTimer>> standingTimers() {
        return effects.standing();
    }

    /** Somebody writes the timers of a key by hand. */
    public synchronized void putTimers(String key, Map<String, StandingTimer> timers) {
        effects.put(key, timers);
    }

    synchronized InMemoryEffects.@Nullable Saved reply(String key, String command) {
        return effects.reply(key, command);
    }

    /** The answer to a command in words. */
    public synchronized String answer(String key, String command) {
        InMemoryEffects.Saved saved = effects.reply(key, command);
        return saved == null ? "none" : saved.toString();
    }

    synchronized int forgetReplies(long savedBefore, int most) {
        return effects.forgetReplies(savedBefore, most);
    }

    /** What waits for Kafka of all that handlers have emitted, in the order of saving. */
    public synchronized List<SavedOutput> outputs() {
        return outputs.all();
    }

    /** When a row was saved last, by its clock. */
    synchronized long updatedAt(String key) {
        return updatedAt.getOrDefault(key, 0L);
    }

    /** The time by its clock. */
    long nanos() {
        return nanoTime.getAsLong();
    }

    /** Outputs and relays, as they are now. */
    InMemoryOutputs relays() {
        return outputs;
    }

    private boolean save(Change change) {
        if (!change.isWithoutRow()) {
            Snapshot row = rows.getOrDefault(change.key(), Snapshot.absent(change.key()));
            if (row.version() != change.fromVersion()) {
                return false;
            }
            updatedAt.put(change.key(), nanoTime.getAsLong());
            rows.put(
                    change.key(),
                    new Snapshot(
                            change.key(),
                            row.version() + 1,
                            change.state(),
                            change.marks(),
                            change.ids(),
                            change.parkedBefore() + change.parked().size()));
        }
        for (ParkedMessage message : change.parked()) {
            @Nullable String row = TableRow.idOf(message.message());
            if (row == null || !change.isWithoutRow() || table.has(row)) {
                parked.park(message, sources);
            }
        }
        for (OutboxRecord record : change.deadLetters()) {
            if (!change.isWithoutRow() || !sources.isPassed(RecordId.of(record.origin()))) {
                outbox.computeIfAbsent(
                        sources.origin(record.origin(), record.ordinal()),
                        id -> new Written(++lastPosition, nanoTime.getAsLong(), record));
            }
        }
        return true;
    }

    /** What waits to be produced, in its order. */
    public synchronized List<OutboxRecord> outbox() {
        return outbox.values().stream().map(Written::record).toList();
    }

    synchronized List<Written> written() {
        return List.copyOf(outbox.values());
    }

    synchronized void deleteWritten(Collection<Long> positions, Incarnation expected) {
        require(expected);
        outbox.values().removeIf(written -> positions.contains(written.position()));
    }

    /** What was asked for, oldest first; the list is its own. */
    List<Asked> requests() {
        return requests;
    }

    /** Somebody deletes a row by hand. */
    public synchronized void deleteRow(String key) {
        rows.remove(key);
        updatedAt.remove(key);
    }

    /** Somebody deletes parked messages by hand. */
    public synchronized void deleteParked(Predicate<ParkedMessage> which) {
        parked.delete(which);
    }

    /** An operator drops parked messages that can't have a row. */
    public synchronized void dropWithoutRow(Predicate<ParkedMessage> which) {
        parked.dropWithoutRow(which, sources);
    }

    /**
     * An operator holds something back.
     *
     * @return false if there is no such partition
     */
    public synchronized boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        boolean isThere =
                kind == Pauses.Kind.KEY
                        || sources.all().stream()
                                .anyMatch(it -> it.partition().toString().equals(name));
        if (isThere) {
            Instant now = now();
            pauses.put(
                    new PauseId(kind, name),
                    new Pauses.Pause(kind, name, "me", now, time.map(now::plus).orElse(null)));
        }
        return isThere;
    }

    /**
     * An operator lets it go on.
     *
     * @return false if it was not held back
     */
    public synchronized boolean resume(Pauses.Kind kind, String name) {
        Pauses.Pause gone = pauses.remove(new PauseId(kind, name));
        return gone != null && stands(gone);
    }

    /** What is held back now. */
    public synchronized Pauses pauses() {
        return new Pauses(pauses.values().stream().filter(this::stands).toList());
    }

    private boolean stands(Pauses.Pause pause) {
        Instant until = pause.until();
        return until == null || until.isAfter(now());
    }

    private Instant now() {
        return Instant.EPOCH.plusNanos(nanoTime.getAsLong());
    }

    /** What is parked of a key, in the order in which it came. */
    synchronized List<Kept> parkedOf(String key) {
        return parked.of(key);
    }

    /** A parked message was tried once more. */
    synchronized void failedAgain(long position, String reason, String error) {
        parked.failedAgain(position, reason, error);
    }

    /** Puts another value in the place of a parked message's, for good. */
    synchronized void replace(long position, byte @Nullable [] value) {
        parked.replace(position, value);
    }

    synchronized List<Replacement> replacements() {
        return parked.replacements();
    }

    /** What stood in the place of values of a key goes with it. */
    synchronized void forgetReplacements(String key) {
        parked.forgetReplacements(key);
    }

    /** Deletes parked messages with a save of their row. */
    synchronized boolean unpark(Snapshot next, List<Long> positions, Incarnation expected) {
        return unpark(next, positions, HandlerEffects.NONE, InMemoryOutputs.NONE_YET, expected);
    }

    /** The same with what the handler wants to happen for these messages. */
    synchronized boolean unpark(
            Snapshot next,
            List<Long> positions,
            HandlerEffects wanted,
            int relay,
            Incarnation expected) {
        require(expected);
        Snapshot row = rows.getOrDefault(next.key(), Snapshot.absent(next.key()));
        boolean areThere = parked.hasAll(next.key(), positions);
        if (row.version() != next.version() - 1 || !areThere) {
            return false;
        }
        updatedAt.put(next.key(), nanoTime.getAsLong());
        rows.put(next.key(), next);
        parked.delete(positions);
        outputs.save(
                relay,
                wanted.outputs().stream().map(it -> new SavedOutput(next.key(), it)).toList(),
                nanoTime.getAsLong());
        effects.save(next, wanted, nanoTime.getAsLong());
        return true;
    }

    synchronized void introduce(Collection<NewSource> added) {
        sources.introduce(added);
    }

    synchronized Map<Integer, SortedSet<Integer>> fed() {
        return sources.fed();
    }

    synchronized void feeds(int source, int slot) {
        sources.feeds(source, slot);
    }

    synchronized List<Copy> copies() {
        return sources.copies();
    }

    synchronized boolean take(Copy source, NextOffset checkpoint) {
        return sources.take(source, checkpoint);
    }

    synchronized void giveNoNumberUpTo(int number) {
        sources.giveNoNumberUpTo(number);
    }

    synchronized void adopt(String topic, Uuid former, Uuid present) {
        sources.adopt(topic, former, present);
    }

    synchronized void settle(int source) {
        sources.settle(source);
    }

    synchronized void raise(Map<Integer, NextOffset> nextBySource, Incarnation expected) {
        require(expected);
        sources.raise(nextBySource);
    }

    synchronized void skip(int source, List<Skip> left) {
        sources.skip(source, left);
    }

    /** What was left out for good: number of the source, first offset, last offset, cause. */
    synchronized List<String> skipped() {
        return sources.skipped();
    }

    /** Where a record that is put out comes from. */
    synchronized Origin origin(Message message, int ordinal) {
        return sources.origin(message, ordinal);
    }

    /** What a database held once; nobody changes it. */
    public static final class Backup {

        private final InMemoryDatabase database;

        private Backup(InMemoryDatabase database) {
            this.database = database;
        }
    }

    private record PauseId(Pauses.Kind kind, String name) {}

    /** A record of the outbox, with its place and when it was written down. */
    record Written(long position, long nanos, OutboxRecord record) {}
}
