package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.wiring;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.fetch.PollLoop;
import dev.envelope.core.offset.Checkpoints;
import dev.envelope.core.offset.Growth;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.offset.TopicAdmin;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.parked.ParkedStore;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.Uuid;

/** Wirings that each break one promise about logs, positions or lives of the database. */
final class LogMutants {

    private static final int MOST_SOURCES = 20;

    private LogMutants() {}

    /** A revoke does not wait for what is under way. */
    static final Wiring DRAIN_OFF =
            new Wiring() {
                @Override
                public ConsumerSettings settings(ConsumerSettings settings) {
                    PollLoop.Limits limits = settings.loop();
                    return settings.withLoop(
                            new PollLoop.Limits(
                                    limits.prefetchBytes(),
                                    limits.aheadMaxRecords(),
                                    limits.commitInterval(),
                                    Duration.ZERO));
                }
            };

    /** A topic is known by its name: the id that it had first is the one that it has. */
    static final Wiring TOPIC_IDS_OFF =
            new Wiring() {
                @Override
                public TopicAdmin admin(TopicAdmin admin) {
                    return proxy(
                            TopicAdmin.class,
                            admin,
                            (method, result) ->
                                    method.equals("describe") ? firstIds(result) : result);
                }
            };

    private static Object firstIds(Object described) {
        Map<String, TopicAdmin.Topic> topics = new HashMap<>();
        ((Map<?, ?>) described)
                .forEach(
                        (name, topic) -> {
                            int partitions = ((TopicAdmin.Topic) topic).partitions();
                            Uuid first = new Uuid(1, name.equals("events") ? 1 : 2);
                            topics.put((String) name, new TopicAdmin.Topic(first, partitions));
                        });
        return topics;
    }

    /** One mark for a key, whatever source its messages come from. */
    static final Wiring ONE_MARK_PER_KEY = wiring(OneMark::new);

    private static final class OneMark extends ForwardingStates {

        OneMark(StateStore states) {
            super(states);
        }

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            Map<String, Snapshot> rows = new HashMap<>();
            states.load(keys, incarnation)
                    .forEach(
                            (key, row) ->
                                    rows.put(
                                            key,
                                            new Snapshot(
                                                    key,
                                                    row.version(),
                                                    row.state(),
                                                    one(row.marks()),
                                                    row.ids(),
                                                    row.parked())));
            return rows;
        }

