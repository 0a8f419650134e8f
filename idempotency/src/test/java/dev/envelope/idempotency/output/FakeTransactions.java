package dev.envelope.idempotency.output;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.jspecify.annotations.Nullable;

/**
 * Brokers in memory, as far as transactions go: transactional ids with their epochs, one
 * transaction of each at a time, the number that it commits beside its records, and the topics as a
 * read_committed consumer sees them. Nothing happens by itself, so what is between two steps can be
 * looked at.
 *
 * <p>Threads: one thread.
 */
public final class FakeTransactions {

    /** What a reader of an id's number is told. */
    public sealed interface Reading {

        /** A transaction that is not over may change the number: ask again. */
        record Unstable() implements Reading {}

        /** The number; empty if there is none. */
        record Stable(OptionalLong number) implements Reading {}
    }

    /** What has become of a record that was written. */
    public enum Fate {
        /** Its transaction is not over. */
        UNDECIDED,
        COMMITTED,
        ABORTED
    }

    private enum State {
        OPEN,
        /** The coordinator has taken the commit, and has still to write the markers. */
        PREPARED,
        COMMITTED,
        ABORTED
    }

    /** One transaction. */
    private static final class Transaction {
        private State state = State.OPEN;
        private @Nullable Long number;

        boolean isOver() {
            return state == State.COMMITTED || state == State.ABORTED;
        }
    }

    /** What the coordinator knows of an id. */
    private static final class Id {
        private int epoch;
        private @Nullable Transaction current;
        private @Nullable Long number;
    }

    private record Written(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record, Transaction in) {}

    private final List<Written> log = new ArrayList<>();
    private final Map<String, Id> ids = new LinkedHashMap<>();
    private final Set<String> missingTopics = new HashSet<>();
    private Predicate<ProducerRecord<byte @Nullable [], byte @Nullable []>> tooLarge = it -> false;
    private boolean keepsPrepared;

    // What producers do.

    /**
     * A producer begins to use an id; whoever used it before is fenced. Its transaction is aborted,
     * or completed if the coordinator has taken its commit.
     *
     * @return the epoch, which the producer shows at each call
     */
    public int init(String id) {
        Id its = ids.computeIfAbsent(id, it -> new Id());
        end(its);
        return ++its.epoch;
    }

    private void end(Id its) {
        Transaction current = its.current;
        if (current != null && current.state == State.PREPARED) {
            complete(its, current);
        } else if (current != null) {
            current.state = State.ABORTED;
        }
        its.current = null;
    }

    private static void complete(Id its, Transaction transaction) {
        transaction.state = State.COMMITTED;
        if (transaction.number != null) {
            its.number = transaction.number;
        }
        its.current = null;
    }

    /**
     * Writes a record in the id's transaction, which begins with the first.
     *
     * @return why it is refused; null if it is written
     */
    public @Nullable String write(
            String id, int epoch, ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        Transaction transaction = current(id, epoch);
        String why = refusal(record);
        if (why == null) {
            log.add(new Written(record, transaction));
        }
        return why;
    }

    private @Nullable String refusal(ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        if (missingTopics.contains(record.topic())) {
            return "the topic " + record.topic() + " does not exist";
        }
        return tooLarge.test(record) ? "too large" : null;
    }

    /** Adds a number to the id's transaction. */
    public void number(String id, int epoch, long number) {
        current(id, epoch).number = number;
    }

    /** Commits the id's transaction. */
    public void commit(String id, int epoch) {
        Transaction transaction = current(id, epoch);
        transaction.state = State.PREPARED;
        if (!keepsPrepared) {
            complete(used(id, epoch), transaction);
        }
    }

    /** Aborts the id's transaction. */
    public void abort(String id, int epoch) {
        end(used(id, epoch));
    }

    private Id used(String id, int epoch) {
        Id its = ids.get(id);
        if (its == null || its.epoch != epoch) {
            throw new ProducerFencedException(id + " is used by another producer");
        }
        return its;
    }

    private Transaction current(String id, int epoch) {
        Id its = used(id, epoch);
        Transaction current = its.current;
        if (current != null && current.state == State.PREPARED) {
            complete(its, current); // a producer's next transaction waits for these markers
            current = null;
        }
        if (current == null) {
            current = new Transaction();
            its.current = current;
        }
        return current;
    }

