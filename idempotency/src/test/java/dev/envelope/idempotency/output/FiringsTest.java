package dev.envelope.idempotency.output;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.store.InMemoryStateStore;
import dev.envelope.idempotency.store.InMemoryTimerStore;
import dev.envelope.idempotency.store.Messages;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import dev.envelope.idempotency.store.timer.Timer;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** Where the relay sends the firings of timers. */
class FiringsTest {

    private static final TopicPartition SECOND = new TopicPartition("t", 1);

    private final Relays all = new Relays();
    private final Relays.Instance one = all.start("one");

    @Test
    void aFiringGoesToThePartitionOfTheMessageThatHasSetTheTimer() {
        Message origin = Records.message(Records.epoch(2), 5, "a", "v");
        Timer timer = Timer.set("it", origin, 1, Instant.EPOCH, new byte[] {1});
        new InMemoryStateStore(all.database, one.outputs::numberIn)
                .save(
                        List.of(
                                Messages.change(
                                        "a",
                                        Snapshot.ABSENT,
                                        new HandlerEffects(List.of(), List.of(timer), List.of()))),
                        Patience.WAIT,
                        all.database.incarnation());
        new InMemoryTimerStore(all.database, one.outputs::numberIn).fire(List.of(SECOND), 10);
        one.put("b", "1");

        one.run();

        assertThat(all.kafka.readable("t"))
                .singleElement()
                .extracting(ProducerRecord::partition)
                .isEqualTo(1);
        assertThat(all.kafka.readable("out"))
                .singleElement()
                .extracting(ProducerRecord::partition)
                .isNull();
    }
}