        private static Marks one(Marks marks) {
            long furthest = 0;
            for (int source = 1; source <= MOST_SOURCES; source++) {
                furthest = Math.max(furthest, marks.nextOffset(source));
            }
            Marks one = marks;
            for (int source = 1; source <= MOST_SOURCES; source++) {
                if (one.nextOffset(source) < furthest) {
                    one = one.advance(source, new NextOffset(furthest, NextOffset.NO_EPOCH));
                }
            }
            return one;
        }
    }

    /** Positions come from the group's commits; what the database says of them is not looked at. */
    static final Wiring CHECKPOINTS_OFF =
            new Wiring() {
                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return proxy(
                            Checkpoints.class,
                            checkpoints,
                            (method, result) ->
                                    method.equals("read")
                                            ? committed((SimStore) checkpoints, result)
                                            : result);
                }
            };

    /** These with other checkpoints. */
    static Checkpoints with(
            Checkpoints checkpoints, Function<Checkpoints.Source, NextOffset> others) {
        return proxy(
                Checkpoints.class,
                checkpoints,
                (method, result) ->
                        method.equals("read")
                                ? mapped(
                                        (Checkpoints.Bearings) result,
                                        it -> source(it, others.apply(it), it.growth()))
                                : result);
    }

    private static Object committed(SimStore store, Object read) {
        return mapped(
                (Checkpoints.Bearings) read,
                it ->
                        source(
                                it,
                                store.log()
                                        .commit(it.partition())
                                        .map(TopicAdmin.Commit::next)
                                        .orElse(it.checkpoint()),
                                it.growth()));
    }

    /** What added partitions bring waits for nothing. */
    static final Wiring GROWTH_BARRIER_OFF =
            new Wiring() {
                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return proxy(
                            Checkpoints.class,
                            checkpoints,
                            (method, result) ->
                                    result instanceof Checkpoints.Bearings read
                                            ? allSettled(read)
                                            : result);
                }
            };

    private static Checkpoints.Bearings allSettled(Checkpoints.Bearings read) {
        return mapped(
                read,
                it ->
                        source(
                                it,
                                it.checkpoint(),
                                new Growth(it.growth().round(), true, it.growth().age())));
    }

    /** Where reading began is not looked at: to the engine it was always the log's beginning. */
    static final Wiring STARTS_OFF =
            new Wiring() {
                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return proxy(
                            Checkpoints.class,
                            checkpoints,
                            (method, result) ->
                                    result instanceof Checkpoints.Bearings read
                                            ? mapped(read, LogMutants::fromTheBeginning)
                                            : result);
                }
            };

    private static Checkpoints.Source fromTheBeginning(Checkpoints.Source as) {
        return new Checkpoints.Source(
                as.number(),
                as.partition(),
                as.topicId(),
                as.generation(),
                new NextOffset(0, NextOffset.NO_EPOCH),
                as.checkpoint(),
                as.growth());
    }

    private static Checkpoints.Source source(
            Checkpoints.Source as, NextOffset checkpoint, Growth growth) {
        return new Checkpoints.Source(
                as.number(),
                as.partition(),
                as.topicId(),
                as.generation(),
                as.start(),
                checkpoint,
                growth);
    }

    private static Checkpoints.Bearings mapped(
            Checkpoints.Bearings read, UnaryOperator<Checkpoints.Source> mutant) {
        return new Checkpoints.Bearings(
                read.incarnation(), read.sources().stream().map(mutant).toList());
    }

    /** Whatever life the database is in, it is taken for the one that was meant. */
    static final Wiring INCARNATIONS_OFF =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new AnyLifeStates((SimStore) states);
                }

                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return new AnyLifeCheckpoints((SimStore) checkpoints);
                }
            };

    private static final Incarnation ANY = new Incarnation("any");

    private record AnyLifeStates(SimStore store) implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return store.loadNow(keys);
        }

        @Override
        public Map<String, Map<String, DueTimer>> dueTimers(
                Collection<TimerId> timers, Incarnation incarnation) {
            return store.readInAnyLife((states, life) -> states.dueTimers(timers, life));
        }

        @Override
        public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
            return store.readInAnyLife((states, life) -> states.waiting(rowIds, life));
        }

        @Override
        public Map<CommandId, Reply.At> appliedCommands(
                Collection<CommandId> commands, Incarnation incarnation) {
            return store.readInAnyLife((states, life) -> states.appliedCommands(commands, life));
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            return store.saveInAnyLife(changes, patience);
        }
    }

    /** What operators hold back is read every second, but not before a partition flows. */
    static final Wiring PAUSES_AT_POSITIONING_OFF =
            new Wiring() {
                @Override
                public Checkpoints checkpoints(Checkpoints checkpoints) {
                    return proxy(Checkpoints.class, checkpoints, new FormerPauses());
                }
            };

    /** After a look for positions it answers what it had answered before that. */
    private static final class FormerPauses implements Hand {

        private Object former = Pauses.NONE;
        private boolean isPositioning;

        @Override
        public Object result(String method, Object result) {
            if (method.equals("read")) {
                isPositioning = true;
            } else if (method.equals("pauses") && isPositioning) {
                isPositioning = false;
                return former;
            } else if (method.equals("pauses")) {
                former = result;
            }
            return result;
        }
    }

    private record AnyLifeCheckpoints(SimStore store) implements Checkpoints {

        @Override
        public Pauses pauses() {
            return store.pauses();
        }

        @Override
        public Bearings read(Set<String> topics) {
            return new Bearings(ANY, store.read(topics).sources());
        }

        @Override
        public Bearings introduce(Collection<NewSource> sources) {
            return new Bearings(ANY, store.introduce(sources).sources());
        }

        @Override
        public Bearings adopt(String topic, Uuid former, Uuid present) {
            return new Bearings(ANY, store.adopt(topic, former, present).sources());
        }

        @Override
        public Set<Integer> save(Map<Integer, NextOffset> nextBySource, Incarnation incarnation) {
            return store.saveInAnyLife(nextBySource);
        }

        @Override
        public void settle(int source) {
            store.settle(source);
        }

        @Override
        public void skip(int source, List<Skip> skips, Incarnation incarnation) {
            store.skip(source, skips, store.incarnation());
        }

        @Override
        public Incarnation incarnation() {
            return ANY;
        }
    }

    /** A redrive saves whatever came in meanwhile. */
    static final Wiring REDRIVE_IGNORES_THE_LIVE_STREAM =
            new Wiring() {
                @Override
                public ParkedStore parked(ParkedStore parked) {
                    return ((SimParkedStore) parked).withoutCompare();
                }
            };

    /** What a call to a part comes to, with the mutant's hand in it. */
    private interface Hand {
        Object result(String method, Object result);
    }

    private static <T> T proxy(Class<T> type, T part, Hand hand) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (self, method, arguments) -> {
                            try {
                                Object result = method.invoke(part, arguments);
                                return result == null
                                        ? null
                                        : hand.result(method.getName(), result);
                            } catch (InvocationTargetException e) {
                                throw e.getCause() == null ? e : e.getCause();
                            }
                        }));
    }
}
