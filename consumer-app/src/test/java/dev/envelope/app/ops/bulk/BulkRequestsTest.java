package dev.envelope.app.ops.bulk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.ops.bulk.BulkRequests.Progress;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is asked for when the same is done with many keys. */
class BulkRequestsTest {

    /** A message of some keys fails whenever it is redriven. */
    private static final class Desk implements BulkRequests.Requests {

        private final Set<String> failing = Set.of("bad");
        private final List<String> asked = new ArrayList<>();
        private final Map<Long, String> answers = new HashMap<>();

        @Override
        public Optional<Long> ask(String key, Action action) {
            asked.add(action + " " + key);
            boolean fails = action == Action.REDRIVE && failing.contains(key);
            long number = asked.size();
            answers.put(number, fails ? "redrove 1; then o-0@7 failed again: bad" : "redrove 1");
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

    private Progress carryOut(String action) throws InterruptedException {
        List<ParkedKey> keys = List.of(parked("good"), parked("bad"));
        return new BulkRequests(
                        desk, BulkRequests.action(action).orElseThrow(), keys, 1_000, notDone::add)
                .carryOut();
    }

    private static ParkedKey parked(String key) {
        return new ParkedKey(key, 3, 6, "o-0@6", "failed", 1, "bad", Instant.EPOCH);
    }

    @Test
    void eachKeyIsAskedForOnce() throws InterruptedException {
        assertThat(carryOut("skip-failing")).isEqualTo(new Progress(2, 2, 0, 0));

        assertThat(desk.asked).containsExactly("SKIP_FAILING good", "SKIP_FAILING bad");
        assertThat(notDone).isEmpty();
    }

    @Test
    void aRedriveEndsAtWhatFailsAgain() throws InterruptedException {
        assertThat(carryOut("redrive")).isEqualTo(new Progress(2, 1, 1, 0));

        assertThat(desk.asked).containsExactly("REDRIVE good", "REDRIVE bad");
        assertThat(notDone).containsExactly("\"bad\": redrove 1; then o-0@7 failed again: bad");
    }
}
