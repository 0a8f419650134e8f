package dev.envelope.app.ops.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.bulk.BulkRequests.Plan;
import dev.envelope.app.ops.bulk.BulkRequests.Progress;
import dev.envelope.idempotency.store.ParkedStore.Action;
import dev.envelope.idempotency.store.postgres.ParkedCatalog.ParkedKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is asked for when the same is done with many keys. */
class BulkRequestsTest {

    /** A key has so many messages that fail, one after the other. */
    private static final class Desk implements BulkRequests.Requests {

        private final Map<String, Integer> failing = new HashMap<>();
        private final List<String> asked = new ArrayList<>();
        private final Map<Long, String> answers = new HashMap<>();

        @Override
        public Optional<Long> ask(String key, Action action) {
            asked.add(action + " " + key);
            int left = failing.getOrDefault(key, 0) - (action == Action.SKIP ? 1 : 0);
            failing.put(key, left);
            long number = asked.size();
            answers.put(number, left > 0 ? "redrove 1; then o-0@7 failed again: bad" : "redrove 1");
            return Optional.of(number);
        }

        @Override
        public Map<Long, String> answersTo(Collection<Long> numbers) {
            Map<Long, String> those = new HashMap<>(answers);
            those.keySet().retainAll(numbers);
            return those;
        }
    }

    private final Desk desk = new Desk();
    private final List<String> notDone = new ArrayList<>();

    private Progress carryOut(String plan) throws InterruptedException {
        List<ParkedKey> keys = List.of(parked("good"), parked("bad"));
        desk.failing.put("bad", 2);
        return new BulkRequests(desk, Plan.named(plan).orElseThrow(), keys, 1_000, notDone::add)
                .carryOut();
    }

    private static ParkedKey parked(String key) {
        return new ParkedKey(key, 3, 6, "o-0@6", "failed", 1, "bad", Instant.EPOCH);
    }

    @Test
    void skipFailingSkipsWhatFailsAgainUntilTheKeyIsFree() throws InterruptedException {
        assertThat(carryOut("skip-failing")).isEqualTo(new Progress(2, 2, 0, 0));

        assertThat(desk.asked)
                .containsExactly("REDRIVE good", "REDRIVE bad", "SKIP bad", "SKIP bad");
        assertThat(notDone).isEmpty();
    }

    @Test
    void aRedriveEndsAtWhatFailsAgain() throws InterruptedException {
        assertThat(carryOut("redrive")).isEqualTo(new Progress(2, 1, 1, 0));

        assertThat(desk.asked).containsExactly("REDRIVE good", "REDRIVE bad");
        assertThat(notDone).containsExactly("\"bad\": redrove 1; then o-0@7 failed again: bad");
    }
}
