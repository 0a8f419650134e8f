package dev.envelope.core.key;

import dev.envelope.core.key.KeyFormat.KeyRefused;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The row keys of records without a key. They begin with the noncharacter U+FFFF, which Postgres
 * can store and no record's own key may begin with.
 *
 * <p>Each is created once and kept, so that such a record costs no more objects than one with a
 * key.
 *
 * <p>Threads: poll thread only.
 */
final class ReservedKeys {

    /** What reserved keys begin with, and others must not. */
    static final char MARK = '\uFFFF';

    static final String NO_KEY = MARK + "no-key/";

    private static final int REJECT = 0;
    private static final int BY_PARTITION = -1;

    private final int rows; // over which they are spread, or one of the above
    private final RowKeys.Scope scope;
    private final Map<String, String[]> ofTopics = new HashMap<>();
    private String[] last = new String[0]; // of the last topic: records of a topic come in runs
    private String lastTopic = "";

    ReservedKeys(NullKeys policy, RowKeys.Scope scope) {
        this.rows = policy.match(() -> REJECT, () -> BY_PARTITION, number -> number);
        this.scope = scope;
    }

    /**
     * The row key of a record that has none.
     *
     * @throws KeyRefused if the policy is to reject it
     */
    String of(ConsumerRecord<byte @Nullable [], byte @Nullable []> record) throws KeyRefused {
        if (rows == REJECT) {
            throw new KeyRefused("null-key: the record has no key");
        }
        if (!record.topic().equals(lastTopic)) {
            lastTopic = record.topic();
            last = ofTopics.getOrDefault(lastTopic, new String[0]);
        }
        int number =
                rows == BY_PARTITION
                        ? record.partition()
                        : slot(record.partition(), record.offset(), rows);
        if (number >= last.length || last[number] == null) {
            keep(number);
        }
        return last[number];
    }

    private void keep(int number) {
        if (number >= last.length) {
            last = Arrays.copyOf(last, Math.max(number + 1, 2 * last.length));
            ofTopics.put(lastTopic, last);
        }
        boolean isSpread = rows > 0;
        boolean isShared = isSpread && scope == RowKeys.Scope.APPLICATION;
        last[number] =
                NO_KEY
                        + (isShared ? "" : lastTopic + "/")
                        + (isSpread ? "spread-" : "partition-")
                        + number;
    }

    /**
     * Mixes the bits: records that are written in transactions may have every second offset only.
     */
    static int slot(int partition, long offset, int rows) {
        long bits = (offset ^ ((long) partition << 40)) * 0x9E3779B97F4A7C15L;
        bits = (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
        return (int) Long.remainderUnsigned(bits ^ (bits >>> 32), rows);
    }
}
