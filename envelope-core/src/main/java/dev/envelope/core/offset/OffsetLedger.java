package dev.envelope.core.offset;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import java.util.ArrayDeque;

/**
 * The records of one partition epoch that were received and not yet committed past, in order, each
 * unacked or acked. Only what was received is tracked, so a gap in the offsets counts as done.
 *
 * <p>A record is named by its sequence: the first received is 0, the next 1. The ledger is a ring
 * over the sequences from {@code head}, the first unacked, to {@code tail}, the next to come.
 *
 * <p>Threads: poll thread only. Holds I1 (what may be committed is never above the first unacked)
 * and I8 (held bytes are those of the unacked records).
 */
public final class OffsetLedger {

    private static final int FIRST_CAPACITY = 1024;

    /** What an empty ledger keeps of its room: a quarter of a megabyte. */
    private static final int KEPT_CAPACITY = 16 * FIRST_CAPACITY;

    private long[] offsets = new long[FIRST_CAPACITY];
    private int[] leaderEpochs = new int[FIRST_CAPACITY];
    private int[] bytes = new int[FIRST_CAPACITY]; // made negative by the ack
    private final ArrayDeque<Arrival> arrivals = new ArrayDeque<>();
    private long head;
    private long tail;
    private long positionOffset; // what comes next; two numbers, since it moves with every record
    private int positionEpoch;
    private long heldBytes;
    private int acked; // between head and tail

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

    /**
     * Enters a record.
     *
     * @param heldBytes what it is counted with until it is acked, more than 0
     * @return its sequence
     */
    public long receive(long offset, int leaderEpoch, int heldBytes) {
        if (offset < positionOffset) {
            throw new InvariantViolation(
                    "received " + offset + " when " + position() + " was next");
        }
        if (tail - head == offsets.length) {
            grow();
        }
        int slot = slot(tail);
        offsets[slot] = offset;
        leaderEpochs[slot] = leaderEpoch;
        bytes[slot] = heldBytes;
        this.heldBytes += heldBytes;
        positionOffset = NextOffset.after(offset);
        positionEpoch = leaderEpoch;
        return tail++;
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
        if (sequence < head || sequence >= tail || bytes[slot(sequence)] < 0) {
            throw new InvariantViolation(
                    "acked sequence "
                            + sequence
                            + " twice or never received: "
                            + head
                            + ".."
                            + tail);
        }
        int slot = slot(sequence);
        heldBytes -= bytes[slot];
        bytes[slot] = -bytes[slot];
        acked++;
        while (head < tail && bytes[slot(head)] < 0) {
            head++;
            acked--;
        }
        if (isEmpty() && offsets.length > KEPT_CAPACITY) {
            allocate(KEPT_CAPACITY); // after a burst, of which nothing is left
        }
    }

    /** What may be committed: the first unacked record or, if there is none, what comes next. */
    public NextOffset committable() {
        if (head == tail) {
            return position();
        }
        int slot = slot(head);
        return new NextOffset(offsets[slot], leaderEpochs[slot]);
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
            sum += Math.max(0, bytes[slot(sequence)]);
        }
        return sum;
    }

    private Arrival second() {
        var two = arrivals.iterator();
        two.next();
        return two.next();
    }

    private int slot(long sequence) {
        return (int) (sequence & (offsets.length - 1));
    }

    private void grow() {
        int capacity = offsets.length;
        long[] oldOffsets = offsets;
        int[] oldEpochs = leaderEpochs;
        int[] oldBytes = bytes;
        allocate(capacity * 2);
        for (long sequence = head; sequence < tail; sequence++) {
            int from = (int) (sequence & (capacity - 1));
            int to = slot(sequence);
            offsets[to] = oldOffsets[from];
            leaderEpochs[to] = oldEpochs[from];
            bytes[to] = oldBytes[from];
        }
    }

    private void allocate(int capacity) {
        offsets = new long[capacity];
        leaderEpochs = new int[capacity];
        bytes = new int[capacity];
    }

    /** For how many records there is room now. */
    int capacity() {
        return offsets.length;
    }
}
