package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayDeque;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition epoch that were received and not yet committed past, in order, each
 * unacked or acked. Only what was received is tracked, so a gap in the offsets counts as done.
 *
 * <p>A record is named by its sequence: the first received is 0, the next 1. The ledger goes from
 * {@code head}, the first unacked, to {@code tail}, the next to come. Of each unacked record it
 * knows the key, too: so that it can be told which of them keeps the others from being committed.
 *
 * <p>Threads: poll thread only. Holds I1 (what may be committed is never above the first unacked)
 * and I8 (held bytes are those of the unacked records).
 */
public final class OffsetLedger {

    private final UnackedRecords records = new UnackedRecords();
    private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
    private long head;
    private long tail;
    private long positionOffset; // what comes next; two numbers, since it moves with every record
    private int positionEpoch;
    private long heldBytes;
    private long acked; // between head and tail
    private long acks; // all that there have been

    /** When the records from a sequence on came in. */
    private record Arrival(long firstSequence, long nanoTime) {}

    public OffsetLedger(NextOffset start) {
        setPosition(start);
    }

    /** Says that the records received from now on came in at this time. */
    public void arriving(long nanoTime) {
        arrivals.addLast(new Arrival(tail, nanoTime));
    }

    /** The sequence of the record that is received next. */
    public long nextSequence() {
        return tail;
    }

    /** Enters a record, which has the next sequence. */
    public void receive(Message message) {
        if (message.offset() < positionOffset || message.sequence() != tail) {
            throw new InvariantViolation(
                    "received %s as sequence %d when %s and %d were next"
                            .formatted(message, message.sequence(), position(), tail));
        }
        records.add(message);
        tail++;
        heldBytes += message.heldBytes();
        positionOffset = NextOffset.after(message.offset());
        positionEpoch = message.leaderEpoch();
    }

    /** What the client says comes next: behind the received records, markers and gaps. */
    public void positionIs(NextOffset next) {
        boolean knowsMore = next.offset() == positionOffset && next.leaderEpoch() > positionEpoch;
        if (next.compareTo(position()) > 0 || knowsMore) {
            setPosition(next);
        }
    }

    private void setPosition(NextOffset next) {
        positionOffset = next.offset();
        positionEpoch = next.leaderEpoch();
    }

    /** Marks a record as done. */
    public void ack(long sequence) {
        heldBytes -= records.remove(sequence);
        acks++;
        if (sequence == head) {
            long next = records.firstAt(head);
            acked -= next - head - 1;
            head = next;
        } else {
            acked++;
        }
    }

    /** What may be committed: the first unacked record or, if there is none, what comes next. */
    public NextOffset committable() {
        return isEmpty() ? position() : records.asNext(head);
    }

    /** What is done behind the first unacked record, up to the position. */
    DoneAhead doneAhead() {
        DoneAhead.Builder done = new DoneAhead.Builder();
        long before = head;
        while (acked > 0 && before < tail) {
            long next = records.firstAt(before + 1);
            if (next > before + 1) {
                long to = next == tail ? positionOffset : records.offset(next);
                done.add(records.offset(before) + 1, to);
            }
            before = next;
        }
        return done.build(positionEpoch);
    }

    boolean hasDoneAhead() {
        return acked > 0;
    }

    /** How many acks there have been, since the start. */
    long acks() {
        return acks;
    }

    /** The message of that partition that nothing can be committed beyond, if there is any. */
    public @Nullable MessageName firstUnacked(TopicPartition partition) {
        return isEmpty() ? null : records.name(partition, head);
    }

    /** The offset that the next received record will have at the least. */
    public NextOffset position() {
        return new NextOffset(positionOffset, positionEpoch);
    }

    public boolean isEmpty() {
        return head == tail;
    }

    public long unacked() {
        return tail - head - acked;
    }

    /** How many records lie between the first unacked and the last received. */
    public long span() {
        return tail - head;
    }

    public long heldBytes() {
        return heldBytes;
    }

    /** When the first unacked record came in, or {@code now} if there is none. */
    public long oldestArrival(long now) {
        while (arrivals.size() > 1 && second().firstSequence() <= head) {
            arrivals.removeFirst();
        }
        return isEmpty() || arrivals.isEmpty() ? now : arrivals.getFirst().nanoTime();
    }

    /** Adds up the unacked records' bytes: what {@link #heldBytes} must equal (I8). */
    public long derivedHeldBytes() {
        return records.heldBytes();
    }

    private Arrival second() {
        var two = arrivals.iterator();
        two.next();
        return two.next();
    }

    /** For how many records there is room now. */
    int capacity() {
        return records.capacity();
    }
}
