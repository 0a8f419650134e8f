package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.DoneBefore.Place;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A transaction of a database in memory. The server ends it if nothing is asked in it for too long,
 * and where whoever has it is gone.
 *
 * <p>Threads: guarded by the database.
 */
public final class InMemoryTransaction {

    /** For how long nothing may be asked in one. */
    public static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

    private final InMemoryDatabase database;
    private final BooleanSupplier isAlive;
    private final Incarnation life;
    private final Map<Place, Integer> marked = new HashMap<>(); // leader epochs
    private final List<String> written = new ArrayList<>();
    private boolean isOver;
    private boolean isDetached;
    private long asked;

    /**
     * @param isAlive whether somebody is at the other end of its connection
     */
    InMemoryTransaction(InMemoryDatabase database, BooleanSupplier isAlive) {
        this.database = database;
        this.isAlive = isAlive;
        this.life = database.incarnation();
        this.asked = database.nanos();
    }

    /** Whether the server has ended it, or would if it looked. */
    boolean isGone() {
        if (!isOver && (isCut() || (!isDetached && !isAlive.getAsBoolean()))) {
            isOver = true;
        }
        return isOver;
    }

    private boolean isCut() {
        boolean isSilent = database.nanos() - asked > LONGEST_PAUSE.toNanos();
        return !life.equals(database.incarnation()) || (isSilent && !isDetached);
    }

    private void asks() {
        if (isOver || isCut()) {
            rollback();
            throw new UnavailableException("the session is over");
        }
        asked = database.nanos();
    }

    /** Whether another one that is not over is at one of these. */
    public boolean isHeldUp(List<Message> messages) {
        synchronized (database) {
            return database.work().isHeld(messages);
        }
    }

    /** Marks messages. */
    public DoneBefore mark(List<Message> messages) {
        synchronized (database) {
            database.require(messages.get(0).epoch().incarnation());
            asks();
            if (database.work().isHeld(messages)) {
                throw new StoreException.RowLocked("a rival", new SQLException("", "55P03"));
            }
            Set<Place> inserted = database.work().mark(messages, this);
            messages.stream()
                    .filter(it -> inserted.contains(Place.of(it)))
                    .forEach(it -> marked.put(Place.of(it), it.leaderEpoch()));
            return new DoneBefore(
                    inserted, database.work().earlier(messages, inserted), checkpoints(messages));
        }
    }

    private Map<Integer, NextOffset> checkpoints(List<Message> messages) {
        Map<Integer, NextOffset> checkpoints = new HashMap<>();
        database.sources().forEach(it -> checkpoints.put(it.number(), it.checkpoint()));
        Stream<Integer> own = messages.stream().map(it -> it.epoch().source());
        if (!own.allMatch(checkpoints::containsKey)) {
            throw new UnavailableException("the database no longer knows the source");
        }
        return checkpoints;
    }

    /** Writes a row. */
    public void write(String row) {
        synchronized (database) {
            asks();
            written.add(row);
        }
    }

    /** What was written in it. */
    public List<String> written() {
        synchronized (database) {
            return List.copyOf(written);
        }
    }

    /** Makes all of it durable at once. */
    public void commit() {
        synchronized (database) {
            asks();
            isOver = true;
            database.work().commit(marked, written);
        }
    }

    /** Whoever has it is told that the connection is gone, and the server goes on with it. */
    public void detach() {
        synchronized (database) {
            asks();
            isDetached = true;
        }
    }

    /** The server gives up a transaction that was left to it. */
    public void abandon() {
        synchronized (database) {
            isDetached = false;
            rollback();
        }
    }

    /** Whoever has it gives it up; one that is left to the server is not his any more. */
    void rollback() {
        synchronized (database) {
            if (!isDetached) {
                isOver = true;
                database.work().rollback(this);
            }
        }
    }
}
