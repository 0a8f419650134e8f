package dev.envelope.core.turn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DispositionsTest {

    @Test
    void whatWasAddedIsReadInItsOrderHoweverItIsMixed() {
        SplittableRandom random = new SplittableRandom(1);
        Disposition[] all = Disposition.values();
        for (int run = 0; run < 500; run++) {
            List<Disposition> added = new ArrayList<>();
            Dispositions.Tally tally = new Dispositions.Tally();
            for (int left = random.nextInt(40); left > 0; left--) {
                boolean isLikeTheLast = !added.isEmpty() && random.nextInt(3) > 0;
                Disposition next =
                        isLikeTheLast
                                ? added.get(added.size() - 1)
                                : all[random.nextInt(all.length)];
                added.add(next);
                tally.add(next);
            }
            Dispositions dispositions = tally.done();
            assertThat(dispositions.size()).isEqualTo(added.size());
            for (int i = 0; i < added.size(); i++) {
                assertThat(dispositions.of(i)).isEqualTo(added.get(i));
            }
            for (Disposition one : all) {
                assertThat(dispositions.count(one)).isEqualTo(Collections.frequency(added, one));
            }
        }
    }

    @Test
    void ofAMessageThatIsNotDoneThereIsNothing() {
        assertThatThrownBy(() -> Dispositions.applied(2).of(2))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
