package dev.envelope.integration.simulation;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.Turn;
import dev.envelope.idempotency.outbox.DeadLetters;
import dev.envelope.idempotency.store.OutboxStore.Depth;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.OutboxRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of dead letters: nothing leaves the outbox before it has arrived, nothing arrives
 * that was not put there, the first arrivals of a key's are in their order, and what arrives twice
 * does so under one id and for a reason. And who has seen the outbox full puts nothing into it.
 *
 * <p>Threads: one thread.
 */
final class OutboxChecks {

    /** One delivery of a letter; it is acknowledged when the process has got to know. */
    static final class Arrival {
        private final String id;
        private final Incarnation readIn;
        private final long term;
        private boolean isAcknowledged;

        Arrival(String id, Incarnation readIn, long term) {
            this.id = id;
            this.readIn = readIn;
            this.term = term;
        }

        void acknowledge() {
            isAcknowledged = true;
        }

        /**
         * Whether that one explains this one: it is another letter, or nobody knew, in another
         * life, or another led.
         */
        boolean isRepeatedFor(Arrival later) {
            boolean isOfOther = term != later.term && term > 0 && later.term > 0;
            return !id.equals(later.id)
                    || !isAcknowledged
                    || !readIn.equals(later.readIn)
                    || isOfOther;
        }
    }

    /** What a process can know of how many wait. */
    private static final class Count {
        private long rows;
        private boolean isFull;
    }

    private record Of(String process, String place) {}

    private final World world;
    private final Map<String, OutboxRecord> written = new HashMap<>(); // by place, in any life
    private final Set<String> inDoubt = new HashSet<>(); // places also written as a former topic's
    private final Map<String, List<Arrival>> arrivals = new HashMap<>(); // by place
    private final Map<String, Set<Integer>> sources = new HashMap<>(); // of what is written
    private final Map<String, Set<String>> ids = new HashMap<>(); // by place
    private final Set<String> usedIds = new HashSet<>();
    private final Map<String, Count> counts = new HashMap<>(); // by process
    private final Set<Of> begunWhenFull = new HashSet<>();
    private @Nullable SimInstance leader;
    private long terms;

    OutboxChecks(World world) {
        this.world = world;
    }

    // --- how many wait

    /** A process has looked how many wait. */
    void measured(SimInstance process, Depth depth) {
        Count count = new Count();
        count.rows = depth.rows();
        count.isFull =
                depth.rows() >= world.letters().limits().maxRows()
                        || depth.oldest().compareTo(world.letters().limits().maxAge()) > 0;
        counts.put(process.name(), count);
    }

    /** It knows of one more that it has put there. */
    void hasMore(SimInstance process) {
        Count count = counts.computeIfAbsent(process.name(), it -> new Count());
        count.rows++;
        count.isFull |= count.rows >= world.letters().limits().maxRows();
    }

    /** It knows that it has deleted so many. */
    void hasLess(SimInstance process, int records) {
        counts.computeIfAbsent(process.name(), it -> new Count()).rows -= records;
    }

    void turnBegins(SimInstance process, Turn turn) {
        Count count = counts.get(process.name());
        boolean isFull = count != null && count.isFull;
        for (Envelope envelope : turn.envelopes()) {
            if (envelope.givenUp() != null || envelope.isWithoutRow()) {
                for (Message message : envelope.messages()) {
                    Of of = new Of(process.name(), Trace.place(message));
                    if (isFull && begunWhenFull.add(of)) {
                        world.faults().landed(Fault.OUTBOX_FULL);
                    } else if (!isFull) {
                        begunWhenFull.remove(of);
                    }
                }
            }
        }
    }

    // --- what is put there, and leaves

    /** A process has saved a row, with what it puts out. */
    void saved(SimInstance by, Change change, boolean isLate) {
        for (OutboxRecord record : change.deadLetters()) {
            String place = Trace.place(record.origin());
            int source = record.origin().epoch().source();
            written.put(place, record);
            sources.computeIfAbsent(place, it -> new HashSet<>()).add(source);
            if (world.doubts().isOfSource(source)) {
                inDoubt.add(place);
            }
            if (change.isWithoutRow()) {
                // It has no mark: read again above the checkpoint, it is put out anew.
                arrivals.getOrDefault(place, List.of()).forEach(it -> it.isAcknowledged = false);
            }
            if (!isLate && begunWhenFull.contains(new Of(by.name(), place))) {
                fail("outbox-bound", by.name() + " has seen it full and adds " + record);
            }
        }
    }

