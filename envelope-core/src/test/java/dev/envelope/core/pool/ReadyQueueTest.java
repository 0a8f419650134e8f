package dev.envelope.core.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.mailbox.Shard;
import dev.envelope.core.testkit.ManualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadyQueueTest {

    private static final int AWAY = 0;
    private static final int FIRST = 1;
    private static final int SECOND = 2;

    private final ManualEnvironment environment = new ManualEnvironment();
    private final ReadyQueue queue = new ReadyQueue(environment.environment().ticker());
    private final List<Shard> made = new ArrayList<>();

    private Shard ready(int place) {
        Shard shard =
                new Shard(made.size(), place, queue, environment.environment(), new KeyGate());
        made.add(shard);
        queue.ready(shard);
        environment.advance(Duration.ofMillis(1));
        return shard;
    }

    private List<Shard> take(int workers) {
        return queue.takeShare(workers).shards();
    }

    @Test
    void aWorkerTakesShardsOfOnePlaceAndTheOldestFirst() {
        Shard a = ready(FIRST);
        Shard b = ready(SECOND);
        Shard c = ready(FIRST);
        Shard d = ready(SECOND);

        assertThat(take(1)).containsExactly(a, c);
        Shard e = ready(FIRST); // where its worker is still
        assertThat(take(1)).containsExactly(b, d);
        assertThat(take(1)).isEmpty();

        queue.ended(FIRST);
        assertThat(take(1)).containsExactly(e);
        assertThat(queue.size()).isZero();
    }

    @Test
    void howLongTheFirstHasWaitedIsThatOfItsPlace() {
        ready(FIRST);
        ready(SECOND);
        ready(FIRST);

        assertThat(queue.takeShare(8).waitedNanos()).isEqualTo(Duration.ofMillis(3).toNanos());
        assertThat(queue.takeShare(8).waitedNanos()).isEqualTo(Duration.ofMillis(2).toNanos());
    }

    @Test
    void workersThatWaitForAPlaceLeaveOneForTheOthers() {
        int workers = 4;
        ready(FIRST);
        take(workers);
        queue.ended(FIRST);
        for (int i = 0; i < 20; i++) {
            ready(AWAY);
        }
        int waiting = 0;
        while (!take(workers).isEmpty()) { // none of them comes back
            waiting++;
        }
        assertThat(waiting).isEqualTo(workers - 1);

        Shard elsewhere = ready(FIRST);
        assertThat(take(workers)).containsExactly(elsewhere);
    }

    @Test
    void oneWorkerIsLeftEvenIfAllPlacesButOneDoNotAnswer() {
        int workers = 5;
        for (int i = 0; i < 20; i++) {
            ready(AWAY);
            ready(SECOND);
        }
        Shard first = ready(FIRST);
        int waiting = 0;
        List<Shard> taken = new ArrayList<>();
        for (List<Shard> share = take(workers); !share.isEmpty(); share = take(workers)) {
            taken.addAll(share);
            waiting += share.contains(first) ? 0 : 1;
        }
        assertThat(waiting).isEqualTo(workers - 1);
        assertThat(taken).contains(first);
    }

    @Test
    void noWorkerIsIdleWhereAllPlacesHaveSomethingToDo() {
        int workers = 8;
        for (int place = 0; place < 5; place++) {
            for (int i = 0; i < 20; i++) {
                ready(place);
            }
        }
        for (int busy = 0; busy < workers; busy++) {
            assertThat(take(workers)).isNotEmpty();
        }
    }

    @Test
    void aWorkerIsLeftForAPlaceThatHasNothingToDoYet() {
        int workers = 8;
        ready(4); // there are five
        take(workers);
        queue.ended(4);
        for (int i = 0; i < 20; i++) {
            ready(AWAY);
            ready(FIRST);
            ready(SECOND);
            ready(3);
        }
        int waiting = 0;
        while (!take(workers).isEmpty()) {
            waiting++;
        }
        assertThat(waiting).isEqualTo(7);
        ready(4);
        assertThat(take(workers)).hasSize(1);
    }

    @Test
    void aWorkerWhoseTurnWasTakenFromItCountsNoMoreAtItsPlace() {
        ready(FIRST);
        take(2);
        queue.ended(FIRST);
        ready(AWAY);
        ready(AWAY);
        assertThat(take(2)).hasSize(2);
        Shard later = ready(AWAY);
        assertThat(take(2)).isEmpty();

        queue.ended(AWAY); // as the watchdog says it

        assertThat(take(2)).containsExactly(later);
    }

    @Test
    void whereThereIsOnePlaceAllWorkersMayBeThere() {
        for (int i = 0; i < 12; i++) {
            ready(0);
        }
        assertThat(take(4)).hasSize(3);
        assertThat(take(4)).hasSize(3);
        assertThat(take(4)).hasSize(2);
        assertThat(take(4)).hasSize(1);
        assertThat(take(4)).hasSize(1);
    }
}
