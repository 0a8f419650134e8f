package dev.envelope.core.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a pool promises to who sends it messages. */
@Timeout(30)
class IndependentPoolTest extends PoolBench {

    @Test
    void workersTakeTurnsAndEachAnswerComesBackToItsSender() throws Exception {
        var pool = pool(3, 10);
        goOn.release(6);
        List<CompletableFuture<String>> replies = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            replies.add(pool.ask("m" + i));
        }

        for (int i = 0; i < 6; i++) {
            assertThat(answer(replies.get(i))).isEqualTo("m" + i + " by " + (i % 3 + 1));
        }
    }

    @Test
    void theNextIsTriedWhereAMailboxIsFullAndWhenAllAreFullTheSenderIsTold() throws Exception {
        var pool = pool(2, 1);
        pool.ask("a");
        begins("a");
        pool.ask("b");
        begins("b");
        pool.ask("c"); // into the mailbox of the first
        pool.ask("d"); // into that of the second

        assertThatThrownBy(() -> pool.ask("e"))
                .isInstanceOf(PoolFullException.class)
                .hasMessageContaining("full");
        goOn.release(1); // whichever of the two is done, takes what waits for it
        assertThat(begun.poll(20, TimeUnit.SECONDS)).isIn("c", "d");
        pool.ask("f");
        assertThatThrownBy(() -> pool.ask("g")).isInstanceOf(PoolFullException.class);
    }

    @Test
    void aDeadWorkerIsReplacedWithTheSameArgumentAndWhatWaitedForItIsHandledInOrder()
            throws Exception {
        var pool = kept(IndependentPool.start(shape(1, 10), Gated::new, "the argument"));
        var deadly = pool.ask("deadly");
        begins("deadly");
        var a = pool.ask("a");
        var b = pool.ask("b");
        goOn.release(100);

        assertThat(answer(a)).startsWith("a by ");
        assertThat(answer(b)).startsWith("b by ");
        assertThatThrownBy(() -> answer(deadly)).hasRootCauseMessage("deadly");
        assertThat(done).containsExactly("a", "b");
        assertThat(arguments).containsOnly("the argument").hasSize(4);
        assertThat(closed).hasValue(3);
    }

    @Test
    void aDeadlyMessageIsTriedElsewhereAndKillsNoMoreThanItMay() throws Exception {
        List<String> threads = new CopyOnWriteArrayList<>();
        var pool =
                kept(
                        IndependentPool.<Integer, String, String>start(
                                shape(4, 10),
                                number ->
                                        message -> {
                                            if (message.equals("deadly")) {
                                                threads.add(Thread.currentThread().getName());
                                                throw new IllegalStateException("it is deadly");
                                            }
                                            return message;
                                        },
                                7));
        var deadly = pool.ask("deadly");

        assertThatThrownBy(() -> answer(deadly))
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("it is deadly");
        assertThat(threads).hasSize(3);
        assertThat(threads.get(1)).isNotEqualTo(threads.get(0));
        assertThat(threads.get(2)).isNotEqualTo(threads.get(1));
        for (int i = 0; i < 20; i++) {
            assertThat(answer(pool.ask("m" + i))).isEqualTo("m" + i);
        }
        assertThat(pool.inspect())
                .containsEntry("worker_restarts", 3L)
                .containsEntry("messages_unhandled", 1L);
    }

    @Test
    void aMessageWhoseWorkerHasDiedOnceIsHandledByAnother() throws Exception {
        AtomicInteger deaths = new AtomicInteger();
        var pool =
                kept(
                        IndependentPool.<Integer, String, String>start(
                                shape(2, 1),
                                number ->
                                        message -> {
                                            if (deaths.getAndIncrement() == 0) {
                                                throw new AssertionError("once");
                                            }
                                            return message + " is done";
                                        },
                                7));

        assertThat(answer(pool.ask("a"))).isEqualTo("a is done");
    }

    @Test
    void aMessageThatHasLostItsWorkerWhileAllAreFullComesBeforeLaterOnes() throws Exception {
        var pool = pool(2, 1);
        var deadly = pool.ask("deadly");
        begins("deadly");
        pool.ask("a");
        begins("a");
        pool.ask("b");
        pool.ask("c");
        goOn.release(1); // one of the two; then it, or the other one, goes on
        goOn.release(1);
        goOn.release(100);

        assertThatThrownBy(() -> answer(deadly)).hasRootCauseMessage("deadly");
        pool.close();
        assertThat(done).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(pool.inspect()).containsEntry("messages_forwarded", 4L);
    }

    @Test
    void aMessageIsNotTriedWhereItHasJustKilledThoughOnlyThereIsRoom() throws Exception {
        List<String> by = new CopyOnWriteArrayList<>();
        var pool =
                kept(
                        IndependentPool.<Integer, String, String>start(
                                shape(2, 1),
                                number ->
                                        message -> {
                                            String name = Thread.currentThread().getName();
                                            if (message.equals("long")) {
                                                begun.add(message);
                                                goOn.acquire();
                                            } else if (message.equals("deadly")) {
                                                by.add(name);
                                                throw new IllegalStateException("dead");
                                            }
                                            return name;
                                        },
                                7));
        var busy = pool.ask("long"); // with the first worker
        begins("long");
        answer(pool.ask("quick")); // with the second one
        pool.ask("waits"); // for the first
        var deadly = pool.ask("deadly");
        while (by.isEmpty()) {
            Thread.onSpinWait(); // then there is room again
        }
        String second = answer(pool.ask("quick"));

        assertThat(by).as("while the first one is busy").containsExactly(second);
        goOn.release(1);
        assertThatThrownBy(() -> answer(deadly)).hasRootCauseMessage("dead");
        assertThat(by).containsExactly(second, answer(busy), second);
    }

    @Test
    void whatWaitsForARemovedWorkerGoesToOthersInOrderAndItFinishesWhatItIsAt() throws Exception {
        var pool = pool(2, 10);
        var a = pool.ask("a");
        begins("a");
        pool.ask("b");
        begins("b");
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(pool.ask("m" + i)); // even ones wait for the first worker
        }

        assertThat(pool.remove(1)).isEqualTo(1);
        goOn.release(100);
        assertThat(answer(a)).isEqualTo("a by 1");
        List<String> rest = new ArrayList<>();
        for (var each : waiting) {
            rest.add(answer(each));
        }
        assertThat(rest).allMatch(it -> it.endsWith(" by 2"));
        assertThat(done.stream().filter(it -> "m0 m2 m4".contains(it)))
                .containsExactly("m0", "m2", "m4");
        assertThat(pool.remove(5)).as("the last one stays").isEqualTo(1);
    }

    @Test
    void whatARemovedWorkerLeavesIsNotLostWhereTheOthersAreFull() throws Exception {
        var pool = pool(2, 2);
        pool.ask("a");
        pool.ask("b");
        begins("a", "b");
        List<CompletableFuture<String>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(pool.ask("m" + i));
        }
        pool.remove(1);

        assertThatThrownBy(() -> pool.ask("later")).isInstanceOf(PoolFullException.class);
        goOn.release(100);
        for (var each : waiting) {
            assertThat(answer(each)).endsWith(" by 2");
        }
        assertThat(pool.remove(0)).isEqualTo(1);
    }

    @Test
    void aWorkerThatIsAddedTakesWhatHadNoPlace() throws Exception {
        var pool = pool(2, 1);
        pool.ask("a");
        pool.ask("b");
        begins("a", "b");
        pool.ask("c");
        pool.ask("d");
        pool.remove(1);

        assertThat(pool.add(2)).isEqualTo(3);
        String next = begun.poll(20, TimeUnit.SECONDS);

        assertThat(next).isIn("c", "d");
        pool.ask("e");
    }

    @Test
    void urgentMessagesAreHandledByThePoolItselfPastAllThatWait() throws Exception {
        IndependentPool<String, String> pool =
                kept(
                        IndependentPool.start(
                                shape(1, 1),
                                Gated::new,
                                "x",
                                (message, it) -> message + ": " + it.add(2)));
        pool.ask("a");
        begins("a");
        pool.ask("b");

        assertThat(pool.askUrgently("more")).isEqualTo("more: 3");
        pool.ask("c");
        begins("c");
        assertThatThrownBy(() -> pool(1, 1).askUrgently("x"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void itIsInspectedUnderTheUsualNames() throws Exception {
        var pool = pool(2, 3);
        goOn.release(1);
        answer(pool.ask("a"));
        pool.close();
        assertThatThrownBy(() -> pool.ask("b")).hasMessage("the pool is closed");

        assertThat(pool.inspect())
                .isEqualTo(
                        Map.of(
                                "pool_size",
                                0,
                                "worker_behavior",
                                "gated",
                                "worker_mailbox_size",
                                3,
                                "worker_restarts",
                                0L,
                                "messages_forwarded",
                                1L,
                                "messages_unhandled",
                                1L));
        assertThatThrownBy(() -> pool.add(1)).isInstanceOf(PoolFullException.class);
    }

    @Test
    void closingHandlesWhatWasTaken() throws Exception {
        var pool = pool(2, 10);
        for (int i = 0; i < 12; i++) {
            pool.ask("m" + i);
        }
        goOn.release(100);
        pool.close();

        assertThat(done).hasSize(12);
        assertThat(closed).hasValue(2);
    }

    @Test
    void whenTheTimeToCloseIsUpWorkersAreInterruptedAndWhatWaitsIsCancelled() throws Exception {
        var pool = pool(1, 10);
        var underWay = pool.ask("a");
        begins("a");
        var waiting = pool.ask("b");

        assertThat(pool.close(Duration.ofMillis(20))).isFalse();
        assertThat(waiting).isCancelled();
        assertThatThrownBy(() -> answer(underWay)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(done).isEmpty();
    }

    @Test
    void whatItsSenderHasCancelledIsNotHandled() throws Exception {
        var pool = pool(1, 10);
        pool.ask("a");
        begins("a");
        pool.ask("b").cancel(false);
        var c = pool.ask("c");
        goOn.release(100);
        answer(c);

        assertThat(done).containsExactly("a", "c");
    }

    @Test
    void aFactoryThatFailsLaterCostsTheMessageAnAttemptAndNotItsPlace() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        var pool =
                kept(
                        IndependentPool.<String, String, String>start(
                                shape(1, 5),
                                argument -> {
                                    if (calls.getAndIncrement() == 1) {
                                        throw new IllegalStateException("not now");
                                    }
                                    return message -> {
                                        if (message.equals("deadly")) {
                                            throw new IllegalStateException();
                                        }
                                        return message;
                                    };
                                },
                                "x"));
        pool.ask("deadly");

        assertThat(answer(pool.ask("a"))).isEqualTo("a");
        assertThatThrownBy(
                        () ->
                                IndependentPool.<String, String, String>start(
                                        shape(1, 1),
                                        argument -> {
                                            throw new IllegalStateException("never");
                                        },
                                        "x"))
                .hasMessage("never");
    }
}
