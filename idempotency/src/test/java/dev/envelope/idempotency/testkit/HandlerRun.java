package dev.envelope.idempotency.testkit;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Envelope.GivenUp;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.turn.Outcome;
import dev.envelope.idempotency.HandTurn;
import dev.envelope.idempotency.IdempotentHandler;
import dev.envelope.idempotency.fold.EnvelopeFold;
import dev.envelope.idempotency.store.InMemoryDatabase;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.testkit.HandlerTest.Emitted;
import dev.envelope.idempotency.testkit.HandlerTest.SetTimer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * One run of a log through the real handler, with a store in memory; what disturbs it comes from a
 * seed.
 *
 * <p>Threads: one thread.
 *
 * @param <S> the state of a key
 */
final class HandlerRun<S> {

    private static final TopicPartition PARTITION = new TopicPartition("topic", 0);
    private static final long FIRST_MILLIS = 1_700_000_000_000L;
    private static final long CACHE_BYTES = 1 << 20;
    private static final int SOURCE = 1;
    private static final int ATTEMPTS = 3;
    private static final int MOST_ROUNDS = 1_000;

    /**
     * A message of the log.
     *
     * @param timer whose firing it is; null for what is sent by others
     */
    record Sent(
            String key,
            byte @Nullable [] value,
            Map<String, String> headers,
            @Nullable String timer) {}

    private final EnvelopeFold<S, ?> fold;
    private final List<Sent> log;
    private final SplittableRandom random;
    private final InMemoryDatabase database = new InMemoryDatabase();
    private final StateStore store = new InMemoryStateStore(database);
    private final Map<String, Lane> lanes = new LinkedHashMap<>();
    private final Map<Integer, Output> firings = new HashMap<>(); // by offset, once they fired
    private PartitionEpoch epoch = epoch(1);
    private IdempotentHandler<S> handler;

    private HandlerRun(EnvelopeFold<S, ?> fold, List<Sent> log, SplittableRandom random) {
        this.fold = fold;
        this.log = log;
        this.random = random;
        this.handler = handler(new DisturbedStore());
        for (int offset = 0; offset < log.size(); offset++) {
            lanes.computeIfAbsent(log.get(offset).key(), it -> new Lane()).offsets.add(offset);
        }
    }

    /** Each message alone, in the order of the log, by a handler that remembers nothing. */
    static <S> HandlerRun<S> byTheBook(EnvelopeFold<S, ?> fold, List<Sent> log) {
        HandlerRun<S> run = new HandlerRun<>(fold, log, new SplittableRandom(0));
        log.forEach(sent -> run.alone(sent.key()));
        return run;
    }

    private void alone(String key) {
        Lane lane = Objects.requireNonNull(lanes.get(key));
        int wanted = lane.done + 1;
        for (int round = 0; lane.done < wanted; round++) {
            requireProgress(round);
            handler = handler(store);
            turn(List.of(lane), List.of(Math.min(1, lane.ready())), Integer.MAX_VALUE);
        }
    }

    private static void requireProgress(int rounds) {
        if (rounds > MOST_ROUNDS) {
            throw new AssertionError(
                    "a message does not get done: does the fold say each time that something is"
                            + " unavailable?");
        }
    }

    /** In pieces, orders and with accidents as chance has it. */
    static <S> HandlerRun<S> disturbed(
            EnvelopeFold<S, ?> fold, List<Sent> log, SplittableRandom random) {
        HandlerRun<S> run = new HandlerRun<>(fold, log, random);
        for (int round = 0; run.isOpen(); round++) {
            requireProgress(round / log.size());
            run.round();
        }
        return run;
    }

    HandlerTest.Result result() {
        Map<String, String> states = new HashMap<>();
        for (Snapshot row : database.rows().values()) {
            byte[] state = row.state();
            if (state != null) {
                states.put(row.key(), new String(state, StandardCharsets.UTF_8));
            }
        }
        Map<Long, String> parked = new HashMap<>();
        database.parked()
                .forEach(it -> parked.put(it.message().offset(), it.reason() + ": " + it.error()));
        return new HandlerTest.Result(states, parked, emitted(), timers());
    }