    /** Writes a record without a transaction. */
    public @Nullable String writePlain(
            ProducerRecord<byte @Nullable [], byte @Nullable []> record) {
        String why = refusal(record);
        if (why == null) {
            Transaction none = new Transaction();
            none.state = State.COMMITTED;
            log.add(new Written(record, none));
        }
        return why;
    }

    // What administrators do.

    /** Fences these ids, also those that nobody has used. */
    public void fence(Collection<String> fenced) {
        fenced.forEach(this::init);
    }

    /** The last number that was committed under an id. */
    public Reading read(String id) {
        Id its = ids.get(id);
        if (its == null) {
            return new Reading.Stable(OptionalLong.empty());
        }
        Transaction current = its.current;
        return current != null && current.number != null
                ? new Reading.Unstable()
                : new Reading.Stable(
                        its.number == null ? OptionalLong.empty() : OptionalLong.of(its.number));
    }

    // What happens to brokers.

    /** From now on the markers of a commit are written only when its id is used again. */
    public void keepPrepared(boolean keeps) {
        keepsPrepared = keeps;
    }

    /**
     * Aborts all transactions that took too long, as the coordinator does, and fences their ids.
     */
    public void timeOut() {
        timeOut(written());
    }

    /** The same for those that have begun when so many records had been written. */
    public void timeOut(int written) {
        Set<Transaction> old = new HashSet<>();
        log.subList(0, written).forEach(it -> old.add(it.in()));
        ids.values().stream()
                .filter(it -> it.current != null && it.current.state == State.OPEN)
                .filter(it -> old.contains(it.current))
                .forEach(
                        it -> {
                            end(it);
                            it.epoch++;
                        });
    }

    /** All numbers have expired, or were deleted with their topic. */
    public void loseNumbers() {
        ids.values().forEach(it -> it.number = null);
    }

    /** A topic is deleted. */
    public void delete(String topic) {
        missingTopics.add(topic);
    }

    /** A topic is created. */
    public void create(String topic) {
        missingTopics.remove(topic);
    }

    /** Which records are too large from now on. */
    public void refuse(Predicate<ProducerRecord<byte @Nullable [], byte @Nullable []>> which) {
        tooLarge = which;
    }

    // What consumers see.

    /** How many records were written, whatever became of them. */
    public int written() {
        return log.size();
    }

    /** A record, by its place among all that were written. */
    public ProducerRecord<byte @Nullable [], byte @Nullable []> record(int index) {
        return log.get(index).record();
    }

    /** What has become of it. */
    public Fate fate(int index) {
        return switch (log.get(index).in().state) {
            case OPEN, PREPARED -> Fate.UNDECIDED;
            case COMMITTED -> Fate.COMMITTED;
            case ABORTED -> Fate.ABORTED;
        };
    }

    /** What a read_committed consumer of a topic can read now. */
    public List<ProducerRecord<byte @Nullable [], byte @Nullable []>> readable(String topic) {
        List<ProducerRecord<byte @Nullable [], byte @Nullable []>> readable = new ArrayList<>();
        for (Written written : log) {
            if (written.record().topic().equals(topic)) {
                if (!written.in().isOver()) {
                    break; // nobody reads beyond a transaction that is not over
                }
                if (written.in().state == State.COMMITTED) {
                    readable.add(written.record());
                }
            }
        }
        return readable;
    }

    /** The values that can be read, as text. */
    public List<String> values(String topic) {
        return readable(topic).stream().map(FakeTransactions::value).toList();
    }

    /** The text of a record's value. */
    public static String value(ProducerRecord<?, byte @Nullable []> record) {
        byte[] value = record.value();
        return value == null ? "null" : new String(value, StandardCharsets.UTF_8);
    }

    /** How many transactions had records and were aborted. */
    public int aborted() {
        Set<Transaction> aborted = new HashSet<>();
        log.stream().map(Written::in).filter(it -> it.state == State.ABORTED).forEach(aborted::add);
        return aborted.size();
    }

    /** How many transactions with records are not over. */
    public int undecided() {
        Set<Transaction> open = new HashSet<>();
        log.stream().map(Written::in).filter(it -> !it.isOver()).forEach(open::add);
        return open.size();
    }

    /** How many epochs an id has had; 0 if nobody has used it. */
    public int epochs(String id) {
        Id its = ids.get(id);
        return its == null ? 0 : its.epoch;
    }
}
