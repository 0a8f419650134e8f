package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.core.offset.Skip;
import dev.envelope.core.position.PositionPolicy.Gap;
import dev.envelope.core.position.PositionPolicy.OffsetAhead;
import java.util.Objects;
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

        Position.Found first = (Position.Found) Objects.requireNonNull(find(P0).get(P0));

        assertThat(first.next().offset()).isEqualTo(60);
        assertThat(first.remark()).contains("offsets 40 to 59");
        assertThat(first.skips()).containsExactly(new Skip(Skip.Cause.GAP, 40, 60));
        assertThat(checkpoints.skips(P0)).containsExactly(new Skip(Skip.Cause.GAP, 40, 60));
        assertThat(checkpoints.checkpoint(P0)).as("nobody counts it again").isEqualTo(60);
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

    @Test
    void aGapBehindWhatAnOperatorHasSkippedIsRecordedApart() {
        onGap = Gap.EARLIEST;
        onOffsetAhead = OffsetAhead.FOLLOW;
        known(P0, 40);
        known(P1, 0);
        committedByHand(P0, 50);
        cluster.removeBefore(P0, 60);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(checkpoints.skips(P0))
                .containsExactly(
                        new Skip(Skip.Cause.OPERATOR, 40, 50), new Skip(Skip.Cause.GAP, 50, 60));
    }

    @Test
    void nothingIsReadBehindAGapThatCouldNotBeRecorded() {
        onGap = Gap.EARLIEST;
        known(P0, 40);
        known(P1, 0);
        cluster.removeBefore(P0, 60);
        checkpoints.failSkips(true);

        assertThatThrownBy(() -> find(P0)).isInstanceOf(UnavailableException.class);
        checkpoints.failSkips(false);
        assertThat(offset(P0)).isEqualTo(60);
    }
}
