package dev.envelope.core.mailbox;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.AckInbox;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The acks of one turn, collected by epoch so that the poll thread gets one notice for each.
 *
 * <p>Threads: actor, one at a time (the turn's runner).
 */
final class Acks {

    private static final class Sequences {
        private long[] sequences = new long[64];
        private int count;

        void add(long sequence) {
            if (count == sequences.length) {
                sequences = Arrays.copyOf(sequences, count * 2);
            }
            sequences[count++] = sequence;
        }
    }

    private final Map<PartitionEpoch, Sequences> byEpoch = new LinkedHashMap<>();
    private @Nullable PartitionEpoch lastEpoch;
    private Sequences lastSequences = new Sequences();

    void add(Message message) {
        if (message.epoch() != lastEpoch) {
            lastEpoch = message.epoch();
            lastSequences = byEpoch.computeIfAbsent(lastEpoch, epoch -> new Sequences());
        }
        lastSequences.add(message.sequence());
    }

    void postTo(AckInbox inbox) {
        byEpoch.forEach(
                (epoch, of) -> inbox.post(new AckInbox.Acked(epoch, of.sequences, of.count)));
    }
}
