package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The records of one partition epoch that were received and not yet committed past, in order, each
 * unacked or acked. Only what was received is tracked, so a gap in the offsets counts as done.
 *
 * <p>A record is named by its sequence: the first received is 0, the next 1. The ledger is a ring
 * over the sequences from {@code head}, the first unacked, to {@code tail}, the next to come. It
 * holds the unacked messages themselves, which live as long anyway: so that it can be told which of
 * them keeps the others from being committed.
 *
 * <p>Threads: poll thread only. Holds I1 (what may be committed is never above the first unacked)
 * and I8 (held bytes are those of the unacked records).
 */
public final class OffsetLedger {

    private static final int FIRST_CAPACITY = 1024;

    /** What an empty ledger keeps of its room: an eighth of a megabyte at most. */
    private static final int KEPT_CAPACITY = 16 * FIRST_CAPACITY;

    private @Nullable Message[] unacked = new Message[FIRST_CAPACITY]; // null where it is acked
    private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
    private long head;
    private long tail;
    private long positionOffset; // what comes next; two numbers, since it moves with every record
    private int positionEpoch;
    private long heldBytes;
    private int acked; // between head and tail
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
        if (tail - head == unacked.length) {
            grow();
        }
        unacked[slot(tail++)] = message;
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
        boolean isOurs = sequence >= head && sequence < tail;
        Message message = isOurs ? unacked[slot(sequence)] : null;
        if (message == null) {
            throw new InvariantViolation(
                    "acked sequence "
                            + sequence
                            + " twice or never received: "
                            + head
                            + ".."
                            + tail);
        }
        heldBytes -= message.heldBytes();
        unacked[slot(sequence)] = null;
        acked++;
        acks++;
        while (head < tail && unacked[slot(head)] == null) {
            head++;
            acked--;
        }
        if (isEmpty() && unacked.length > KEPT_CAPACITY) {
            unacked = new Message[KEPT_CAPACITY]; // after a burst, of which nothing is left
        }
    }

    /** What may be committed: the first unacked record or, if there is none, what comes next. */
    public NextOffset committable() {
        Message first = firstUnacked();
        return first == null ? position() : new NextOffset(first.offset(), first.leaderEpoch());
    }

    /** What is done behind the first unacked record, up to the position. */
    DoneAhead doneAhead() {
        DoneAhead.Builder done = new DoneAhead.Builder();
        if (acked > 0) {
            long before = head;
            for (long sequence = head + 1; sequence <= tail; sequence++) {
                boolean isEnd = sequence == tail;
                @Nullable Message message = isEnd ? null : unacked[slot(sequence)];
                if (isEnd || message != null) {
                    if (sequence > before + 1) {
                        long to = message == null ? positionOffset : message.offset();
                        done.add(offset(before) + 1, to);
                    }
                    before = sequence;
                }
            }
        }
        return done.build(positionEpoch);
    }

    boolean hasDoneAhead() {
        return acked > 0;
    }

    private long offset(long unackedSequence) {
        return Objects.requireNonNull(unacked[slot(unackedSequence)]).offset();
    }

    /** How many acks there have been, since the start. */
    long acks() {
        return acks;
    }

    /** The message that nothing can be committed beyond, if there is any. */
    public @Nullable Message firstUnacked() {
        return head == tail ? null : unacked[slot(head)];
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
        long sum = 0;
        for (long sequence = head; sequence < tail; sequence++) {
            Message message = unacked[slot(sequence)];
            sum += message == null ? 0 : message.heldBytes();
        }
        return sum;
    }

    private Arrival second() {
        var two = arrivals.iterator();
        two.next();
        return two.next();
    }

    private int slot(long sequence) {
        return (int) (sequence & (unacked.length - 1));
    }

    private void grow() {
        @Nullable Message[] before = unacked;
        unacked = new Message[before.length * 2];
        for (long sequence = head; sequence < tail; sequence++) {
            unacked[slot(sequence)] = before[(int) (sequence & (before.length - 1))];
        }
    }

    /** For how many records there is room now. */
    int capacity() {
        return unacked.length;
    }
}
