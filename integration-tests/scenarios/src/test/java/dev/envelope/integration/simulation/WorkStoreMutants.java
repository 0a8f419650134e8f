package dev.envelope.integration.simulation;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryTransaction;
import dev.envelope.idempotency.store.InMemoryWorkStore;
import dev.envelope.idempotency.store.InMemoryWorkStore.Way;
import dev.envelope.idempotency.store.PoolUse;
import dev.envelope.idempotency.work.DoneBefore;
import dev.envelope.idempotency.work.Transactions;
import dev.envelope.idempotency.work.WorkStore;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Wirings whose handler writes in transactions, and that each break one promise. */
final class WorkStoreMutants {

    private WorkStoreMutants() {}

    /** The mark is in a transaction of its own, before that of the handler. */
    static final WorkWiring MARKED_BEFORE =
            transactions(
                    store ->
                            (messages, action) -> {
                                BitSet before =
                                        store.transactions()
                                                .once(messages, (places, connection) -> {});
                                if (before.cardinality() < messages.size()) {
                                    store.withoutMarks(
                                            (none, connection) -> action.run(before, connection));
                                }
                                return before;
                            });

    /** The mark is in a transaction of its own, behind that of the handler. */
    static final WorkWiring MARKED_BEHIND =
            transactions(
                    store ->
                            (messages, action) -> {
                                store.withoutMarks(action);
                                return store.transactions()
                                        .once(messages, (places, connection) -> {});
                            });

    /** A connection that breaks is taken for a commit. */
    static final WorkWiring UNKNOWN_TAKEN_FOR_DONE =
            transactions(
                    store ->
                            (messages, action) -> {
                                try {
                                    return store.transactions().once(messages, action);
                                } catch (UnavailableException e) {
                                    return new BitSet();
                                }
                            });

    /** A database that is away is taken for a failure of the handler. */
    static final WorkWiring OUTAGE_CHARGED =
            transactions(
                    store ->
                            (messages, action) -> {
                                try {
                                    return store.transactions().once(messages, action);
                                } catch (UnavailableException e) {
                                    throw new IllegalStateException(e);
                                }
                            });

    /** Marks are deleted that say more than the checkpoint. */
    static final WorkWiring FORGOTTEN_ABOVE_THE_CHECKPOINT =
            new WorkWiring() {
                @Override
                public WorkStore store(InMemoryWorkStore store, InMemoryDatabase database) {
                    return new ForwardingWorkStore(store) {
                        @Override
                        public boolean forgetSome() {
                            database.forgetMarks((place, epoch) -> true);
                            return false;
                        }
                    };
                }
            };

    /** Nobody looks at the checkpoint once a message is marked. */
    static final WorkWiring CHECKPOINT_NOT_READ =
            new WorkWiring() {
                @Override
                public Way way(Way way) {
                    return new ForwardingWay(way) {
                        @Override
                        public DoneBefore mark(
                                InMemoryTransaction transaction, List<Message> messages) {
                            DoneBefore known = super.mark(transaction, messages);
                            return new DoneBefore(known.marked(), known.earlier(), Map.of());
                        }
                    };
                }
            };

    /** What the transactions are of a store. */
    private interface Made {
        Transactions of(InMemoryWorkStore store);
    }

    private static WorkWiring transactions(Made made) {
        return new WorkWiring() {
            @Override
            public WorkStore store(InMemoryWorkStore store, InMemoryDatabase database) {
                Transactions mutant = made.of(store);
                return new ForwardingWorkStore(store) {
                    @Override
                    public Transactions transactions() {
                        return mutant;
                    }
                };
            }
        };
    }

    /** Asks another one, but for what a subclass answers itself. */
    private abstract static class ForwardingWorkStore implements WorkStore {

        private final WorkStore store;

        ForwardingWorkStore(WorkStore store) {
            this.store = store;
        }

        @Override
        public Checkpoints checkpoints() {
            return store.checkpoints();
        }

        @Override
        public Transactions transactions() {
            return store.transactions();
        }

        @Override
        public boolean forgetSome() {
            return store.forgetSome();
        }

        @Override
        public List<PoolUse> pools() {
            return store.pools();
        }

        @Override
        public void close() {
            store.close();
        }
    }

    /** Goes another way, but for what a subclass does itself. */
    private abstract static class ForwardingWay implements Way {

        private final Way way;

        ForwardingWay(Way way) {
            this.way = way;
        }

        @Override
        public <T> T ask(Supplier<T> request) {
            return way.ask(request);
        }

        @Override
        public DoneBefore mark(InMemoryTransaction transaction, List<Message> messages) {
            return way.mark(transaction, messages);
        }

        @Override
        public void commit(InMemoryTransaction transaction) {
            way.commit(transaction);
        }

        @Override
        public boolean isAlive() {
            return way.isAlive();
        }
    }
}
