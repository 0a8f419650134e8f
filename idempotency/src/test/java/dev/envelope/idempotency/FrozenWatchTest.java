package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.limit.FrozenWatch;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import dev.envelope.idempotency.store.parked.FrozenStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** A store that writes down what it is asked, and can be away. */
class FrozenWatchTest implements FrozenStore {

    private static final TopicPartition ONE = new TopicPartition("t", 1);
    private static final TopicPartition TWO = new TopicPartition("t", 2);

    private final List<String> asked = new ArrayList<>();
    private boolean isAway;
    private boolean cannotCount;
    private Set<TopicPartition> owned = Set.of(ONE);
    private long now;
    private final FrozenWatch watch = new FrozenWatch(this, () -> owned, () -> now);

    @Override
    public List<FrozenKeys> of(Collection<TopicPartition> partitions) {
        if (isAway) {
            throw new UnavailableException("away", new IllegalStateException());
        }
        asked.add("look at " + partitions.size());
        FrozenKeys.First first =
                new FrozenKeys.First("a", 7, "failed", "why", Duration.ofMinutes(1));
        return partitions.stream().map(it -> new FrozenKeys(it, 2, 30, first)).toList();
    }

    @Override
    public void countAnew(Collection<TopicPartition> partitions) {
        if (cannotCount || isAway) {
            throw new UnavailableException("too much", new IllegalStateException());
        }
        asked.add("count " + partitions);
    }

    private void turnAfter(Duration time) {
        now += time.toNanos();
        assertThat(watch.turn()).isFalse();
    }

    @Test
    void whatIsTakenOverIsCountedAndLookedAtAtOnceAndThenEveryFifteenSeconds() {
        turnAfter(Duration.ofSeconds(1));
        turnAfter(Duration.ofSeconds(14));
        assertThat(asked).containsExactly("look at 1", "count [t-1]", "look at 1");

        asked.clear();
        turnAfter(Duration.ofSeconds(1));
        assertThat(asked).containsExactly("look at 1");

        asked.clear();
        owned = Set.of(ONE, TWO);
        turnAfter(Duration.ofSeconds(1));
        assertThat(asked).containsExactly("look at 2", "count [t-2]", "look at 2");

        asked.clear();
        turnAfter(Duration.ofHours(7));
        assertThat(asked)
                .containsExactlyInAnyOrder("look at 2", "count [t-1]", "count [t-2]", "look at 2");
    }

    @Test
    void whatCanNotBeCountedIsTriedAgainAfterTenMinutesAndLookedAtAllTheSame() {
        cannotCount = true;
        turnAfter(Duration.ofSeconds(1));
        turnAfter(Duration.ofSeconds(15));
        assertThat(asked).containsExactly("look at 1", "look at 1");
        assertThat(watch.seen()).hasSize(1);

        cannotCount = false;
        turnAfter(Duration.ofMinutes(10));
        assertThat(asked).endsWith("look at 1", "count [t-1]", "look at 1");
    }

    @Test
    void whatWasSeenLastStandsWhileTheDatabaseIsAwayAndWhatIsGivenAwayIsOthersToTell() {
        turnAfter(Duration.ofSeconds(1));
        assertThat(watch.seen()).extracting(FrozenKeys::partition).containsExactly(ONE);

        isAway = true;
        turnAfter(Duration.ofMinutes(1));
        assertThat(watch.seen()).extracting(FrozenKeys::messages).containsExactly(30L);

        owned = Set.of();
        turnAfter(Duration.ofSeconds(1));
        assertThat(watch.seen()).isEmpty();
    }
}
