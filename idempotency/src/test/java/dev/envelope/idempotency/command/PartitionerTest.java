package dev.envelope.idempotency.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;

class PartitionerTest {

    @Test
    void murmur2IsWhatKafkasOwnProducerDoes() {
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 10_000; i++) {
            byte[] key = new byte[random.nextInt(40)];
            random.nextBytes(key);
            int partitions = random.nextInt(1, 1_000);

            assertThat(Partitioner.MURMUR2.partition(key, partitions))
                    .isEqualTo(BuiltInPartitioner.partitionForKey(key, partitions));
        }
    }

    @Test
    void crc32IsWhatLibrdkafkaDoes() {
        // zlib's CRC-32, taken as unsigned: 0xcbf43926 for this text
        byte[] key = "123456789".getBytes(StandardCharsets.UTF_8);

        assertThat(Partitioner.CRC32.partition(key, 1_000)).isEqualTo(262);
        assertThat(Partitioner.CRC32.partition(new byte[0], 7)).isZero();
    }
}
