package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.testkit.Records;
import org.junit.jupiter.api.Test;

final class CommitmentTest {

    private static final NextOffset START = new NextOffset(10, 0);

    private final Commitment commitment = new Commitment(Records.epoch(1), START);

    private static NextOffset at(long offset) {
        return new NextOffset(offset, 0);
    }

    @Test
    void isNewsAtItsStartSinceNothingCountsAsCommittedYet() {
        assertThat(commitment.hasNews()).isTrue();
    }

    @Test
    void aCheckpointAheadOfTheFirstUnackedRecordIsAFault() {
        Records.receive(commitment.ledger(), 10, 0, 1);

        assertThatThrownBy(() -> commitment.checkpointed(at(11)))
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("I1");
    }

    @Test
    void aCommitAheadOfTheCheckpointIsAFault() {
        commitment.ledger().ack(Records.receive(commitment.ledger(), 10, 0, 1));

        assertThatThrownBy(() -> commitment.committed(at(11)))
                .isInstanceOf(InvariantViolation.class)
                .hasMessageContaining("I1");
    }

    @Test
    void neitherGoesBack() {
        commitment.ledger().ack(Records.receive(commitment.ledger(), 10, 0, 1));
        commitment.checkpointed(at(11));
        commitment.committed(at(11));

        commitment.checkpointed(at(10));
        commitment.committed(at(10));

        assertThat(commitment.checkpointed()).isEqualTo(at(11));
        assertThat(commitment.committed()).isEqualTo(at(11));
        assertThat(commitment.hasNews()).isFalse();
    }
}
