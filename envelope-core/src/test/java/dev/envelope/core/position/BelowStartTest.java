package dev.envelope.core.position;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import org.junit.jupiter.api.Test;

/** A group whose offsets were moved back below where reading began. */
final class BelowStartTest extends Situation {

    @Test
    void aGroupThatWasMovedBackBelowTheStartGoesOnAtTheStartAndBothOffsetsAreSaid() {
        begun(P0, 40, 70);
        known(P1, 0);
        committedByHand(P0, 10);

        assertThat(found(P0).next()).isEqualTo(new NextOffset(40, 0));
        assertThat(found(P0).remark())
                .contains("orders-0")
                .contains("(10)")
                .contains("(40@0)")
                .contains("start.from")
                .contains("application.id");
        assertThat(found(P0).skips()).isEmpty();
    }

    @Test
    void atTheStartAndAboveItTheGroupIsFollowedWithoutAWord() {
        begun(P0, 40, 70);
        known(P1, 0);
        committedByHand(P0, 40);
        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).isEmpty();

        committedByHand(P0, 41);
        assertThat(offset(P0)).isEqualTo(41);
        assertThat(found(P0).remark()).isEmpty();
    }

    @Test
    void whatIsGoneBelowTheStartIsNoGap() {
        begun(P0, 60, 60);
        known(P1, 0);
        committedByHand(P0, 10);
        cluster.removeBefore(P0, 30);

        assertThat(offset(P0)).isEqualTo(60);
        assertThat(checkpoints.skips(P0)).isEmpty();
    }

    @Test
    void whereTheLogHasNothingBelowTheStartNothingIsSaid() {
        begun(P0, 40, 70);
        known(P1, 0);
        committedByHand(P0, 10);
        cluster.removeBefore(P0, 40);

        assertThat(offset(P0)).isEqualTo(40);
        assertThat(found(P0).remark()).isEmpty();
    }

    @Test
    void aGenerationBehindACutStartsAtTheCutBelowWhichAllIsOfTheFormer() {
        known(P0, 80);
        known(P1, 0);
        checkpoints.add(
                P0,
                cluster.topicId("orders").orElseThrow(),
                1,
                new NextOffset(50, 1),
                new NextOffset(60, 1));
        committedByHand(P0, 20);

        assertThat(found(P0).next()).isEqualTo(new NextOffset(50, 1));
        assertThat(found(P0).remark())
                .contains("(20)")
                .contains("(50@1)")
                .contains("generation 1")
                .doesNotContain("start.from");
    }

    @Test
    void aLogThatWasCutOffBelowTheStartIsFoundThoughTheGroupStandsBelowTheCut() {
        begun(P0, 60, 70);
        known(P1, 0);
        committedByHand(P0, 10);
        cluster.truncateTo(P0, 50);

        assertThat(refusal(P0)).contains("ends at 50").contains("on.log.truncated=continue");
    }
}
