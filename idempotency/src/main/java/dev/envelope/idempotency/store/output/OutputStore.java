package dev.envelope.idempotency.store.output;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The outputs that wait for Kafka, and who sends them. Each start of a process registers as a
 * relay; a save writes the relay's number on what it puts out, so nobody else may send it until the
 * whole relay is taken over.
 *
 * <p>A relay has at most one open batch: a number and the rows in it. The batch is opened here
 * before its Kafka transaction commits that number, and its rows are deleted after the number is
 * known to be committed. So whoever takes a relay over compares the two numbers and knows whether
 * the rows of its last batch went out.
 *
 * <p>Threads: may block, within its own timeouts. Every method throws {@link UnavailableException}
 * when the outcome is unknown, and {@link OtherIncarnationException} when the database is in
 * another incarnation than that of the given relay; then nothing was read or written.
 */
public interface OutputStore {

    /**
     * The place of a row among all rows. Places of one lane are in the order of its saves.
     *
     * @param part 0, or the number of a part that was taken out of the row because it has to wait
     */
    record Place(long position, int part) implements Comparable<Place> {

        /** Before every row. */
        public static final Place START = new Place(0, 0);

        @Override
        public int compareTo(Place other) {
            int byPosition = Long.compare(position, other.position);
            return byPosition == 0 ? Integer.compare(part, other.part) : byPosition;
        }
    }

    /** One output. */
    record Item(
            int lane,
            Origin origin,
            String topic,
            byte @Nullable [] key,
            byte @Nullable [] value,
            Headers headers) {

        /** As {@link Output#bytes()}. */
        public long bytes() {
            return Output.bytes(topic, key, value, headers);
        }
    }

    /** What one save has put out, in order. */
    record Row(Place place, List<Item> items, long bytes, Instant createdAt) {}

    /**
     * What a relay knows of itself.
     *
     * @param batch the number of the batch that it has opened last
     * @param served the relays that it has taken over, and those that they had taken over: only
     *     those that had rows when the store was asked, so that the list does not grow for ever
     */
    record Own(int number, long batch, List<Integer> served, Incarnation life) {}

    /**
     * A relay that was silent for long.
     *
     * @param ids the transactional ids under which its last batch may be in Kafka
     * @param isOpen whether its last batch still has its rows
     */
    record Gone(int number, List<String> ids, long batch, boolean isOpen) {}

    /**
     * A row that Kafka has refused.
     *
     * @param tries how often it was sent
     */
    record Refused(Row row, String why, Instant since, int tries) {}

    /** How many outputs wait, in rows of all relays. */
    record Waiting(long outputs, long bytes, Duration oldest) {

        /** Nothing waits. */
        public static final Waiting NOTHING = new Waiting(0, 0, Duration.ZERO);
    }

    /** Registers this start of the process as a relay with a number of its own. */
    Own register();

    /**
     * Records under which transactional ids the relay sends from now on.
     *
     * @return false if a batch is open, or another relay has taken this one over
     */
    boolean under(Own own, List<String> ids);

    /** Says that the relay is alive. */
    void alive(Own own);

    /** Says that the relay has ended in good order: it may be taken over at once. */
    void leave(Own own);

    /**
     * The first rows of the relay and of those that it serves, by place; without those that Kafka
     * has refused. Limited in outputs and, after the first row, in bytes.
     *
     * @param without rows that were sent already
     */
    List<Row> next(Own own, Collection<Place> without, int mostOutputs, long maxBytes);

    /**
     * What goes before the rows below a position: rows of other relays, and refused rows of any.
     *
     * @param lanes by place; null where the caller knows them already
     * @param refused those of these places that Kafka has refused; their lanes are never null
     * @param upTo the answer is complete for rows below this position; rows from there on wait
     */
    record Before(Map<Place, int @Nullable []> lanes, Set<Place> refused, long upTo) {}

    /**
     * Reads what goes before the rows below a position. Ask after {@link #next}: whoever sees a row
     * there sees here what is before it in its lanes, unless that was sent.
     *
     * @param known places whose lanes the caller knows
     * @param lanes of refused rows, only those are read that have one of these lanes: there may be
     *     very many
     */
    Before before(Own own, long position, Collection<Place> known, Collection<Integer> lanes);

    /**
     * Opens the next batch: its number is one higher. Deletes the rows in {@code sent}, also if
     * opening fails.
     *
     * @param sent rows of batches that Kafka has committed
     * @param next the rows of the new batch
     * @return false if another relay has taken this one over, or {@code own} is out of date
     */
    boolean open(Own own, Collection<Place> sent, SortedSet<Place> next);

    /**
     * Ends the open batch: its rows are free again, those in {@code sent} are deleted.
     *
     * @return false as {@link #open}
     */
    boolean close(Own own, Collection<Place> sent);

    /** Deletes rows without a batch: for delivery at least once. */
    void sent(Own own, Collection<Place> rows);

    /**
     * Takes some outputs of a row out into a part of their own at the same position; if these are
     * all of them, the row itself becomes that part. No batch may be open.
     *
     * @param held the indexes of what is taken out
     * @param refused why Kafka refuses it; null if it only waits for others of its lanes
     */
    void split(Own own, Row row, Collection<Integer> held, @Nullable String refused);

    /**
     * The first refused rows behind a place, of the relay and of those that it serves: so all can
     * be gone through without holding them in memory.
     */
    List<Refused> refused(Own own, Place after, int most);

    /** A refused row was sent again, and refused again. */
    void refusedAgain(Own own, Place place, String why);

    /**
     * What the store says of the relay now: the batch, whom it serves; empty if another relay has
     * taken it over, or its row is gone. Ask from time to time: a save that was late can give a
     * relay rows that is served for long.
     */
    Optional<Own> look(Own own);

    /**
     * Relays that have said nothing for that long, and have rows or an open batch.
     *
     * @param silence negative for those, too, that were seen just now
     */
    List<Gone> gone(Own own, Duration silence);

    /**
     * Takes a silent relay over, with those that it serves. Its open batch ends: the rows are
     * deleted if Kafka has committed it, and are free otherwise.
     *
     * @param committed the last batch number that Kafka has committed for it, or -1
     * @return false if it is not silent any more, or one of the two was taken over meanwhile
     */
    boolean takeOver(Own own, Gone gone, long committed, Duration silence);

    /**
     * Ends the relay's own open batch after its outcome was resolved.
     *
     * @param committed as above
     * @return the relay as it is now; empty as {@link #look}
     */
    Optional<Own> resolved(Own own, long committed);

    /** How much waits, counted up to a limit. */
    Waiting depth(int most);
}