    private Map<String, Map<String, SetTimer>> timers() {
        Map<String, Map<String, SetTimer>> all = new HashMap<>();
        database.timers()
                .forEach(
                        (key, timers) -> {
                            Map<String, SetTimer> byName = new TreeMap<>();
                            timers.forEach(
                                    (name, to) ->
                                            byName.put(
                                                    name,
                                                    new SetTimer(
                                                            to.dueAt(),
                                                            String.valueOf(text(to.payload())))));
                            all.put(key, byName);
                        });
        return all;
    }

    /** Changelogs are left out: they depend on how many messages a save takes together. */
    private Map<String, List<Emitted>> emitted() {
        Map<String, List<Emitted>> emitted = new HashMap<>();
        for (SavedOutput saved : database.outputs()) {
            if (saved.output().ordinal() != Output.CHANGELOG) {
                emitted.computeIfAbsent(saved.rowKey(), it -> new ArrayList<>())
                        .add(emitted(saved.output()));
            }
        }
        return emitted;
    }

    private static Emitted emitted(Output output) {
        Map<String, String> headers = new TreeMap<>();
        for (Header header : output.headers()) {
            headers.put(header.key(), String.valueOf(text(header.value())));
        }
        return new Emitted(
                output.origin().offset(),
                output.topic(),
                text(output.key()),
                text(output.value()),
                headers);
    }

    private static @Nullable String text(byte @Nullable [] bytes) {
        return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    private boolean isOpen() {
        return lanes.values().stream().anyMatch(Lane::isOpen);
    }

    private void round() {
        if (random.nextInt(12) == 0) {
            goBack(); // a rebalance: the same process has read the same messages before
        }
        List<Lane> open = new ArrayList<>(lanes.values().stream().filter(Lane::isOpen).toList());
        Collections.shuffle(open, new Random(random.nextLong()));
        List<Lane> some = open.subList(0, 1 + random.nextInt(open.size()));
        List<Integer> sizes = some.stream().map(it -> 1 + random.nextInt(it.ready())).toList();
        int folds = random.nextInt(5) == 0 ? random.nextInt(3) : Integer.MAX_VALUE;
        try {
            turn(some, sizes, folds);
        } catch (ProcessDied e) {
            handler = handler(new DisturbedStore());
            goBack();
        }
    }

    private void turn(List<Lane> some, List<Integer> sizes, int folds) {
        List<Envelope> envelopes = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
            envelopes.add(some.get(i).envelope(sizes.get(i)));
        }
        HandTurn turn = new HandTurn(envelopes.toArray(new Envelope[0])).withTimeFor(folds);
        handler.handle(turn);
        for (int i = 0; i < some.size(); i++) {
            some.get(i).settled(turn.outcome(i), sizes.get(i));
        }
    }

    /** Some of what was done comes again, in another epoch. */
    private void goBack() {
        epoch = epoch(epoch.number() + 1);
        lanes.values().forEach(it -> it.goBackTo(random.nextInt(it.done + 1)));
    }

    private PartitionEpoch epoch(long number) {
        return new PartitionEpoch(number, PARTITION, SOURCE, database.incarnation());
    }

    private IdempotentHandler<S> handler(StateStore with) {
        return new IdempotentHandler<>(fold, with, CACHE_BYTES, Telemetry.NONE);
    }

    private Message message(int offset) {
        Sent sent = log.get(offset);
        byte[] key = sent.key().getBytes(StandardCharsets.UTF_8);
        Output firing = firings.get(offset);
        byte[] value = firing == null ? sent.value() : firing.value();
        RecordHeaders headers =
                firing == null
                        ? new RecordHeaders()
                        : new RecordHeaders(firing.headers().toArray());
        sent.headers()
                .forEach((name, text) -> headers.add(name, text.getBytes(StandardCharsets.UTF_8)));
        return Message.of(
                epoch,
                offset,
                sent.key(),
                new ConsumerRecord<>(
                        PARTITION.topic(),
                        PARTITION.partition(),
                        offset,
                        FIRST_MILLIS + offset,
                        TimestampType.CREATE_TIME,
                        key.length,
                        value == null ? ConsumerRecord.NULL_SIZE : value.length,
                        key,
                        value == null ? null : value.clone(),
                        headers,
                        Optional.of(0)));
    }

