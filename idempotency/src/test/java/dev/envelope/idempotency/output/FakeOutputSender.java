package dev.envelope.idempotency.output;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.output.FakeTransactions.Reading;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * Sends to {@link FakeTransactions} as the exactly-once sender does to brokers: two producers in
 * turn, an id for each that was never used before.
 *
 * <p>Threads: one thread.
 */
public final class FakeOutputSender implements OutputSender {

    /** When something can happen to it. */
    public enum Moment {
        /** The ids are initialised. */
        OPENED,
        /** The records of a batch are sent. */
        SENT,
        /** A batch is about to be committed. */
        COMMITTING,
        /** The coordinator has taken the commit, and the reply is on its way. */
        COMMITTED,
        /** The ids of a relay are fenced and their numbers are about to be read. */
        FENCED
    }

    private record Producer(String id, int epoch) {}

    private final FakeTransactions kafka;
    private final String name;
    private final List<Producer> producers = new ArrayList<>();
    private final Map<Moment, Runnable> once = new EnumMap<>(Moment.class);
    private int made;
    private int turn;
    private boolean isPlain;
    private boolean isMuted;
    private boolean isAway;
    private boolean isDead;

    /**
     * @param name of this start of a process, which its ids begin with
     */
    public FakeOutputSender(FakeTransactions kafka, String name) {
        this.kafka = kafka;
        this.name = name;
    }

    /** Happens once at the next such moment. */
    public void at(Moment moment, Runnable what) {
        once.put(moment, what);
    }

    /** Delivers at least once from now on: without transactions and ids. */
    public void isPlain(boolean plain) {
        isPlain = plain;
    }

    /** It drops what it sends. */
    public void isMuted(boolean muted) {
        isMuted = muted;
    }

    @Override
    public boolean maySendForOthers() {
        return !isMuted;
    }

    /** The brokers can't be reached by this process from now on, or can again. */
    public void isAway(boolean away) {
        isAway = away;
    }

    /** The process dies: from now on it does nothing, and whatever it is asked fails. */
    public void dies() {
        isDead = true;
        throw new ProcessDied();
    }

    /** What ends the pass of a process that has died. */
    static final class ProcessDied extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private void happens(Moment moment) {
        Runnable what = once.remove(moment);
        if (what != null) {
            what.run();
        }
    }

    private void answers() {
        if (isDead) {
            throw new ProcessDied();
        }
        if (isAway) {
            throw new UnavailableException("no broker answers");
        }
    }

    @Override
    public List<String> ids() {
        return producers.stream().map(Producer::id).toList();
    }

    @Override
    public void open(long number) {
        answers();
        producers.clear();
        if (isPlain) {
            return;
        }
        List<Producer> opened = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String id = name + "-" + ++made;
            Producer producer = new Producer(id, kafka.init(id));
            kafka.number(id, producer.epoch(), number);
            kafka.commit(id, producer.epoch());
            opened.add(producer);
        }
        producers.addAll(opened);
        happens(Moment.OPENED);
    }

    @Override
    public Batch begin() {
        if (isDead) {
            throw new ProcessDied();
        }
        if (isPlain) {
            return new Plain();
        }
        if (producers.isEmpty()) {
            throw new Unknown("no id is open", null);
        }
        turn = (turn + 1) % producers.size();
        return new Sending(producers.get(turn));
    }

    @Override
    public OptionalLong committed(List<String> ids) {
        answers();
        kafka.fence(ids);
        happens(Moment.FENCED);
        OptionalLong highest = OptionalLong.empty();
        for (String id : ids) {
            if (!(kafka.read(id) instanceof Reading.Stable stable)) {
                throw new UnavailableException("the number of " + id + " is not stable yet");
            }
            if (stable.number().isPresent()) {
                long number = stable.number().getAsLong();
                highest = OptionalLong.of(Math.max(highest.orElse(number), number));
            }
        }
        return highest;
    }

    @Override
    public void close() {
        producers.clear();
    }

    /** Without a transaction: what was written before a fault has arrived. */
    private final class Plain implements Batch {

        private final Map<Integer, String> refusals = new HashMap<>();

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            answers();
            for (int i = 0; i < records.size(); i++) {
                String why = kafka.writePlain(records.get(i));
                if (why != null) {
                    refusals.put(i, why);
                }
            }
            happens(Moment.SENT);
        }

        @Override
        public Map<Integer, String> commit(long number) {
            return refusals;
        }

        @Override
        public void abort() {
            // What was written stays.
        }
    }

    private final class Sending implements Batch {

        private final Producer producer;
        private final Map<Integer, String> refusals = new HashMap<>();
        private @Nullable RuntimeException broken;

        Sending(Producer producer) {
            this.producer = producer;
        }

        @Override
        public void send(List<ProducerRecord<byte @Nullable [], byte @Nullable []>> records) {
            try {
                answers();
                for (int i = 0; i < records.size(); i++) {
                    String why = kafka.write(producer.id(), producer.epoch(), records.get(i));
                    if (why != null) {
                        refusals.put(i, why);
                    }
                }
            } catch (UnavailableException | ProducerFencedException e) {
                broken = e;
            }
            happens(Moment.SENT);
        }

        @Override
        public Map<Integer, String> commit(long number) {
            happens(Moment.COMMITTING);
            if (!refusals.isEmpty()) {
                abort();
                return refusals;
            }
            if (broken instanceof UnavailableException) {
                abort();
                throw broken;
            }
            try {
                if (isAway) {
                    throw new Unknown("no broker answers", null);
                }
                kafka.number(producer.id(), producer.epoch(), number);
                kafka.commit(producer.id(), producer.epoch());
            } catch (ProducerFencedException e) {
                throw new Unknown(String.valueOf(e.getMessage()), e);
            }
            happens(Moment.COMMITTED);
            return Map.of();
        }

        @Override
        public void abort() {
            if (isDead) {
                return; // nobody is there to abort it
            }
            try {
                answers();
                kafka.abort(producer.id(), producer.epoch());
            } catch (UnavailableException | ProducerFencedException e) {
                throw new Unknown(String.valueOf(e.getMessage()), e);
            }
        }
    }
}