    /** Some of what there was before has been deleted. */
    void deleted(Collection<OutboxRecord> before) {
        Set<String> left = RowChecks.placesOfDeadLetters(world.database().outbox());
        for (OutboxRecord record : before) {
            String place = Trace.place(record.origin());
            if (!left.contains(place) && !arrivals.containsKey(place)) {
                fail("letter-lost", record + " was deleted and has not arrived");
            }
        }
    }

    /** Whether it is out of anybody's hands. */
    boolean hasArrived(String place) {
        return arrivals.containsKey(place);
    }

    // --- who delivers, and what arrives

    /** A process has the lease; returns which term of office that is. */
    long leads(SimInstance process) {
        if (leader != process) {
            if (leader != null) {
                world.faults().landed(Fault.RELAY_TAKEN_OVER);
            }
            leader = process;
            terms++;
        }
        return terms;
    }

    /** Whoever leads next does so in good order. */
    void left(SimInstance process) {
        if (leader == process) {
            leader = null;
        }
    }

    Arrival arrived(
            SimOutboxStore from, ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        String place = place(record);
        OutboxRecord row = written.get(place);
        if (row == null) {
            fail("letter-invented", record + " was never put out");
        } else if (!Arrays.equals(row.key(), record.key())
                || !Arrays.equals(row.value(), record.value())
                || !row.topic().equals(record.topic())) {
            fail("letter-altered", record + " was " + row);
        } else if (!inDoubt.contains(place)) {
            checkId(place, header(record, DeadLetters.ID));
        }
        Arrival arrival = new Arrival(header(record, DeadLetters.ID), from.readIn(), from.term());
        List<Arrival> known = arrivals.computeIfAbsent(place, it -> new ArrayList<>());
        for (Arrival former : known) {
            if (!former.isRepeatedFor(arrival) && !inDoubt.contains(place)) {
                fail("letter-repeated", record + " was acknowledged, and is sent again");
            }
        }
        if (known.isEmpty() && from.readIn().equals(world.database().incarnation())) {
            checkOrder(place);
        }
        known.add(arrival);
        return arrival;
    }

    /**
     * One for each source that it was put out under: behind an accepted cut it may be read again,
     * and put out under the next one, before it has arrived as that of the former.
     */
    private void checkId(String place, String id) {
        Set<String> known = ids.computeIfAbsent(place, it -> new HashSet<>());
        boolean isNew = !known.contains(id);
        if (isNew
                && (known.size() == sources.getOrDefault(place, Set.of()).size()
                        || !usedIds.add(id))) {
            fail("letter-id", place + " arrives as " + id + ", before that as " + known);
        }
        known.add(id);
    }

    /** Nothing of its key that stands before it in the outbox is still to come. */
    private void checkOrder(String place) {
        List<OutboxRecord> before = new ArrayList<>();
        for (OutboxRecord record : world.database().outbox()) {
            if (!place.equals(Trace.place(record.origin()))) {
                before.add(record);
                continue;
            }
            for (OutboxRecord earlier : before) {
                boolean isOfTheKey =
                        earlier.key() != null
                                && earlier.topic().equals(record.topic())
                                && Arrays.equals(earlier.key(), record.key());
                if (isOfTheKey && !hasArrived(Trace.place(earlier.origin()))) {
                    fail("letter-order", record + " overtakes " + earlier);
                }
            }
            return;
        }
    }

    static String place(ProducerRecord<?, ?> record) {
        return header(record, SimRecord.PLACE_HEADER);
    }

    private static String header(ProducerRecord<?, ?> record, String name) {
        byte[] value = Objects.requireNonNull(record.headers().lastHeader(name)).value();
        return new String(value, StandardCharsets.UTF_8);
    }

    private void fail(String anomaly, String seen) {
        world.checks().fail(anomaly, seen);
    }
}
