package dev.envelope.idempotency.store.place.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SlotNumberTest {

    @Test
    void aNumberSaysWhichSlotItIsOfAndWhatItIsThere() {
        for (long ofSlot : new long[] {0, 1, 77, 1L << 50}) {
            for (int slot : new int[] {0, 1, 63, 255}) {
                long number = SlotNumber.of(ofSlot, slot);
                assertThat(SlotNumber.slot(number)).isEqualTo(slot);
                assertThat(SlotNumber.ofSlot(number)).isEqualTo(ofSlot);
            }
        }
    }

    @Test
    void numbersAreDistinctAndGrowAsThoseOfASlotDo() {
        List<Long> all = new ArrayList<>();
        for (long ofSlot = 0; ofSlot < 50; ofSlot++) {
            for (int slot = 0; slot < 256; slot++) {
                all.add(SlotNumber.of(ofSlot, slot));
            }
        }
        assertThat(all).doesNotHaveDuplicates().isSorted();
    }

    /** Whoever pages behind a number of all asks each slot for what is behind one of its own. */
    @Test
    void theLastNumberOfASlotUpToANumberOfAllIsFound() {
        for (long ofSlot = 0; ofSlot < 10; ofSlot++) {
            for (int of = 0; of < 4; of++) {
                long number = SlotNumber.of(ofSlot, of);
                for (int slot = 0; slot < 4; slot++) {
                    long last = SlotNumber.upTo(number, slot);
                    assertThat(SlotNumber.of(last, slot)).isLessThanOrEqualTo(number);
                    assertThat(SlotNumber.of(last + 1, slot)).isGreaterThan(number);
                }
            }
        }
    }
}
