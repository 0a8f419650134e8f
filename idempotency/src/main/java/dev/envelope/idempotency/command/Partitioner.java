package dev.envelope.idempotency.command;

import java.util.zip.CRC32;
import org.apache.kafka.common.utils.Utils;

/** Which partition a key's records are in, as other producers of the topic decide it. */
public enum Partitioner {
    /** As Kafka's own clients. */
    MURMUR2 {
        @Override
        long hash(byte[] key) {
            return Utils.toPositive(Utils.murmur2(key));
        }
    },
    /** As librdkafka's {@code consistent}. */
    CRC32 {
        @Override
        long hash(byte[] key) {
            CRC32 crc = new CRC32();
            crc.update(key);
            return crc.getValue();
        }
    };

    /** The hash of a key; never negative. */
    abstract long hash(byte[] key);

    /** The partition of a key. */
    public int partition(byte[] recordKey, int partitions) {
        return (int) (hash(recordKey) % partitions);
    }
}
