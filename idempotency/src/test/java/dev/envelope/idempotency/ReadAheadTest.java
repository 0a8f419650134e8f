package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.PartitionEpoch;
import dev.envelope.core.testkit.Records;
import dev.envelope.idempotency.fold.Work;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ReadAheadTest {

    private static final TopicPartition P0 = new TopicPartition("events", 0);

    private final PartitionEpoch epoch = Records.epoch(1);
    private final List<Work<String>> works = new ArrayList<>();

    private void add(int messages, @Nullable String value) {
        List<Message> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(Message.of(epoch, i, "k", Records.record(P0, i, 0, "k", value)));
        }
        works.add(Work.of(works.size(), Envelope.of("k", all)));
    }

    @Test
    void whatBeginsNextIsReadAndNoMoreThanACacheHolds() {
        for (int i = 0; i < 3; i++) {
            add(40, "\1");
        }
        ReadAhead ahead = new ReadAhead(works);

        ahead.next();
        assertThat(ahead.sum()).as("the first two").isEqualTo(2 * 40 * 3);
        ahead.next();
        assertThat(ahead.sum()).as("has been read").isEqualTo(2 * 40 * 3);
        ahead.next();
        assertThat(ahead.sum()).isEqualTo(3 * 40 * 3);
    }

    @Test
    void ofAWorkOfManyMessagesTheFirstAreRead() {
        add(10_000, "\1");
        ReadAhead ahead = new ReadAhead(works);

        ahead.next();

        assertThat(ahead.sum()).isEqualTo(256 * 3);
    }

    @Test
    void messagesWithoutAValueAreLeftOut() {
        add(1, null);
        add(1, "");
        add(1, "\1\2\3");
        ReadAhead ahead = new ReadAhead(works);

        ahead.next();

        assertThat(ahead.sum()).isEqualTo(1 + 2 + 3);
    }
}
