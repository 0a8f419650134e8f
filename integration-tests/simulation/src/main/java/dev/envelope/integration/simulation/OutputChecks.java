package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.output.FakeTransactions;
import dev.envelope.idempotency.output.FakeTransactions.Fate;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import dev.envelope.integration.simulation.EmittingFold.Emission;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of outputs: a save has those of the messages that it applies and no others, each
 * arrives once and unchanged, those of a lane in the order of its saves, and none is deleted before
 * it has arrived. A process that has seen too many waiting saves no more.
 *
 * <p>Threads: one thread.
 */
final class OutputChecks {

    private record Saved(String id, String lane) {}

    private record Of(String process, String place) {}

    /** The outputs of a lane, in the order of their saves. */
    private static final class Lane {
        private final List<String> ids = new ArrayList<>();
        private final Map<String, Integer> places = new HashMap<>();
        private int first; // that has not been read

        void add(String id) {
            places.put(id, ids.size());
            ids.add(id);
        }
    }

    private final World world;
    private final Map<String, Output> written = new HashMap<>(); // by id, in any life
    private final Set<String> inDoubt = new HashSet<>();
    private final List<Saved> saved = new ArrayList<>(); // and not undone by a failover
    private final Map<String, String> present = new HashMap<>(); // their lanes, by id
    private final Map<String, Lane> lanes = new HashMap<>();

    private final List<Integer> eras = new ArrayList<>(); // in which each record was written
    private final List<Integer> undecided = new ArrayList<>(); // indexes of records
    private final Map<String, Deque<Integer>> unread = new HashMap<>(); // by topic
    private final Map<String, List<Integer>> arrivals = new HashMap<>(); // eras, by id
    private final Set<String> read = new HashSet<>();
    private final Map<String, String> recordIds = new HashMap<>(); // by id and source
    private final Set<String> usedRecordIds = new HashSet<>();
    private int era;

    private final Map<String, Boolean> isFull = new HashMap<>(); // by process
    private final Set<Of> begunWhenFull = new HashSet<>();

    OutputChecks(World world) {
        this.world = world;
    }

    // --- how many wait

    /** A process has looked how many wait. */
    void measured(SimProcess process, Waiting waiting) {
        long most = world.outputs().limits().maxOutputs();
        isFull.put(process.name(), waiting.outputs() >= most);
    }

    /** It knows that some have gone. */
    void sentBy(SimProcess process) {
        isFull.put(process.name(), false);
    }

    void turnBegins(SimInstance process, Turn turn) {
        if (!world.outputs().isOn()) {
            return;
        }
        boolean full = isFull.getOrDefault(process.name(), false);
        for (Envelope envelope : turn.envelopes()) {
            for (Message message : envelope.messages()) {
                Of of = new Of(process.name(), Trace.place(message));
                if (full && begunWhenFull.add(of)) {
                    world.faults().landed(Fault.OUTPUTS_FULL);
                } else if (!full) {
                    begunWhenFull.remove(of);
                }
            }
        }
    }

    /** A process has saved these in a turn. */
    void savedInTurn(SimInstance by, List<Output> outputs) {
        for (Output output : outputs) {
            String place = Trace.place(output.origin());
            if (begunWhenFull.contains(new Of(by.name(), place))) {
                fail("output-bound", by.name() + " has seen too many, and adds some of " + place);
            }
        }
    }

    // --- what is saved

    /** These were saved with a row. */
    void saved(String rowKey, List<Output> outputs) {
        for (Output output : outputs) {
            String id = EmittingFold.id(output);
            String lane = rowKey + ' ' + output.topic();
            written.put(id, output);
            if (isInDoubt(rowKey, output)) {
                inDoubt.add(id);
            }
            if (present.put(id, lane) != null && !inDoubt.contains(id)) {
                fail("output-repeated", id + " was saved before, and is saved again");
            }
            saved.add(new Saved(id, lane));
            lanes.computeIfAbsent(lane, it -> new Lane()).add(id);
        }
    }

    private boolean isInDoubt(String rowKey, Output output) {
        return world.doubts().isOfRow(rowKey)
                || world.doubts().isOfSource(output.origin().epoch().source());
    }

    /**
     * A row was saved with these outputs.
     *
     * @param due the records that the save may have applied
     * @param mayMiss which of them it need not have applied
     * @param has what the row has applied now
     */
    void applied(
            String rowKey,
            Collection<SimRecord> due,
            Predicate<String> mayMiss,
            Collection<String> has,
            List<Output> outputs) {
        if (!world.outputs().isOn()) {
            return;
        }
        Map<String, Output> made = new HashMap<>();
        outputs.forEach(it -> made.put(EmittingFold.id(it), it));
        for (SimRecord record : due) {
            boolean isApplied = has.contains(record.place()) || isNew(record, mayMiss);
            for (Emission emission :
                    EmittingFold.emissions(record.place(), record.record().key())) {
                Output output = made.remove(emission.id());
                if (output == null && isApplied) {
                    fail("output-missing", rowKey + " was saved without " + emission.id());
                } else if (output != null
                        && !emission.is(output.topic(), output.key(), output.value())) {
                    fail("output-altered", emission.id() + " is saved as " + output);
                }
            }
        }
        if (!made.isEmpty()) {
            fail("output-invented", rowKey + " was saved with " + made.keySet());
        }
    }

    /** Whether it was applied for sure, also where the row does not say so since it was deleted. */
    private static boolean isNew(SimRecord record, Predicate<String> mayMiss) {
        String repeats = record.repeats();
        return !mayMiss.test(record.place()) && (repeats == null || !mayMiss.test(repeats));
    }