    /** The messages of one key, and how far they are. */
    private final class Lane {

        private final List<Integer> offsets = new ArrayList<>();
        private int done;
        private int attempts;
        private @Nullable GivenUp givenUp;

        boolean isOpen() {
            return left() > 0;
        }

        int left() {
            return offsets.size() - done;
        }

        /** How many messages there are already: a timer fires only once it is saved. */
        int ready() {
            int ready = done;
            while (ready < offsets.size() && isSent(offsets.get(ready), ready == done)) {
                ready++;
            }
            return ready - done;
        }

        private boolean isSent(int offset, boolean isNext) {
            Sent sent = log.get(offset);
            if (sent.timer() == null || firings.containsKey(offset)) {
                return true;
            }
            if (isNext) {
                Output firing = database.fire(sent.key(), sent.timer());
                if (firing == null) {
                    throw new AssertionError(
                            "%s has no timer %s that could fire at offset %d"
                                    .formatted(sent.key(), sent.timer(), offset));
                }
                firings.put(offset, firing);
            }
            return isNext;
        }

        Envelope envelope(int size) {
            List<Message> messages =
                    offsets.subList(done, done + size).stream().map(it -> message(it)).toList();
            return new Envelope(messages.get(0).key(), messages, null, null, givenUp);
        }

        void settled(@Nullable Outcome outcome, int size) {
            if (outcome instanceof Outcome.Saved) {
                goOnTo(done + size);
            } else if (outcome instanceof Outcome.Deferred deferred) {
                goOnTo(done + deferred.done().size());
            } else if (outcome instanceof Outcome.Failed failed) {
                goOnTo(done + failed.done().size());
                attempts++;
                if (!failed.retryable() || attempts >= ATTEMPTS) {
                    givenUp = new GivenUp(attempts, failed.cause());
                }
            } // else nobody knows, and it comes again
        }

        private void goOnTo(int messages) {
            if (messages > done) {
                goBackTo(messages);
            }
        }

        void goBackTo(int messages) {
            done = messages;
            attempts = 0;
            givenUp = null;
        }
    }

    /** Saves that are the last thing that a process does, or that nobody hears of. */
    private final class DisturbedStore implements StateStore {

        @Override
        public Map<String, Snapshot> load(Collection<String> keys, Incarnation incarnation) {
            return store.load(keys, incarnation);
        }

        @Override
        public Map<String, Map<String, DueTimer>> dueTimers(
                Collection<TimerId> timers, Incarnation incarnation) {
            return store.dueTimers(timers, incarnation);
        }

        @Override
        public Set<String> waiting(Collection<String> rowIds, Incarnation incarnation) {
            return store.waiting(rowIds, incarnation);
        }

        @Override
        public Map<CommandId, Reply.At> appliedCommands(
                Collection<CommandId> commands, Incarnation incarnation) {
            return store.appliedCommands(commands, incarnation);
        }

        @Override
        public boolean[] save(List<Change> changes, Patience patience, Incarnation incarnation) {
            switch (random.nextInt(12)) {
                case 0 -> throw new ProcessDied();
                case 1 -> {
                    store.save(changes, patience, incarnation);
                    throw new ProcessDied();
                }
                case 2 -> {
                    store.save(changes, patience, incarnation);
                    throw new UnavailableException("the reply was lost");
                }
                case 3 -> somebodyElseIsFaster();
                default -> {}
            }
            return store.save(changes, patience, incarnation);
        }

        private void somebodyElseIsFaster() {
            for (Lane lane : lanes.values()) {
                if (lane.isOpen() && lane.givenUp == null && random.nextBoolean()) {
                    int size = 1 + random.nextInt(lane.ready());
                    handler(store).handle(new HandTurn(lane.envelope(size)));
                }
            }
        }
    }

    /** The process is gone. */
    private static final class ProcessDied extends Error {

        private static final long serialVersionUID = 1L;

        ProcessDied() {
            super(null, null, false, false);
        }
    }
}
