package dev.envelope.idempotency.store.postgres.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.key.Division;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.StoreFixture;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Rows of several slots of which a turn can't hold all. */
class LargeSlotsTest {

    private static final int BYTES = 1 << 20;
    private static final int ROWS_OF_FIRST_SLOT = 40;

    private final Division division = new Division(List.of(0, 0));

    @Test
    void theRowOfTheFirstKeyIsLoadedWhateverItsSlot() {
        try (StoreFixture fixture = new PlacesFixture(division)) {
            Incarnation now = fixture.checkpoints().incarnation();
            List<String> keys = new ArrayList<>(keysOf(0, ROWS_OF_FIRST_SLOT));
            String last = keysOf(1, 1).get(0);
            keys.add(last);
            byte[] state = ("\"" + "x".repeat(BYTES) + "\"").getBytes(StandardCharsets.UTF_8);
            for (String key : keys) {
                Change change = new Change(key, 0, state, Marks.NONE, null, 0, List.of());
                assertThat(fixture.states().save(List.of(change), Patience.WAIT, now))
                        .containsOnly(true);
            }

            Map<String, Snapshot> inOrder = fixture.states().load(keys, now);
            Collections.reverse(keys);
            Map<String, Snapshot> reversed = fixture.states().load(keys, now);

            assertThat(inOrder).hasEntrySatisfying(last, it -> assertThat(it.isLeftOut()).isTrue());
            assertThat(reversed)
                    .hasEntrySatisfying(last, it -> assertThat(it.isLeftOut()).isFalse());
        }
    }

    private List<String> keysOf(int slot, int count) {
        return IntStream.range(0, 1_000)
                .mapToObj(it -> "key " + it)
                .filter(it -> division.slotOf(it) == slot)
                .limit(count)
                .toList();
    }
}
