package dev.envelope.idempotency.store;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.row.StoreException;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
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

    private final InMemoryDatabase database; // any of them
    private final Function<String, InMemoryDatabase> ofKey;
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
        this(database, key -> database, relay);
    }

    /**
     * The rows of several databases that live and die together and share transactions.
     *
     * @param any of them
     * @param ofKey the one that has the row of a key
     */
    public InMemoryStateStore(
            InMemoryDatabase any,
            Function<String, InMemoryDatabase> ofKey,
            ToIntFunction<Incarnation> relay) {
        this.database = any;
        this.ofKey = ofKey;
        this.relay = relay;
    }

    /** The places of some items among them, by the database of each. */
    private <T> Map<InMemoryDatabase, List<Integer>> places(
            List<T> items, Function<T, String> key) {
        Map<InMemoryDatabase, List<Integer>> places = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            InMemoryDatabase its = ofKey.apply(key.apply(items.get(i)));
            places.computeIfAbsent(its, it -> new ArrayList<>()).add(i);
        }
        return places;
    }

    private <T, K, R> Map<K, R> read(
            Collection<T> of,
            Function<T, String> key,
            BiFunction<InMemoryDatabase, List<T>, Map<K, R>> read) {
        List<T> all = List.copyOf(of);
        Map<K, R> found = new LinkedHashMap<>();
        places(all, key)
                .forEach(
                        (its, places) ->
                                found.putAll(
                                        read.apply(its, places.stream().map(all::get).toList())));
        return found;
    }

    @Override
    public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
        database.require(incarnation);
        return read(keys, key -> key, (its, some) -> its.find(some, incarnation));
    }

    @Override
    public Map<String, Map<String, DueTimer>> dueTimers(
            Collection<TimerId> timers, Incarnation incarnation) {
        database.require(incarnation);
        return read(timers, TimerId::key, (its, some) -> its.dueTimers(some, incarnation));
    }

    @Override
    public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
        return database.waiting(rowIds, incarnation);
    }

    @Override
    public Map<CommandId, Reply.At> appliedCommands(
            Collection<CommandId> commands, Incarnation incarnation) {
        database.require(incarnation);
        return read(
                commands, CommandId::key, (its, some) -> its.appliedCommands(some, incarnation));
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
        boolean[] saved = new boolean[changes.size()];
        places(changes, Change::key)
                .forEach(
                        (its, places) -> {
                            List<Change> some = places.stream().map(changes::get).toList();
                            boolean[] won =
                                    its.save(some, relay.applyAsInt(incarnation), incarnation);
                            for (int i = 0; i < won.length; i++) {
                                saved[places.get(i)] = won[i];
                            }
                        });
        return saved;
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
