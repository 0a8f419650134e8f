package dev.envelope.idempotency.store.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReachableTest {

    private long now;
    private boolean isAway;
    private int asked;
    private final Reachable reachable = new Reachable(List.of("a", "b"), () -> now);

    private String answer() {
        asked++;
        if (isAway) {
            throw new UnavailableException("connection refused");
        }
        return "here";
    }

    private void askB() {
        assertThatThrownBy(() -> reachable.ask(1, this::answer))
                .isInstanceOf(UnavailableException.class)
                .hasMessage("place b is away: connection refused");
    }

    private void pass(Duration time) {
        now += time.toNanos();
    }

    @Test
    void whoHasNotAnsweredIsNotAskedAgainAtOnce() {
        isAway = true;
        askB();
        pass(Duration.ofMillis(199));
        askB();
        assertThat(asked).isEqualTo(1);

        pass(Duration.ofMillis(1));
        askB();
        assertThat(asked).isEqualTo(2);
    }

    @Test
    void oneAsksAPlaceThatWasAwayAndOthersDoNotWaitForItsAnswer() {
        isAway = true;
        askB();
        pass(Duration.ofSeconds(1));

        reachable.ask(
                1,
                () -> {
                    pass(Duration.ofSeconds(10)); // it is silent
                    askB();
                    return "here";
                });

        assertThat(asked).isEqualTo(1);
        isAway = false;
        assertThat(reachable.ask(1, this::answer)).isEqualTo("here");
    }

    @Test
    void theWaitsGrowToFiveSeconds() {
        isAway = true;
        List<Long> waits = new ArrayList<>();
        long last = 0;
        for (int tries = 0; tries < 100; tries++) {
            int before = asked;
            while (asked == before) {
                askB();
                pass(Duration.ofMillis(100));
            }
            waits.add(Duration.ofNanos(now - last).toMillis());
            last = now;
        }
        assertThat(waits.subList(1, 9))
                .containsExactly(200L, 400L, 800L, 1_600L, 3_200L, 5_000L, 5_000L, 5_000L);
        assertThat(waits.subList(9, 100)).containsOnly(5_000L);
    }

    @Test
    void aPlaceThatIsAwayKeepsNobodyFromAskingAnother() {
        isAway = true;
        askB();
        isAway = false;

        assertThat(reachable.ask(0, this::answer)).isEqualTo("here");
        assertThat(reachable.silence(0)).isEmpty();
        assertThat(reachable.silence(1)).isPresent();
    }

    @Test
    void whoAnswersAgainBeginsAnew() {
        isAway = true;
        askB();
        pass(Duration.ofSeconds(3));
        askB();
        assertThat(reachable.silence(1))
                .contains(new PlaceStatus.Silence(Duration.ofSeconds(3), "connection refused"));

        isAway = false;
        pass(Duration.ofSeconds(3));
        assertThat(reachable.ask(1, this::answer)).isEqualTo("here");
        assertThat(reachable.silence(1)).isEmpty();

        isAway = true;
        askB();
        pass(Duration.ofMillis(200)); // not longer than after the first time
        int before = asked;
        askB();
        assertThat(asked).isEqualTo(before + 1);
    }

    @Test
    void whoIsInAnotherLifeHasAnswered() {
        isAway = true;
        askB();
        pass(Duration.ofSeconds(1));

        assertThatThrownBy(
                        () ->
                                reachable.ask(
                                        1,
                                        () -> {
                                            throw new OtherIncarnationException(
                                                    new Incarnation("1"), new Incarnation("2"));
                                        }))
                .isInstanceOf(OtherIncarnationException.class);

        assertThat(reachable.silence(1)).isEmpty();
    }
}
