package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * The parked messages and requests of a database in memory, as one process sees them.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryParkedStore implements ParkedStore {

    /** A request and what became of it. */
    static final class Asked {
        private Request request;
        private @Nullable String takenBy;
        private int brokenOff;
        private long takenUntil;
        private @Nullable String answer;

        Asked(Request request) {
            this.request = request;
        }
    }

    private final InMemoryDatabase database;
    private final String process;
    private final LongSupplier nanoTime;
    private boolean losesNextReply;

    public InMemoryParkedStore(InMemoryDatabase database, String process, LongSupplier nanoTime) {
        this.database = database;
        this.process = process;
        this.nanoTime = nanoTime;
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
        synchronized (database) {
            return database.parked().stream()
                    .filter(message -> key.equals(message.rowKey()))
                    .map(InMemoryParkedStore::position)
                    .max(Long::compare)
                    .orElse(null);
        }
    }

    private Request ask(
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
            database.requests().add(new Asked(request));
            return request;
        }
    }

    /** The next repair is done, and nobody gets to know. */
    public void loseNextReply() {
        losesNextReply = true;
    }

    /** What was answered to a request, if it was. */
    public Optional<String> answerTo(Request request) {
        synchronized (database) {
            return Optional.ofNullable(asked(request).answer);
        }
    }

    /** How many requests have no answer. */
    public long open() {
        synchronized (database) {
            return database.requests().stream().filter(asked -> asked.answer == null).count();
        }
    }

    @Override
    public Incarnation incarnation() {
        return database.incarnation();
    }

    @Override
    public Optional<Request> take(Duration lease) {
        synchronized (database) {
            for (Asked asked : database.requests()) {
                boolean isFree =
                        asked.takenBy == null
                                || asked.takenBy.equals(process)
                                || asked.takenUntil < nanoTime.getAsLong();
                if (asked.answer == null && isFree) {
                    boolean isOfAnother = asked.takenBy != null && !asked.takenBy.equals(process);
                    asked.brokenOff += isOfAnother ? 1 : 0;
                    asked.takenBy = process;
                    asked.takenUntil = nanoTime.getAsLong() + lease.toNanos();
                    Request of = asked.request;
                    return Optional.of(
                            new Request(
                                    of.number(),
                                    of.key(),
                                    of.action(),
                                    of.position(),
                                    of.version(),
                                    of.state(),
                                    asked.brokenOff));
                }
            }
            return Optional.empty();
        }
    }

    @Override
    public void leave() {
        synchronized (database) {
            for (Asked asked : database.requests()) {
                if (asked.answer == null && process.equals(asked.takenBy)) {
                    asked.takenBy = null;
                }
            }
        }
    }

    @Override
    public boolean renew(Request request, Duration lease) {
        synchronized (database) {
            Asked asked = asked(request);
            boolean isOurs = asked.answer == null && process.equals(asked.takenBy);
            if (isOurs) {
                asked.takenUntil = nanoTime.getAsLong() + lease.toNanos();
            }
            return isOurs;
        }
    }

    @Override
    public void answer(Request request, String answer) {
        synchronized (database) {
            if (renew(request, Duration.ZERO)) {
                asked(request).answer = answer;
            }
        }
    }

    @Override
    public List<Parked> first(String key, int most) {
        synchronized (database) {
            return database.parked().stream()
                    .filter(message -> key.equals(message.rowKey()))
                    .limit(most)
                    .map(parked -> new Parked(position(parked), readAnew(parked.message())))
                    .toList();
        }
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
    public boolean save(Snapshot next, List<Long> positions, Incarnation incarnation) {
        return database.unpark(next, message -> positions.contains(position(message)), incarnation);
    }

    @Override
    public boolean repair(Request request, Snapshot next, Incarnation incarnation) {
        synchronized (database) {
            boolean isSaved = database.unpark(next, message -> false, incarnation);
            if (isSaved) {
                Asked asked = asked(request);
                Request of = asked.request;
                asked.request =
                        new Request(
                                of.number(),
                                of.key(),
                                of.action(),
                                of.position(),
                                null,
                                of.state(),
                                of.brokenOff());
            }
            if (losesNextReply) {
                losesNextReply = false;
                throw new UnavailableException("the reply was lost");
            }
            return isSaved;
        }
    }

    /** Names a message as well as a place would. */
    private static long position(ParkedMessage message) {
        return (long) message.message().epoch().source() << 40 | message.message().offset();
    }

    private Asked asked(Request request) {
        return database.requests().get(Math.toIntExact(request.number() - 1));
    }
}
