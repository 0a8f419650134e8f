package dev.envelope.app.ops.recent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.api.ApiBench;
import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class HotKeysTest {

    private static final long MINUTE = 60_000_000_000L;

    private final HotKeys keys = new HotKeys();

    private static Envelope envelope(String key, int size) {
        return Envelope.of(key, Collections.nCopies(size, ApiBench.message(1, key)));
    }

    private List<String> hottest(int most, long now) {
        return keys.hottest(most, now).stream().map(HotKeys.HotKey::key).toList();
    }

    @Test
    void theLargestEnvelopesOfATurnAreFoundAmongThousands() {
        List<Envelope> turn = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            turn.add(envelope("cold-" + i, 1));
        }
        turn.add(2_500, envelope("hot", 40));
        turn.add(20, envelope("warm", 20));
        keys.worked(turn, 0);

        assertThat(hottest(2, 0)).containsExactly("hot", "warm");
    }

    @Test
    void whatWasHotLongAgoFades() {
        keys.worked(List.of(envelope("once", 100)), 0);
        keys.worked(List.of(envelope("now", 30)), 3 * MINUTE);

        assertThat(hottest(2, 3 * MINUTE)).containsExactly("now", "once");
        assertThat(hottest(2, 30 * MINUTE)).isEmpty();
    }

    @Test
    void itHoldsAFewHundredKeysHoweverManyThereAre() {
        for (int turn = 0; turn < 2_000; turn++) {
            keys.worked(List.of(envelope("hot", 5), envelope("once-" + turn, 1)), turn);
        }
        assertThat(keys.hottest(10_000, 2_000).size()).isLessThanOrEqualTo(257);
        assertThat(hottest(1, 2_000)).containsExactly("hot");
    }

    @Test
    void messagesWithoutARowAreNoKey() {
        keys.worked(List.of(envelope(Message.NO_ROW + "t-0", 9)), 0);

        assertThat(hottest(9, 0)).isEmpty();
    }
}
