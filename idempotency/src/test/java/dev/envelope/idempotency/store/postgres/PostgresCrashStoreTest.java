package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.offset.Checkpoints.NewSource;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.store.CrashStore;
import dev.envelope.idempotency.store.CrashStore.Suspect;
import dev.envelope.idempotency.store.CrashStoreContract;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PostgresCrashStoreTest extends CrashStoreContract {

    private final PostgresFixture fixture = new PostgresFixture();
    private final Incarnation now = fixture.checkpoints().incarnation();
    private final int source = introduced();

    @Override
    protected CrashStore open() {
        return fixture.crashes();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private int introduced() {
        NewSource fresh =
                new NewSource(new TopicPartition("t", 0), new Uuid(1, 1), new NextOffset(0, 0));
        return fixture.checkpoints().introduce(List.of(fresh)).sources().get(0).number();
    }

    @Override
    protected Message message(long offset) {
        PartitionEpoch epoch = new PartitionEpoch(1, new TopicPartition("t", 0), source, now);
        return Records.message(epoch, offset, "key", "value");
    }

    @Test
    void whatACheckpointHasPassedIsForgotten() {
        store.count(List.of(message(5), message(6)));
        fixture.checkpoints().save(Map.of(source, new NextOffset(6, 0)), now);

        store.suspects();

        assertThat(store.suspects()).containsExactly(new Suspect(source, 6, 1));
    }
}
