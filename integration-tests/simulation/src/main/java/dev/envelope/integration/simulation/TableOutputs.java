package dev.envelope.integration.simulation;

import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.output.FakeTransactions;
import dev.envelope.idempotency.output.FakeTransactions.Fate;
import dev.envelope.idempotency.store.SavedOutput;
import dev.envelope.idempotency.store.output.OutputStore.Waiting;
import dev.envelope.integration.simulation.EmittingFold.Emission;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of what comes of a table's rows: each output arrives once and unchanged, those of
 * a key in the order in which its rows were applied, and none is deleted before it has arrived.
 * What a row has to emit is known from its id.
 *
 * <p>Threads: one thread.
 */
final class TableOutputs implements OutputWatch {

    private static final String OF_ROW = "row-";

    private final TableWorld world;
    private final Set<Long> everApplied = new HashSet<>(); // before the database went back
    private final List<Integer> eras = new ArrayList<>(); // in which each record was written
    private final List<Integer> undecided = new ArrayList<>(); // indexes of records
    private final Map<String, Deque<Integer>> unread = new HashMap<>(); // by topic
    private final Map<String, Set<Integer>> arrivals = new HashMap<>(); // eras, by id
    private final Set<String> read = new HashSet<>();
    private final Map<String, String> recordIds = new HashMap<>(); // ids of outputs by theirs
    private int era;

    TableOutputs(TableWorld world) {
        this.world = world;
    }

    /** What a row emits. */
    static List<Emission> emissions(long id, byte @Nullable [] key) {
        return EmittingFold.emissions(OF_ROW + id, key);
    }

    private static List<Emission> emissions(long id, String key) {
        return emissions(id, key.getBytes(StandardCharsets.UTF_8));
    }

    private static long rowOf(String id) {
        return Long.parseLong(EmittingFold.place(id).substring(OF_ROW.length()));
    }

    @Override
    public List<SavedOutput> saved() {
        return world.database().outputs();
    }

    @Override
    public void deleted(List<SavedOutput> before) {
        Set<String> left =
                saved().stream()
                        .map(it -> EmittingFold.id(it.output()))
                        .collect(Collectors.toSet());
        for (SavedOutput output : before) {
            String id = EmittingFold.id(output.output());
            if (!left.contains(id) && !arrivals.containsKey(id)) {
                world.fail("output-lost", id + " was deleted and has not arrived");
            }
        }
    }

    @Override
    public void measured(SimProcess process, Waiting waiting) {
        // That is looked at where processes read topics.
    }

    @Override
    public void sentBy(SimProcess process) {
        // Likewise.
    }

    @Override
    public void mayRepeat() {
        era++;
    }

    /** The database is about to go back: what was sent since is sent again. */
    void goesBack() {
        look();
        mayRepeat();
        world.database().rows().values().forEach(it -> everApplied.addAll(TableWorld.applied(it)));
    }

    private FakeTransactions kafka() {
        return world.outputs().kafka();
    }

    @Override
    public void look() {
        for (int i = eras.size(); i < kafka().written(); i++) {
            eras.add(era);
            undecided.add(i);
            unread.computeIfAbsent(kafka().record(i).topic(), it -> new ArrayDeque<>()).add(i);
        }
        if (undecided.removeIf(this::isDecided)) {
            unread.values().forEach(this::read);
        }
    }

    private boolean isDecided(int index) {
        Fate fate = kafka().fate(index);
        if (fate == Fate.COMMITTED) {
            arrived(kafka().record(index), eras.get(index));
        }
        return fate != Fate.UNDECIDED;
    }

    private void arrived(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, int writtenIn) {
        String id = EmittingFold.id(record);
        String key = new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8);
        long row = rowOf(id);
        boolean isAsEmitted =
                emissions(row, key).stream()
                        .filter(it -> it.id().equals(id))
                        .anyMatch(it -> it.is(record.topic(), record.key(), record.value()));
        if (!isAsEmitted) {
            world.fail("output-altered", "of row " + row + " came " + record);
        } else if (!world.applied(key).contains(row) && !everApplied.contains(row)) {
            world.fail("output-invented", id + " is of a row that was not applied");
        }
        if (!arrivals.computeIfAbsent(id, it -> new HashSet<>()).add(writtenIn)) {
            world.fail("output-repeated", id + " has arrived, and arrives again");
        } else if (arrivals.get(id).size() > 1) {
            world.faults().landed(Fault.OUTPUTS_SENT_AGAIN);
        }
        byte[] header = Objects.requireNonNull(record.headers().lastHeader(DeadLetters.ID)).value();
        String its = new String(header, StandardCharsets.UTF_8);
        String other = recordIds.putIfAbsent(its, id);
        if (other != null && !other.equals(id)) {
            world.fail("output-altered", id + " and " + other + " arrive as " + its);
        }
    }

    /** As a read_committed consumer does: not beyond a transaction that is not over. */
    private void read(Deque<Integer> topic) {
        while (!topic.isEmpty() && kafka().fate(topic.getFirst()) != Fate.UNDECIDED) {
            int index = topic.removeFirst();
            if (kafka().fate(index) == Fate.COMMITTED) {
                read(kafka().record(index), eras.get(index) == era);
            }
        }
    }

    private void read(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, boolean isOfThisEra) {
        String id = EmittingFold.id(record);
        if (!read.add(id) || !isOfThisEra) {
            return;
        }
        String key = new String(Objects.requireNonNull(record.key()), StandardCharsets.UTF_8);
        for (long row : world.applied(key)) {
            for (Emission before : emissions(row, key)) {
                if (before.id().equals(id)) {
                    return;
                } else if (before.topic().equals(record.topic()) && !read.contains(before.id())) {
                    world.fail("output-order", id + " overtakes " + before.id());
                }
            }
        }
    }

    /** At the end all that the applied rows have emitted has arrived. */
    void atTheEnd() {
        kafka().timeOut(); // what dead processes have begun
        look();
        world.database()
                .rows()
                .forEach((key, row) -> TableWorld.applied(row).forEach(it -> hasCome(it, key)));
    }

    private void hasCome(long row, String key) {
        for (Emission emission : emissions(row, key)) {
            if (!arrivals.containsKey(emission.id())) {
                world.fail("output-lost", emission.id() + " has not arrived");
            }
        }
    }
}