    /** How many are saved, to go back to with the database. */
    int known() {
        return saved.size();
    }

    /** The database has gone back: what was saved since is gone, what was sent since is not. */
    void goBack(int known) {
        look();
        mayRepeat();
        saved.subList(known, saved.size()).clear();
        present.clear();
        lanes.clear();
        for (Saved it : saved) {
            present.put(it.id(), it.lane());
            lanes.computeIfAbsent(it.lane(), lane -> new Lane()).add(it.id());
        }
    }

    /** What was sent before this may be sent again after it. */
    void mayRepeat() {
        era++;
    }

    // --- what leaves the database, and what arrives

    /** Some of what there was before may have been deleted. */
    void deleted(List<SavedOutput> before) {
        List<SavedOutput> now = world.database().outputs();
        if (now.size() == before.size()) {
            return;
        }
        Set<String> left =
                now.stream().map(it -> EmittingFold.id(it.output())).collect(Collectors.toSet());
        for (SavedOutput output : before) {
            String id = EmittingFold.id(output.output());
            if (!left.contains(id) && !arrivals.containsKey(id)) {
                fail("output-lost", id + " was deleted and has not arrived");
            }
        }
    }

    /** Looks at what was written and what was decided since. Call it after each write. */
    void look() {
        FakeTransactions kafka = world.outputs().kafka();
        for (int i = eras.size(); i < kafka.written(); i++) {
            eras.add(era);
            undecided.add(i);
            unread.computeIfAbsent(kafka.record(i).topic(), it -> new ArrayDeque<>()).add(i);
        }
        if (undecided.removeIf(index -> isDecided(kafka, index))) {
            unread.values().forEach(topic -> read(kafka, topic));
        }
    }

    private boolean isDecided(FakeTransactions kafka, int index) {
        Fate fate = kafka.fate(index);
        if (fate == Fate.COMMITTED) {
            arrived(kafka.record(index), eras.get(index));
        }
        return fate != Fate.UNDECIDED;
    }

    private void arrived(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, int writtenIn) {
        String id = EmittingFold.id(record);
        Output output = written.get(id);
        if (output == null) {
            fail("output-invented", record + " was never saved");
            return;
        }
        boolean isAsEmitted =
                SimTimers.isFiring(record)
                        ? isAsFired(record, output)
                        : isAsEmitted(record, output);
        if (!isAsEmitted) {
            fail("output-altered", record + " was " + output);
        }
        if (!inDoubt.contains(id)) {
            checkId(id + " of source " + output.origin().epoch().source(), record);
        }
        List<Integer> before = arrivals.computeIfAbsent(id, it -> new ArrayList<>());
        if (before.contains(writtenIn) && !inDoubt.contains(id)) {
            fail("output-repeated", id + " has arrived, and arrives again");
        } else if (!before.isEmpty()) {
            world.faults().landed(Fault.OUTPUTS_SENT_AGAIN);
        }
        before.add(writtenIn);
    }

    private static boolean isAsEmitted(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, Output output) {
        String id = EmittingFold.id(record);
        return EmittingFold.emissions(EmittingFold.place(id), output.origin().keyBytes()).stream()
                .filter(it -> it.id().equals(id))
                .anyMatch(it -> it.is(record.topic(), record.key(), record.value()));
    }

    /** To the partition of the message that has set the timer, wherever its key may go now. */
    private static boolean isAsFired(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, Output output) {
        return output.origin().topic().equals(record.topic())
                && Objects.equals(output.origin().partition(), record.partition())
                && Arrays.equals(output.origin().keyBytes(), record.key())
                && Arrays.equals(output.value(), record.value());
    }

    private void checkId(String output, ProducerRecord<?, ?> record) {
        byte[] header = Objects.requireNonNull(record.headers().lastHeader(DeadLetters.ID)).value();
        String id = new String(header, StandardCharsets.UTF_8);
        String former = recordIds.putIfAbsent(output, id);
        if (former == null ? !usedRecordIds.add(id) : !former.equals(id)) {
            fail("output-altered", output + " arrives as " + id + ", before that as " + former);
        }
    }

    /** As a read_committed consumer does: not beyond a transaction that is not over. */
    private void read(FakeTransactions kafka, Deque<Integer> topic) {
        while (!topic.isEmpty() && kafka.fate(topic.getFirst()) != Fate.UNDECIDED) {
            int index = topic.removeFirst();
            if (kafka.fate(index) == Fate.COMMITTED) {
                read(EmittingFold.id(kafka.record(index)), eras.get(index) == era);
            }
        }
    }

    private void read(String id, boolean isOfThisEra) {
        String its = present.get(id);
        if (read.add(id) && isOfThisEra && its != null && !inDoubt.contains(id)) {
            Lane lane = Objects.requireNonNull(lanes.get(its));
            while (lane.first < lane.ids.size() && read.contains(lane.ids.get(lane.first))) {
                lane.first++;
            }
            if (lane.first < Objects.requireNonNull(lane.places.get(id))) {
                fail("output-order", id + " overtakes " + lane.ids.get(lane.first));
            }
        }
    }

    /** At the end of a seed that heals: all that is saved has arrived. */
    void atTheEnd() {
        world.outputs().kafka().timeOut(); // what dead processes have begun
        look();
        for (Saved it : saved) {
            if (!arrivals.containsKey(it.id())) {
                fail("output-lost", it.id() + " has not arrived");
            }
        }
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
