package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.Telemetry;
import dev.envelope.core.testkit.Records;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

final class MemoryTest {

    private static final NextOffset START = new NextOffset(0, 0);

    private final OffsetLedger ledger = new OffsetLedger(START);
    private int fullCommits;
    private final Memory memory =
            new Memory(
                    Uuid.randomUuid(),
                    DoneAhead.NONE,
                    64,
                    new Telemetry() {
                        @Override
                        public void commitWasFull() {
                            fullCommits++;
                        }
                    });

    /** Of those records, the first is not done, and of the others a half. */
    private void receive(int records) {
        Random random = new Random(1);
        for (int offset = 0; offset < records; offset++) {
            long sequence = Records.receive(ledger, offset, 0, 1);
            if (offset > 0 && random.nextBoolean()) {
                ledger.ack(sequence);
            }
        }
    }

    @Test
    void saysWhatIsDoneAhead() {
        receive(100);

        String metadata = memory.stamped(START, ledger).metadata();

        assertThat(metadata).isNotEmpty();
        assertThat(fullCommits).isZero();
    }

    @Test
    void aCommitThatIsFullIsCounted() {
        receive(50_000);

        String metadata = memory.stamped(START, ledger).metadata();

        assertThat(metadata.length()).isBetween(3_000, 4_096);
        assertThat(fullCommits).isOne();
    }

    @Test
    void brokersThatTakeLessAreToldLess() {
        receive(50_000);
        memory.remembersLess();

        String metadata = memory.stamped(START, ledger).metadata();

        assertThat(metadata.length()).isBetween(1_500, 2_100);
        assertThat(fullCommits).isOne();
    }
}
