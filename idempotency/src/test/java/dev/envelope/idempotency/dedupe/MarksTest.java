package dev.envelope.idempotency.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.InvariantViolation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.testkit.Seeds;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MarksTest {

    private final Marks marks =
            Marks.NONE.advance(7, new NextOffset(100, 3)).advance(2, new NextOffset(5, -1));

    @Test
    void everythingIsNewToAKeyThatNothingWasAppliedTo() {
        assertThat(Marks.NONE.judge(1, 0, 0)).isEqualTo(Verdict.NEW);
        assertThat(Marks.NONE.nextOffset(1)).isZero();
    }

    @Test
    void belowTheMarkIsADuplicateAtTheMarkIsNew() {
        assertThat(marks.judge(7, 99, 3)).isEqualTo(Verdict.DUPLICATE);
        assertThat(marks.judge(7, 100, 3)).isEqualTo(Verdict.NEW);
        assertThat(marks.judge(2, 4, 9)).isEqualTo(Verdict.DUPLICATE);
        assertThat(marks.judge(3, 0, 0)).as("another source").isEqualTo(Verdict.NEW);
    }

    @Test
    void belowTheMarkWithAHigherLeaderEpochIsARewrittenLog() {
        assertThat(marks.judge(7, 99, 4)).isEqualTo(Verdict.REWRITTEN);
        assertThat(marks.judge(7, 99, 2)).isEqualTo(Verdict.DUPLICATE);
        assertThat(marks.judge(7, 99, NextOffset.NO_EPOCH)).isEqualTo(Verdict.DUPLICATE);
        assertThat(marks.judge(7, 100, 4)).as("above it, a new leader").isEqualTo(Verdict.NEW);
    }

    @Test
    void aMarkNeverShrinksOrStandsStill() {
        assertThatThrownBy(() -> marks.advance(7, new NextOffset(100, 3)))
                .isInstanceOf(InvariantViolation.class);
        assertThatThrownBy(() -> marks.advance(7, new NextOffset(99, 9)))
                .isInstanceOf(InvariantViolation.class);
    }

    @Test
    void advancingLeavesTheFormerMarksAsTheyAre() {
        Marks after = marks.advance(7, new NextOffset(101, 3));

        assertThat(marks.nextOffset(7)).isEqualTo(100);
        assertThat(after.nextOffset(7)).isEqualTo(101);
        assertThat(after.nextOffset(2)).isEqualTo(5);
        assertThat(after).isNotEqualTo(marks);
    }

    @Test
    void whatIsNoMarksIsRefused() {
        for (String text : new String[] {"x", "1", "1:", "1:x", "1:2@", ":", "1:2 "}) {
            assertThatThrownBy(() -> Marks.parse(text))
                    .as(text)
                    .isInstanceOf(InvariantViolation.class);
        }
    }

    @Test
    void standInARowAsTheyAreWhateverTheOrderInWhichSourcesCame() {
        Seeds.each(
                300,
                random -> {
                    Marks marks = Marks.NONE;
                    Map<Integer, NextOffset> naive = new HashMap<>();
                    for (int i = random.nextInt(40); i > 0; i--) {
                        int source = random.nextInt(1, 12);
                        NextOffset before = naive.get(source);
                        NextOffset next =
                                new NextOffset(
                                        (before == null ? 0 : before.offset())
                                                + random.nextLong(1, 1L << 40),
                                        random.nextInt(-1, 9));
                        marks = marks.advance(source, next);
                        naive.put(source, next);
                    }
                    Marks read = Marks.parse(marks.format());

                    assertThat(read).isEqualTo(marks).hasSameHashCodeAs(marks);
                    assertThat(read.size()).isEqualTo(naive.size());
                    naive.forEach(
                            (source, next) -> {
                                assertThat(read.nextOffset(source)).isEqualTo(next.offset());
                                assertThat(read.judge(source, next.offset() - 1, 100))
                                        .isEqualTo(
                                                next.leaderEpoch() < 0
                                                        ? Verdict.DUPLICATE
                                                        : Verdict.REWRITTEN);
                            });
                });
    }
}
