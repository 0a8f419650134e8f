package dev.envelope.app.start;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StartGateTest {

    private final List<String> log = new ArrayList<>();
    private final AtomicLong clock = new AtomicLong();
    private final CountDownLatch stop = new CountDownLatch(1);

    private long lookNanos = 1_000_000_000;

    /** A server that answers what the test says; its last answer stays. Each look takes a while. */
    private ServerCheck server(String name, Verdict... verdicts) {
        Deque<Verdict> left = new ArrayDeque<>(Arrays.asList(verdicts));
        return new ServerCheck() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Verdict look() {
                clock.addAndGet(lookNanos);
                return left.size() > 1 ? left.remove() : left.element();
            }
        };
    }

    private static Verdict ready() {
        return new Verdict.Ready();
    }

    private static Verdict waiting(String why) {
        return new Verdict.Waiting(why);
    }

    private boolean await(int seconds, ServerCheck... checks) throws InterruptedException {
        return new StartGate(log::add, clock::get, List.of(List.of(checks)))
                .await(Duration.ofSeconds(seconds), stop);
    }

    @Test
    void aServerThatServesIsNotTalkedAbout() throws Exception {
        assertThat(await(5, server("the broker", ready()))).isTrue();
        assertThat(log).isEmpty();
    }

    @Test
    void whatIsBegunBeforeIsNotAskedAgain() throws Exception {
        AtomicInteger looks = new AtomicInteger();
        CountDownLatch looked = new CountDownLatch(1);
        ServerCheck broker =
                new ServerCheck() {
                    @Override
                    public String name() {
                        return "the broker";
                    }

                    @Override
                    public Verdict look() {
                        looks.incrementAndGet();
                        looked.countDown();
                        return ready();
                    }
                };
        StartGate gate = new StartGate(log::add, clock::get, List.of(List.of(broker))).begin();
        assertThat(looked.await(10, TimeUnit.SECONDS)).isTrue();

        assertThat(gate.await(Duration.ofSeconds(5), stop)).isTrue();

        assertThat(looks).hasValue(1);
    }

    @Test
    void theNextStageIsLookedAtWhenTheOneBeforeServes() throws Exception {
        StartGate gate =
                new StartGate(
                        log::add,
                        clock::get,
                        List.of(
                                List.of(server("the broker", waiting("a"), ready())),
                                List.of(server("the database", waiting("b"), ready()))));

        assertThat(gate.await(Duration.ofSeconds(60), stop)).isTrue();

        assertThat(log)
                .containsExactly(
                        "waiting for the broker: a",
                        "the broker is there",
                        "waiting for the database: b",
                        "the database is there");
    }

    @Test
    void oneLineIsSaidForEachChangeAndNoneForASecondLook() throws Exception {
        ServerCheck slow = server("the broker", waiting("a"), waiting("a"), waiting("b"), ready());

        assertThat(await(60, slow)).isTrue();

        assertThat(log)
                .containsExactly(
                        "waiting for the broker: a",
                        "waiting for the broker: b",
                        "the broker is there");
    }

    @Test
    void aFirstLookThatComesTooEarlyIsNotWorthALine() throws Exception {
        lookNanos = 71_000_000;
        assertThat(await(60, server("the broker", waiting("a"), ready()))).isTrue();

        assertThat(log).isEmpty();
    }

    @Test
    void whatBothServersRefuseIsSaidAtOnce() {
        ServerCheck broker = server("the broker", new Verdict.Refused(List.of("one", "two")));
        ServerCheck database = server("the database", new Verdict.Refused(List.of("three")));

        assertThatThrownBy(() -> await(5, broker, database))
                .isInstanceOfSatisfying(
                        RefusedStartException.class,
                        e -> assertThat(e.sentences()).containsExactly("one", "two", "three"));
    }

    @Test
    void aRefusalDoesNotWaitForTheOtherServer() {
        ServerCheck broker = server("the broker", waiting("down"));
        ServerCheck database = server("the database", new Verdict.Refused(List.of("no")));

        assertThatThrownBy(() -> await(60, broker, database))
                .isInstanceOf(RefusedStartException.class);
    }

    @Test
    void whenTimeIsUpItSaysWhatWasMissing() {
        assertThatThrownBy(() -> await(2, server("the broker", waiting("nobody answers"))))
                .isInstanceOf(UnreachableException.class)
                .hasMessage(
                        "gave up after 2 s (start.timeout) without the broker (nobody answers)");
    }

    @Test
    void aStopEndsTheWait() throws Exception {
        stop.countDown();
        assertThat(await(60, server("the broker", waiting("down")))).isFalse();
    }
}
