package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.offset.PositionPolicy.Gap;
import org.junit.jupiter.api.Test;

/** Records that are gone from the log before they were applied. */
final class GapTest extends Situation {

    @Test
    void stopsAtAGapAndNamesTheLoss() {
        known(P0, 40);
        known(P1, 0);
        committedByUs(P0, 40);
        cluster.removeBefore(P0, 60);

        assertThat(refusal(P0)).contains("offsets 40 to 59").contains("on.gap=earliest");
        assertThat(offset(P1)).isZero();
    }

    @Test
    void goesOnBehindAGapWhereThePolicySaysSo() {
        onGap = Gap.EARLIEST;
        known(P0, 40);
        known(P1, 0);
        cluster.removeBefore(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(found(P0).remark()).contains("offsets 40 to 59");
    }

    @Test
    void whatIsGoneBelowTheCheckpointIsNoLoss() {
        known(P0, 70);
        known(P1, 0);
        committedByHand(P0, 10);
        cluster.removeBefore(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(found(P0).remark()).isEmpty();
    }

    @Test
    void aLogThatBeginsRightAtThePositionHasNoGap() {
        known(P0, 40);
        known(P1, 0);
        cluster.removeBefore(P0, 40);

        assertThat(offset(P0)).isEqualTo(40);
    }
}
