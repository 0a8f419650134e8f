package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.InMemoryParked.Kept;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The parked messages and requests of a database in memory, as one process sees them.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryParkedStore implements ParkedStore, RequestStore {

    private final InMemoryDatabase database;
    private final String process;
    private final LongSupplier nanoTime;
    private final ToIntFunction<Incarnation> relay;
    private boolean losesNextReply;

    public InMemoryParkedStore(InMemoryDatabase database, String process, LongSupplier nanoTime) {
        this(database, process, nanoTime, life -> InMemoryOutputs.NONE_YET);
    }

    /**
     * As a process with a relay sees them.
     *
     * @param relay the number that its saves write on what they put out
     */
    public InMemoryParkedStore(
            InMemoryDatabase database,
            String process,
            LongSupplier nanoTime,
            ToIntFunction<Incarnation> relay) {
        this.database = database;
        this.process = process;
        this.nanoTime = nanoTime;
        this.relay = relay;
    }

    /** An operator asks for something. */
    public Request ask(String key, Action action, @Nullable Long position) {
        return ask(key, action, position, null, null);
    }

    /** An operator asks for a repair of the row that has this version. */
    public Request askToRepair(String key, Action action, long version, @Nullable String state) {
        return ask(key, action, lastPosition(key), version, state);
    }

    private @Nullable Long lastPosition(String key) {
        List<Kept> parked = database.parkedOf(key);
        return parked.isEmpty() ? null : parked.get(parked.size() - 1).position();
    }

    Request ask(
            String key,
            Action action,
            @Nullable Long position,
            @Nullable Long version,
            @Nullable String state) {
        synchronized (database) {
            Request request =
                    new Request(
                            database.requests().size() + 1,
                            key,
                            action,
                            position,
                            version,
                            state,
                            0);
            database.requests().add(new Asked(request, nanoTime.getAsLong()));
            return request;
        }
    }

    /** The next repair or step is done, and nobody gets to know. */
    public void loseNextReply() {
        losesNextReply = true;
    }

    /** What was answered to a request, if it was. */
    public Optional<String> answerTo(Request request) {
        synchronized (database) {
            return find(request).flatMap(asked -> Optional.ofNullable(asked.answer));
        }
    }

    /** The requests that have no answer, as they stand. */
    public List<Request> open() {
        synchronized (database) {
            return database.requests().stream()
                    .filter(asked -> asked.answer == null)
                    .map(asked -> asked.request)
                    .toList();
        }
    }

    @Override
    public Incarnation incarnation() {
        return database.incarnation();
    }

    @Override
    public void seen() {}

    @Override
    public Optional<Request> take(Duration lease) {
        synchronized (database) {
            long now = nanoTime.getAsLong();
            return database.requests().stream()
                    .filter(asked -> asked.isFor(process, now) && !isHeld(asked))
                    .min(Comparator.comparingLong(Asked::waitsSince))
                    .map(asked -> asked.taken(process, now + lease.toNanos()));
        }
    }

    private boolean isHeld(Asked asked) {
        return database.requests().stream().anyMatch(it -> it.holds(asked));
    }

    @Override
    public void rest(Request request, Duration pause, Duration lease) {
        synchronized (database) {
            long until = nanoTime.getAsLong() + pause.toNanos();
            find(request)
                    .filter(asked -> asked.isOf(process))
                    .ifPresent(
                            asked -> {
                                asked.notBefore = until;
                                asked.takenUntil = pause.isZero() ? until + lease.toNanos() : until;
                                asked.takenBy = pause.isZero() ? asked.takenBy : null;
                            });
        }
    }

    @Override
    public void leave() {
        synchronized (database) {
            for (Asked asked : database.requests()) {
                if (asked.isOf(process)) {
                    asked.takenBy = null;
                    asked.notBefore = null;
                }
            }
        }
    }

    @Override
    public Optional<Request> renew(Request request, Duration lease) {
        synchronized (database) {
            Optional<Asked> ours =
                    find(request).filter(asked -> asked.isOf(process) && !isHeld(asked));
            ours.ifPresent(asked -> asked.takenUntil = nanoTime.getAsLong() + lease.toNanos());
            return ours.map(asked -> asked.request);
        }
    }

    @Override
    public boolean answer(Request request, String answer, Incarnation incarnation) {
        synchronized (database) {
            database.require(incarnation);
            Optional<Asked> ours = find(request).filter(asked -> asked.isOf(process));
            ours.ifPresent(asked -> asked.answer = answer);
            return ours.isPresent();
        }
    }

    @Override
    public int uncounted(String key) {
        synchronized (database) {
            Snapshot row = database.rows().get(key);
            return database.parkedOf(key).size() - (row == null ? 0 : row.parked());
        }
    }

    @Override
    public Snapshot rowOfParked(String key) {
        List<Kept> parked = database.parkedOf(key);
        Map<Integer, NextOffset> marks = new TreeMap<>();
        parked.stream()
                .map(kept -> kept.message().message())
                .forEach(
                        it ->
                                marks.merge(
                                        it.epoch().source(),
                                        it.next(),
                                        InMemoryParkedStore::later));
        Marks[] all = {Marks.NONE};
        marks.forEach((source, next) -> all[0] = all[0].advance(source, next));
        return new Snapshot(key, Snapshot.ABSENT, null, all[0], null, parked.size());
    }

    private static NextOffset later(NextOffset one, NextOffset other) {
        boolean isLater =
                other.offset() == one.offset()
                        ? other.leaderEpoch() > one.leaderEpoch()
                        : other.offset() > one.offset();
        return isLater ? other : one;
    }

    @Override
    public List<Parked> first(String key, int most) {
        return database.parkedOf(key).stream()
                .limit(most)
                .map(kept -> new Parked(kept.position(), readAnew(kept.message().message())))
                .toList();
    }

    @Override
    public List<Long> positions(String key, long last, int most) {
        return database.parkedOf(key).stream()
                .map(Kept::position)
                .filter(position -> position <= last)
                .limit(most)
                .toList();
    }

    /** It is of no epoch that is read now. */
    private Message readAnew(Message message) {
        PartitionEpoch epoch =
                new PartitionEpoch(
                        0,
                        message.epoch().partition(),
                        message.epoch().source(),
                        database.incarnation());
        byte[] key = message.keyBytes();
        byte[] value = message.value();
        return Message.of(
                epoch,
                0,
                message.key(),
                new ConsumerRecord<>(
                        message.topic(),
                        message.partition(),
                        message.offset(),
                        message.timestampMillis(),
                        TimestampType.CREATE_TIME,
                        key == null ? ConsumerRecord.NULL_SIZE : key.length,
                        value == null ? ConsumerRecord.NULL_SIZE : value.length,
                        key,
                        value,
                        message.headers(),
                        message.leaderEpoch() == NextOffset.NO_EPOCH
                                ? Optional.empty()
                                : Optional.of(message.leaderEpoch())));
    }

    @Override
    public boolean save(
            Request request,
            Snapshot next,
            List<Long> positions,
            HandlerEffects effects,
            Incarnation incarnation) {
        synchronized (database) {
            int number = relay.applyAsInt(incarnation);
            boolean isSaved =
                    isOurs(request, incarnation)
                            && database.unpark(next, positions, effects, number, incarnation);
            requireReply();
            return isSaved;
        }
    }

    @Override
    public void failedAgain(Request request, long position, String reason, String error) {
        synchronized (database) {
            if (isOurs(request, database.incarnation())) {
                database.failedAgain(position, reason, error);
            }
        }
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        synchronized (database) {
            boolean isSaved =
                    isOurs(request, incarnation) && database.unpark(next, List.of(), incarnation);
            if (isSaved) {
                find(request).ifPresent(Asked::repaired);
                if (request.action() == Action.DELETE) {
                    database.forgetReplacements(request.key());
                }
            }
            requireReply();
            return isSaved;
        }
    }

    private void requireReply() {
        if (losesNextReply) {
            losesNextReply = false;
            throw new UnavailableException("the reply was lost");
        }
    }

    @Override
    public boolean replace(Request request, Snapshot next, Incarnation incarnation) {
        synchronized (database) {
            long position = Objects.requireNonNull(request.position());
            boolean isThere =
                    isOurs(request, incarnation)
                            && positions(request.key(), position, 1).contains(position);
            boolean isSaved = isThere && database.unpark(next, List.of(), incarnation);
            if (isSaved) {
                String value = request.state();
                byte[] bytes = value == null ? null : Base64.getDecoder().decode(value);
                database.replace(position, bytes);
                find(request).ifPresent(Asked::repaired);
            }
            return isSaved;
        }
    }

    private boolean isOurs(Request request, Incarnation incarnation) {
        database.require(incarnation);
        return find(request).filter(asked -> asked.isOf(process)).isPresent();
    }

    @Override
    public List<Replacement> replacements() {
        return database.replacements();
    }

    /** An operator asks for another value of the key's first message. */
    public Request askToEdit(String key, byte @Nullable [] value) {
        String text = value == null ? null : Base64.getEncoder().encodeToString(value);
        long first = database.parkedOf(key).get(0).position();
        return ask(key, Action.EDIT, first, Request.ANY_VERSION, text);
    }

    /** Empty if the database is one that has never heard of it. */
    private Optional<Asked> find(Request request) {
        return database.requests().stream()
                .filter(asked -> asked.request.number() == request.number())
                .findFirst();
    }
}
