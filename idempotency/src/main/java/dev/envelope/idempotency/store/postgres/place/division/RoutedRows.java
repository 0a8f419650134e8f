package dev.envelope.idempotency.store.postgres.place.division;

import dev.envelope.core.key.Division;
import dev.envelope.idempotency.store.postgres.place.TableCopies;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.copy.CopyOut;

/**
 * Reads rows, each with the slot where it goes, and holds some of them for each slot, in the binary
 * format of COPY: the bytes of a row go from one server to the other as they are.
 *
 * <p>Threads: one thread.
 */
final class RoutedRows {

    /** More than that is not held, but for a single row. */
    private static final int MOST_BYTES = 8 << 20;

    private static final int SIGNATURE_AND_FLAGS = 15;
    private static final byte[] HEADER =
            ("PGCOPY\n\u00ff\r\n\0" + "\0".repeat(8)).getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] TRAILER = {-1, -1};

    private final Division division;
    private final Targets targets;
    private final Map<Integer, ByteArrayOutputStream> bySlot = new TreeMap<>();
    private long held;
    private long rows;

    /** Takes what was held for a slot. */
    interface Targets {
        void take(int slot, byte[] rows) throws SQLException;
    }

    RoutedRows(Division division, Targets targets) {
        this.division = division;
        this.targets = targets;
    }

    /**
     * Reads the rows of a query.
     *
     * @param query two columns more than go on: the key of the row, and the partition whose slot it
     *     belongs to if the key is null. If both are null, it is the first slot's.
     * @param toAll whether each row goes to all slots instead
     * @return how many there were
     */
    long read(Connection from, String query, boolean toAll) throws SQLException {
        rows = 0;
        CopyOut out =
                TableCopies.copyManager(from)
                        .copyOut("COPY (" + query + ") TO STDOUT (FORMAT binary)");
        try {
            boolean isFirst = true;
            for (byte @Nullable [] part = out.readFromCopy();
                    part != null;
                    part = out.readFromCopy()) {
                ByteBuffer row = ByteBuffer.wrap(part);
                if (isFirst) { // it has the header, too
                    row.position(SIGNATURE_AND_FLAGS);
                    row.position(row.getInt() + row.position());
                    isFirst = false;
                }
                short fields = row.hasRemaining() ? row.getShort() : -1;
                if (fields >= 0) {
                    take(row, fields, toAll);
                }
            }
        } finally {
            if (out.isActive()) {
                out.cancelCopy();
            }
        }
        flush();
        return rows;
    }

    private void take(ByteBuffer row, short fields, boolean toAll) throws SQLException {
        byte @Nullable [] key = field(row);
        byte @Nullable [] partition = field(row);
        int begin = row.position() - Short.BYTES; // over what was read already
        row.putShort(begin, (short) (fields - 2));
        byte[] bytes = new byte[row.limit() - begin];
        row.get(begin, bytes);
        int first = toAll ? 0 : slotOf(key, partition);
        int last = toAll ? division.slots() - 1 : first;
        for (int slot = first; slot <= last; slot++) {
            bySlot.computeIfAbsent(slot, it -> begun()).write(bytes, 0, bytes.length);
            held += bytes.length;
        }
        rows++;
        if (held > MOST_BYTES) {
            flush();
        }
    }

    private int slotOf(byte @Nullable [] key, byte @Nullable [] partition) {
        if (key != null) {
            return division.slotOf(new String(key, StandardCharsets.UTF_8));
        }
        return partition == null ? 0 : ByteBuffer.wrap(partition).getInt() % division.slots();
    }

    private static byte @Nullable [] field(ByteBuffer row) {
        int length = row.getInt();
        if (length < 0) {
            return null;
        }
        byte[] bytes = new byte[length];
        row.get(bytes);
        return bytes;
    }

    private static ByteArrayOutputStream begun() {
        ByteArrayOutputStream begun = new ByteArrayOutputStream();
        begun.writeBytes(HEADER);
        return begun;
    }

    private void flush() throws SQLException {
        for (Map.Entry<Integer, ByteArrayOutputStream> each : bySlot.entrySet()) {
            each.getValue().writeBytes(TRAILER);
            targets.take(each.getKey(), each.getValue().toByteArray());
        }
        bySlot.clear();
        held = 0;
    }
}
