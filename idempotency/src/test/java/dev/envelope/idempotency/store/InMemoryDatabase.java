package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.offset.Checkpoints.Source;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.idempotency.dedupe.Marks;
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
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
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
    private Map<RecordId, Kept> parked = new LinkedHashMap<>();
    private Map<PauseId, Pauses.Pause> pauses = new LinkedHashMap<>();
    private Set<RecordId> dropped = new HashSet<>(); // of those without a row
    private List<InMemoryParkedStore.Asked> requests = new ArrayList<>();
    private List<Replaced> replacements = new ArrayList<>();
    private List<Source> sources = new ArrayList<>();
    private final Map<SkippedId, Skip> skipped = new LinkedHashMap<>();
    private Map<RecordOrdinal, Written> outbox = new LinkedHashMap<>();
    private InMemoryOutputs outputs = new InMemoryOutputs();
    private InMemoryEffects effects = new InMemoryEffects();
    private Map<Integer, Uuid> firstTopicIds = new HashMap<>(); // of sources adopted since
    private long lastPosition; // in the outbox, and among what is parked
    private Marks purged = Marks.NONE;
    private Map<String, Long> updatedAt = new HashMap<>(); // by key
    private final LongSupplier nanoTime;

    /** A database whose clock stands still. */
    public InMemoryDatabase() {
        this(() -> 0);
    }

    /** A database with a clock of its own, which rows and outbox records are dated by. */
    public InMemoryDatabase(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The present life of the server. */
    public synchronized Incarnation incarnation() {
        return new Incarnation("memory/" + life);
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
        return parked.values().stream().map(Kept::message).toList();
    }

    /** All sources in the order of their numbers. */
    public synchronized List<Source> sources() {
        return List.copyOf(sources);
    }

    /** The same data in another life. */
    public synchronized void restart() {
        life++;
    }

    /** All that it holds now. */
    public synchronized Backup backup() {
        return new Backup(
                rows(),
                new LinkedHashMap<>(parked),
                Set.copyOf(dropped),
                new LinkedHashMap<>(pauses),
                copies(requests),
                List.copyOf(replacements),
                List.copyOf(sources),
                new LinkedHashMap<>(outbox),
                new InMemoryOutputs(outputs),
                new InMemoryEffects(effects),
                Map.copyOf(firstTopicIds),
                lastPosition,
                purged,
                Map.copyOf(updatedAt));
    }

    /** Goes back to what it held then, in another life: a fail-over that lost something. */
    public synchronized void restore(Backup backup) {
        rows = new TreeMap<>(backup.rows);
        parked = new LinkedHashMap<>(backup.parked);
        dropped = new HashSet<>(backup.dropped);
        pauses = new LinkedHashMap<>(backup.pauses);
        requests = copies(backup.requests);
        replacements = new ArrayList<>(backup.replacements);
        sources = new ArrayList<>(backup.sources);
        outbox = new LinkedHashMap<>(backup.outbox);
        outputs = new InMemoryOutputs(backup.outputs);
        effects = new InMemoryEffects(backup.effects);
        firstTopicIds = new HashMap<>(backup.firstTopicIds);
        lastPosition = backup.lastPosition;
        purged = backup.purged;
        updatedAt = new HashMap<>(backup.updatedAt);
        restart();
    }

    private static List<InMemoryParkedStore.Asked> copies(List<InMemoryParkedStore.Asked> asked) {
        return new ArrayList<>(asked.stream().map(InMemoryParkedStore.Asked::new).toList());
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
                        .filter(row -> isBelowCheckpoints(row.marks()) && !isInUse.test(row.key()))
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

    private boolean isBelowCheckpoints(Marks marks) {
        boolean[] isBelow = {true};
        marks.forEach(
                (source, next) ->
                        isBelow[0] &=
                                sources.stream()
                                        .filter(it -> it.number() == source)
                                        .anyMatch(it -> next.offset() <= it.checkpoint().offset()));
        return isBelow[0];
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

    synchronized Map<String, Map<String, String>> firedTimers(
            Collection<String> keys, Incarnation expected) {
        require(expected);
        return effects.fired(keys);
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

    /** Where a record that is put out comes from. */
    synchronized Origin origin(Message message, int ordinal) {
        int number = message.epoch().source();
        Optional<Source> source = sources.stream().filter(it -> it.number() == number).findFirst();
        Uuid present = source.map(Source::topicId).orElse(Uuid.ZERO_UUID);
        return new Origin(
                firstTopicIds.getOrDefault(number, present),
                source.map(Source::generation).orElse(0),
                message.partition(),
                message.offset(),
                message.leaderEpoch(),
                ordinal);
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
            RecordId id = RecordId.of(message.message());
            if (message.rowKey() != null || (!dropped.contains(id) && !isPassed(id))) {
                parked.computeIfAbsent(id, it -> new Kept(++lastPosition, message));
            }
        }
        for (OutboxRecord record : change.deadLetters()) {
            outbox.computeIfAbsent(
                    new RecordOrdinal(RecordId.of(record.origin()), record.ordinal()),
                    id -> new Written(++lastPosition, nanoTime.getAsLong(), record));
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
    List<InMemoryParkedStore.Asked> requests() {
        return requests;
    }

    /** Somebody deletes a row by hand. */
    public synchronized void deleteRow(String key) {
        rows.remove(key);
        updatedAt.remove(key);
    }

    /** Somebody deletes parked messages by hand. */
    public synchronized void deleteParked(Predicate<ParkedMessage> which) {
        parked.values().removeIf(kept -> which.test(kept.message()));
    }

    /** An operator drops parked messages that can't have a row. */
    public synchronized void dropWithoutRow(Predicate<ParkedMessage> which) {
        Predicate<ParkedMessage> all = which.and(message -> message.rowKey() == null);
        dropped.removeIf(this::isPassed);
        parked.forEach(
                (id, kept) -> {
                    if (all.test(kept.message()) && !isPassed(id)) {
                        dropped.add(id);
                    }
                });
        deleteParked(all);
    }

    private boolean isPassed(RecordId id) {
        return sources.stream()
                .filter(it -> it.number() == id.source())
                .map(Source::checkpoint)
                .filter(it -> it.offset() > id.offset())
                .anyMatch(it -> it.leaderEpoch() < 0 || it.leaderEpoch() >= id.leaderEpoch());
    }

    /**
     * An operator holds something back.
     *
     * @return false if there is no such partition
     */
    public synchronized boolean pause(Pauses.Kind kind, String name, Optional<Duration> time) {
        boolean isThere =
                kind == Pauses.Kind.KEY
                        || sources.stream().anyMatch(it -> it.partition().toString().equals(name));
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
        return parked.values().stream().filter(it -> key.equals(it.message().rowKey())).toList();
    }

    /** A parked message was tried once more. */
    synchronized void failedAgain(long position, String reason, String error) {
        parked.replaceAll(
                (id, kept) -> kept.position() == position ? kept.failed(reason, error) : kept);
    }

    /** Puts another value in the place of a parked message's, for good. */
    synchronized void replace(long position, byte @Nullable [] value) {
        for (Map.Entry<RecordId, Kept> entry : parked.entrySet()) {
            Kept kept = entry.getValue();
            Message message = kept.message().message();
            if (kept.position() == position) {
                entry.setValue(kept.of(message.withValue(value)));
                int source = message.epoch().source();
                replacements.removeIf(
                        it -> it.by().source() == source && it.by().offset() == message.offset());
                replacements.add(
                        new Replaced(
                                kept.message().rowKey(),
                                new Replacement(
                                        source, message.offset(), message.leaderEpoch(), value)));
            }
        }
    }

    synchronized List<Replacement> replacements() {
        return replacements.stream().map(Replaced::by).toList();
    }

    /** What stood in the place of values of a key goes with it. */
    synchronized void forgetReplacements(String key) {
        replacements.removeIf(it -> key.equals(it.key()));
    }

    /** What stands in the place of a value of a key. */
    private record Replaced(@Nullable String key, Replacement by) {}

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
        long there =
                parkedOf(next.key()).stream()
                        .filter(it -> positions.contains(it.position()))
                        .count();
        if (row.version() != next.version() - 1 || there != positions.size()) {
            return false;
        }
        updatedAt.put(next.key(), nanoTime.getAsLong());
        rows.put(next.key(), next);
        parked.values().removeIf(kept -> positions.contains(kept.position()));
        outputs.save(
                relay,
                wanted.outputs().stream().map(it -> new SavedOutput(next.key(), it)).toList(),
                nanoTime.getAsLong());
        effects.save(next, wanted, nanoTime.getAsLong());
        return true;
    }

    synchronized void introduce(Collection<NewSource> added) {
        List<Source> before = sources();
        added.stream()
                .sorted(Comparator.comparingInt(source -> source.partition().partition()))
                .filter(source -> before.stream().noneMatch(it -> isOfOther(it, source)))
                .filter(source -> sources.stream().noneMatch(known -> isSame(known, source)))
                .forEach(
                        source ->
                                sources.add(
                                        new Source(
                                                sources.size() + 1,
                                                source.partition(),
                                                source.topicId(),
                                                source.generation(),
                                                source.start(),
                                                source.start(),
                                                new Growth(
                                                        source.growth(),
                                                        source.growth() == 0
                                                                || isFormerSettled(source),
                                                        Duration.ZERO))));
    }

    /** Whether the topic has got an id since that its finder did not know of. */
    private static boolean isOfOther(Source known, NewSource source) {
        return known.partition().topic().equals(source.partition().topic())
                && !known.topicId().equals(source.topicId())
                && !source.beside().contains(known.topicId());
    }

    private boolean isFormerSettled(NewSource source) {
        return sources.stream()
                .filter(it -> it.partition().equals(source.partition()))
                .filter(it -> it.topicId().equals(source.topicId()))
                .filter(it -> it.generation() == source.generation() - 1)
                .anyMatch(it -> it.growth().settled());
    }

    synchronized void skip(int source, List<Skip> left) {
        left.forEach(
                it ->
                        skipped.merge(
                                new SkippedId(source, it.first()),
                                it,
                                (known, later) -> later.next() > known.next() ? later : known));
    }

    /** What was left out for good: number of the source, first offset, last offset, cause. */
    synchronized List<String> skipped() {
        return skipped.entrySet().stream()
                .map(
                        it ->
                                "%d %d %d %s"
                                        .formatted(
                                                it.getKey().source(),
                                                it.getValue().first(),
                                                it.getValue().next() - 1,
                                                it.getValue()
                                                        .cause()
                                                        .name()
                                                        .toLowerCase(Locale.ROOT)))
                .toList();
    }

    synchronized void adopt(String topic, Uuid former, Uuid present) {
        sources.stream()
                .filter(it -> it.partition().topic().equals(topic))
                .filter(it -> it.topicId().equals(former))
                .forEach(it -> firstTopicIds.putIfAbsent(it.number(), former));
        sources.replaceAll(
                it ->
                        it.partition().topic().equals(topic) && it.topicId().equals(former)
                                ? with(it, present, withoutEpoch(it.checkpoint()), it.growth())
                                : it);
    }

    /** Leader epochs count anew in another cluster. */
    private static NextOffset withoutEpoch(NextOffset next) {
        return new NextOffset(next.offset(), NextOffset.NO_EPOCH);
    }

    synchronized void settle(int source) {
        sources.replaceAll(
                it ->
                        it.number() == source
                                ? with(
                                        it,
                                        it.topicId(),
                                        it.checkpoint(),
                                        new Growth(it.growth().round(), true, it.growth().age()))
                                : it);
    }

    private static Source with(Source it, Uuid topicId, NextOffset checkpoint, Growth growth) {
        return new Source(
                it.number(),
                it.partition(),
                topicId,
                it.generation(),
                it.start(),
                checkpoint,
                growth);
    }

    private static boolean isSame(Source known, NewSource source) {
        return known.topicId().equals(source.topicId())
                && known.generation() == source.generation()
                && known.partition().partition() == source.partition().partition();
    }

    synchronized void raise(Map<Integer, NextOffset> nextBySource, Incarnation expected) {
        require(expected);
        sources.replaceAll(
                source -> {
                    NextOffset next = nextBySource.get(source.number());
                    return next == null || !isHigher(next, source.checkpoint())
                            ? source
                            : with(source, source.topicId(), next, source.growth());
                });
    }

    private static boolean isHigher(NextOffset next, NextOffset than) {
        return next.offset() > than.offset()
                || (next.offset() == than.offset() && next.leaderEpoch() > than.leaderEpoch());
    }

    /** What a database held once; nobody changes it. */
    public static final class Backup {

        private final SortedMap<String, Snapshot> rows;
        private final Map<RecordId, Kept> parked;
        private final Set<RecordId> dropped;
        private final Map<PauseId, Pauses.Pause> pauses;
        private final List<InMemoryParkedStore.Asked> requests;
        private final List<Replaced> replacements;
        private final List<Source> sources;
        private final Map<RecordOrdinal, Written> outbox;
        private final InMemoryOutputs outputs;
        private final InMemoryEffects effects;
        private final Map<Integer, Uuid> firstTopicIds;
        private final long lastPosition;
        private final Marks purged;
        private final Map<String, Long> updatedAt;

        private Backup(
                SortedMap<String, Snapshot> rows,
                Map<RecordId, Kept> parked,
                Set<RecordId> dropped,
                Map<PauseId, Pauses.Pause> pauses,
                List<InMemoryParkedStore.Asked> requests,
                List<Replaced> replacements,
                List<Source> sources,
                Map<RecordOrdinal, Written> outbox,
                InMemoryOutputs outputs,
                InMemoryEffects effects,
                Map<Integer, Uuid> firstTopicIds,
                long lastPosition,
                Marks purged,
                Map<String, Long> updatedAt) {
            this.updatedAt = updatedAt;
            this.purged = purged;
            this.outbox = outbox;
            this.outputs = outputs;
            this.effects = effects;
            this.firstTopicIds = firstTopicIds;
            this.lastPosition = lastPosition;
            this.rows = rows;
            this.parked = parked;
            this.dropped = dropped;
            this.pauses = pauses;
            this.requests = requests;
            this.replacements = replacements;
            this.sources = sources;
        }
    }

    private record RecordId(int source, long offset, int leaderEpoch) {

        static RecordId of(Message message) {
            return new RecordId(message.epoch().source(), message.offset(), message.leaderEpoch());
        }
    }

    private record RecordOrdinal(RecordId record, int ordinal) {}

    private record PauseId(Pauses.Kind kind, String name) {}

    private record SkippedId(int source, long first) {}

    /** A parked message, with its place among all that were ever parked. */
    record Kept(long position, ParkedMessage message) {

        private Kept of(Message other) {
            return new Kept(
                    position,
                    new ParkedMessage(
                            other,
                            message.rowKey(),
                            message.reason(),
                            message.error(),
                            message.attempts()));
        }

        private Kept failed(String reason, String error) {
            int attempts = message.attempts() + 1;
            return new Kept(
                    position,
                    new ParkedMessage(
                            message.message(), message.rowKey(), reason, error, attempts));
        }
    }

    /** A record of the outbox, with its place and when it was written down. */
    record Written(long position, long nanos, OutboxRecord record) {}
}
