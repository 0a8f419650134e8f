package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * The rows of a database in memory. It refuses what Postgres would refuse, and beyond that each
 * state that {@code jsonb} would: so a codec that lets one through fails in the simulation already.
 *
 * <p>Threads: thread-safe (the database is).
 */
public final class InMemoryStateStore implements StateStore {

    /** What an entry of Postgres' index can hold, if the key does not compress. */
    private static final int MAX_KEY_BYTES = 2_690;

    private final InMemoryDatabase database;
    private final ToIntFunction<Incarnation> relay;

    /** The rows as a process sees them that has no relay. */
    public InMemoryStateStore(InMemoryDatabase database) {
        this(database, life -> InMemoryOutputs.NONE_YET);
    }

    /**
     * The rows as a process with a relay sees them.
     *
     * @param relay the number that its saves write on what they put out
     */
    public InMemoryStateStore(InMemoryDatabase database, ToIntFunction<Incarnation> relay) {
        this.database = database;
        this.relay = relay;
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        return database.find(keys, incarnation);
    }

    @Override
    public Map<String, Map<String, String>> firedTimers(
            Collection<String> keys, Incarnation incarnation) {
        return database.firedTimers(keys, incarnation);
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return database.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        return database.appliedCommands(commands, incarnation);
    }

    /** Nobody else holds locks here: all three ways are one. */
    @Override
    public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
        database.require(incarnation);
        for (Change change : changes) {
            if (!change.isWithoutRow()) {
                checkKey(change.key());
            }
            byte[] state = change.state();
            if (state != null && !JsonbText.isAccepted(state)) {
                throw fault("a state that jsonb does not take");
            }
        }
        return database.save(changes, relay.applyAsInt(incarnation), incarnation);
    }

    private static void checkKey(String key) {
        if (key.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(key)) {
            throw fault("a key that is no text");
        }
        if (key.getBytes(StandardCharsets.UTF_8).length > MAX_KEY_BYTES) {
            throw fault("a key longer than an index entry");
        }
    }

    private static StoreException.RowFault fault(String message) {
        return new StoreException.RowFault(message, new SQLException(message));
    }
}
