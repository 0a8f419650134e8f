package dev.envelope.core.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.NextOffset;
import dev.envelope.core.testkit.Seeds;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

final class DoneAheadTest {

    private static DoneAhead of(long... bounds) {
        DoneAhead.Builder builder = new DoneAhead.Builder();
        for (int i = 0; i < bounds.length; i += 2) {
            builder.add(bounds[i], bounds[i + 1]);
        }
        return builder.build(3);
    }

    @Test
    void aRangeHasItsBeginningAndNotItsEnd() {
        DoneAhead done = of(5, 8, 9, 10);

        assertThat(done.contains(4)).isFalse();
        assertThat(done.contains(5)).isTrue();
        assertThat(done.contains(7)).isTrue();
        assertThat(done.contains(8)).isFalse();
        assertThat(done.contains(9)).isTrue();
        assertThat(done.contains(10)).isFalse();
        assertThat(done).hasToString("5-7,9");
        assertThat(DoneAhead.NONE.contains(0)).isFalse();
    }

    @Test
    void rangesThatTouchAreOne() {
        assertThat(of(5, 8, 8, 10, 9, 9)).isEqualTo(of(5, 10));
    }

    @Test
    void aTextSaysWhatItWasMadeFrom() {
        DoneAhead done = of(101, 105, 300, 301, 1_000_000, 2_000_000);

        DoneAhead.Text text = done.text(100, 4_000);

        assertThat(text.leftOut()).isZero();
        assertThat(DoneAhead.read(text.text(), 100)).contains(done);
    }

    @Test
    void ofAnotherCommitATextSaysNothing() {
        String text = of(101, 105).text(100, 4_000).text();

        assertThat(DoneAhead.read(text, 99)).isEmpty();
    }

    @Test
    void ofAnotherTopicACommitSaysNothing() {
        Uuid topic = Uuid.randomUuid();
        NextOffset next = new NextOffset(100, 3);
        String text = of(101, 105).text(100, 4_000).text();
        String metadata = Stamp.remembering(next, topic, text, 0).metadata();
        TopicAdmin.Commit commit = new TopicAdmin.Commit(next, metadata);

        assertThat(Stamp.doneAhead(commit, topic)).isEqualTo(of(101, 105));
        assertThat(Stamp.doneAhead(commit, Uuid.randomUuid()).isEmpty()).isTrue();
        assertThat(Stamp.isOurs(commit)).isTrue();
    }

    @Test
    void aDamagedTextSaysNothing() {
        String text = of(101, 105, 300, 301).text(100, 4_000).text();

        for (int cut = 0; cut < text.length(); cut++) {
            assertThat(DoneAhead.read(text.substring(0, cut), 100)).isEmpty();
            char other = text.charAt(cut) == 'A' ? 'B' : 'A';
            String altered = text.substring(0, cut) + other + text.substring(cut + 1);
            assertThat(
                            DoneAhead.read(altered, 100)
                                    .filter(it -> !it.equals(of(101, 105, 300, 301))))
                    .as("%s instead of %s", altered, text)
                    .isEmpty();
        }
        assertThat(DoneAhead.read("not base64!", 100)).isEmpty();
    }

    /** Every second of 20,000 is done, at random distances: too many for a commit. */
    @Test
    void whatDoesNotFitIsLeftOutFromTheEnd() {
        SplittableRandom random = new SplittableRandom(1);
        DoneAhead.Builder builder = new DoneAhead.Builder();
        long at = 101;
        for (int i = 0; i < 20_000; i++) {
            long from = at + 1 + random.nextInt(1_000);
            at = from + 1 + random.nextInt(1_000);
            builder.add(from, at);
        }
        DoneAhead done = builder.build(3);

        DoneAhead.Text text = done.text(100, 4_000);

        assertThat(text.text().length()).isBetween(3_500, 4_000);
        DoneAhead kept = DoneAhead.read(text.text(), 100).orElseThrow();
        assertThat(kept.ranges()).isEqualTo(20_000 - text.leftOut()).isGreaterThan(500);
        assertThat(done.toString()).startsWith(kept.toString());
    }

    @Test
    void whereNothingFitsNothingIsSaid() {
        assertThat(of(101, 105).text(100, 3)).isEqualTo(new DoneAhead.Text("", 1));
    }

    @Test
    void bothOfTwoIsWhatIsInEither() {
        Seeds.each(
                200,
                random -> {
                    Set<Long> naive = new HashSet<>();
                    DoneAhead one = random(random, naive);
                    DoneAhead other = random(random, naive);
                    long from = random.nextInt(60);
                    DoneAhead both = one.and(other, from);
                    for (long offset = 0; offset < 130; offset++) {
                        assertThat(both.contains(offset))
                                .as("%s and %s from %s at %s", one, other, from, offset)
                                .isEqualTo(offset >= from && naive.contains(offset));
                    }
                });
    }

    private static DoneAhead random(SplittableRandom random, Set<Long> into) {
        DoneAhead.Builder builder = new DoneAhead.Builder();
        long at = random.nextInt(10);
        for (int i = random.nextInt(8); i > 0; i--) {
            long from = at + random.nextInt(6);
            at = from + 1 + random.nextInt(6);
            builder.add(from, at);
            for (long offset = from; offset < at; offset++) {
                into.add(offset);
            }
        }
        return builder.build(3);
    }
}
