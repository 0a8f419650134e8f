package dev.envelope.core.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pools that are workers of a pool. */
@Timeout(30)
class NestedPoolTest extends PoolBench {

    @Test
    void aPoolOfPoolsHasAllTheirRoomAndNoThreadsOfItsOwn() throws Exception {
        var outer =
                kept(
                        IndependentPool.<String, String, String>start(
                                shape(2, 100),
                                argument ->
                                        IndependentPool.start(shape(2, 1), Gated::new, argument),
                                "of the inner ones"));
        List<CompletableFuture<String>> replies = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            replies.add(outer.ask("m" + i));
        }
        begins("m0", "m1", "m2", "m3");
        for (int i = 4; i < 8; i++) {
            replies.add(outer.ask("m" + i));
        }

        assertThatThrownBy(() -> outer.ask("m8")).isInstanceOf(PoolFullException.class);
        goOn.release(100);
        for (int i = 0; i < 8; i++) {
            assertThat(answer(replies.get(i))).startsWith("m" + i + " by ");
        }
        assertThat(arguments).containsOnly("of the inner ones");
        assertThat(outer.inspect()).containsEntry("pool_size", 2);
    }

    @Test
    void whatARemovedInnerPoolLeavesGoesToTheOthersWhenTheyHaveRoom() throws Exception {
        var outer =
                kept(
                        IndependentPool.<String, String, String>start(
                                shape(2, 1),
                                argument ->
                                        IndependentPool.start(shape(1, 1), Gated::new, argument),
                                "x"));
        List<CompletableFuture<String>> replies = new ArrayList<>();
        replies.add(outer.ask("a"));
        replies.add(outer.ask("b"));
        begins("a", "b");
        replies.add(outer.ask("c"));
        replies.add(outer.ask("d"));

        assertThat(outer.remove(1)).isEqualTo(1);
        goOn.release(100);
        for (var each : replies) {
            answer(each);
        }
        assertThat(done).containsExactlyInAnyOrder("a", "b", "c", "d");
        assertThat(outer.close(Duration.ofSeconds(20))).isTrue();
    }

    @Test
    void theTimeToCloseIsOneForAllInnerPools() throws Exception {
        int pools = 30;
        var outer =
                kept(
                        IndependentPool.<String, String, String>start(
                                shape(pools, 1),
                                argument ->
                                        IndependentPool.start(shape(1, 1), Gated::new, argument),
                                "x"));
        String[] all = new String[pools];
        for (int i = 0; i < pools; i++) {
            all[i] = "m" + i;
            outer.ask(all[i]);
        }
        begins(all);

        long before = System.nanoTime();
        assertThat(outer.close(Duration.ofMillis(300))).isFalse();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void anInnerPoolThatIsClosedIsReplaced() throws Exception {
        List<IndependentPool<String, String>> inner = new CopyOnWriteArrayList<>();
        var outer =
                kept(
                        IndependentPool.<String, String, String>start(
                                shape(1, 1),
                                argument -> {
                                    inner.add(
                                            IndependentPool.start(
                                                    shape(1, 1), Gated::new, argument));
                                    return inner.get(inner.size() - 1);
                                },
                                "x"));
        inner.get(0).close();
        goOn.release(1);

        assertThat(answer(outer.ask("a"))).isEqualTo("a by 2");
        assertThat(outer.inspect()).containsEntry("worker_restarts", 1L);
    }
}
