package dev.envelope.integration.simulation;

import static dev.envelope.integration.simulation.ForwardingStates.saving;
import static dev.envelope.integration.simulation.ForwardingStates.wiring;

import dev.envelope.core.api.Incarnation;
import dev.envelope.idempotency.output.OutputSender;
import dev.envelope.idempotency.store.DeletedKeys;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.Purged;
import dev.envelope.idempotency.store.StandingTimer;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.store.timer.TimerStore;
import dev.envelope.idempotency.store.timer.TimerStore.Look;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** Wirings that each break one promise about timers. */
final class TimerMutants {

    private static final String ANY = "any";

    private TimerMutants() {}

    /** A firing counts if the timer of its name has fired, whoever has set it to what. */
    static final Wiring GENERATION_IGNORED =
            new Wiring() {
                @Override
                public StateStore states(StateStore states) {
                    return new AnyGeneration(states);
                }

                @Override
                public OutputSender sender(OutputSender sender) {
                    return new OutputMutants.ChangedSender(sender) {
                        @Override
                        ProducerRecord<byte @Nullable [], byte @Nullable []> changed(
                                ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
                            return withAnyGeneration(record);
                        }
                    };
                }
            };

    private static final class AnyGeneration extends ForwardingStates {

        AnyGeneration(StateStore states) {
            super(states);
        }

        @Override
        public Map<String, Map<String, DueTimer>> dueTimers(
                Collection<TimerId> timers, Incarnation incarnation) {
            Map<String, Map<String, DueTimer>> all = new HashMap<>();
            states.dueTimers(timers, incarnation)
                    .forEach(
                            (key, names) -> {
                                Map<String, DueTimer> any = new HashMap<>();
                                names.keySet()
                                        .forEach(
                                                name -> any.put(name, new DueTimer(ANY, Set.of())));
                                all.put(key, any);
                            });
            return all;
        }
    }

    private static ProducerRecord<byte @Nullable [], byte @Nullable []> withAnyGeneration(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        if (record.headers().lastHeader(Firing.NAME) == null) {
            return record;
        }
        RecordHeaders headers = new RecordHeaders(record.headers().toArray());
        headers.remove(Firing.GENERATION)
                .add(Firing.GENERATION, ANY.getBytes(StandardCharsets.UTF_8));
        return new ProducerRecord<>(
                record.topic(), record.partition(), record.key(), record.value(), headers);
    }

    /** Whoever sends firings puts them out, and the timers look as if they had not fired. */
    static final Wiring FIRED_NOT_MARKED =
            firing(
                    (store, database, owned, most) -> {
                        Look look = store.fire(owned, most);
                        change(database, it -> new StandingTimer(it.to(), false), look);
                        return look;
                    });

    /** A timer is put out twice, marked once. */
    static final Wiring FIRED_TWICE =
            firing(
                    (store, database, owned, most) -> {
                        Look look = store.fire(owned, most);
                        change(database, it -> new StandingTimer(it.to(), false), look);
                        return look.firings().isEmpty() ? look : store.fire(owned, most);
                    });

    /** It fires what is due within half a second. */
    static final Wiring EARLY =
            firing(
                    (store, database, owned, most) -> {
                        changeAll(database, it -> later(it, Duration.ofMillis(-500)));
                        Look look = store.fire(owned, most);
                        changeAll(database, it -> later(it, Duration.ofMillis(500)));
                        return look;
                    });

    private static StandingTimer later(StandingTimer timer, Duration by) {
        Timer.Setting to = timer.to();
        return new StandingTimer(
                new Timer.Setting(to.origin(), to.ordinal(), to.dueAt().plus(by), to.payload()),
                timer.hasFired());
    }

    /** Each partition is looked at by itself. */
    static final Wiring OLDEST_OF_EACH_PARTITION =
            firing(
                    (store, database, owned, most) -> {
                        List<Output> firings = new ArrayList<>();
                        Look last = new Look(List.of(), null);
                        for (TopicPartition each : owned) {
                            int left = most - firings.size();
                            if (left > 0) {
                                last = store.fire(List.of(each), left);
                                firings.addAll(last.firings());
                            }
                        }
                        return new Look(firings, last.next());
                    });

    private interface Fire {
        Look of(
                TimerStore store,
                InMemoryDatabase database,
                Collection<TopicPartition> owned,
                int most);
    }

    private static Wiring firing(Fire fire) {
        return new Wiring() {
            @Override
            public TimerStore timers(TimerStore timers, InMemoryDatabase database) {
                return (owned, most) -> fire.of(timers, database, owned, most);
            }
        };
    }

    private static void change(
            InMemoryDatabase database, UnaryOperator<StandingTimer> change, Look fired) {
        for (Output output : fired.firings()) {
            String key = output.origin().key();
            Map<String, StandingTimer> names = new HashMap<>(database.standingTimers(key));
            names.computeIfPresent(
                    SimTimers.nameOf(output.headers()), (name, timer) -> change.apply(timer));
            database.putTimers(key, names);
        }
    }

    private static void changeAll(InMemoryDatabase database, UnaryOperator<StandingTimer> change) {
        database.standingTimers()
                .forEach(
                        (key, names) -> {
                            names.replaceAll((name, timer) -> change.apply(timer));
                            database.putTimers(key, names);
                        });
    }

    /** The row of a deleted key goes, and its timers stay. */
    static final Wiring PURGE_KEEPS_TIMERS =
            new Wiring() {
                @Override
                public DeletedKeys deletedKeys(DeletedKeys deleted, InMemoryDatabase database) {
                    return () -> {
                        Map<String, Map<String, StandingTimer>> before = database.standingTimers();
                        Purged purged = deleted.purgeSome();
                        before.forEach(database::putTimers);
                        return purged;
                    };
                }
            };

    /** A save loses what it has to do with timers. */
    static final Wiring TIMERS_LOST = saving(it -> with(it, List.of()));

    /** The firing of a timer is applied, and the timer stays as if it were not. */
    static final Wiring APPLIED_NOT_ENDED =
            saving(
                    it ->
                            with(
                                    it,
                                    it.effects().timers().stream()
                                            .filter(timer -> timer.set() != null)
                                            .toList()));

    private static Change.Beside with(Change of, List<Timer> timers) {
        HandlerEffects effects = of.effects();
        return new Change.Beside(
                of.parked(),
                of.deadLetters(),
                new HandlerEffects(effects.outputs(), timers, effects.replies()));
    }

    /** The timers of a save that has lost against another one are set nevertheless. */
    static final Wiring TIMER_WITHOUT_STATE = wiring(Setting::new);

    private static final class Setting extends ForwardingStates {

        Setting(StateStore states) {
            super(states);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            boolean[] saved = states.save(changes, patience, incarnation);
            for (int i = 0; i < saved.length; i++) {
                Change change = changes.get(i);
                if (!saved[i] && !change.effects().timers().isEmpty()) {
                    set(change, patience, incarnation);
                }
            }
            return saved;
        }

        private void set(Change of, Patience patience, Incarnation incarnation) {
            Snapshot row = states.load(List.of(of.key()), incarnation).get(of.key());
            if (row != null && !row.isAbsent()) {
                HandlerEffects timers =
                        new HandlerEffects(List.of(), of.effects().timers(), List.of());
                states.save(
                        List.of(
                                new Change(
                                        of.key(),
                                        row.version(),
                                        row.state(),
                                        row.marks(),
                                        row.ids(),
                                        row.parked(),
                                        new Change.Beside(List.of(), List.of(), timers))),
                        patience,
                        incarnation);
            }
        }
    }
}
