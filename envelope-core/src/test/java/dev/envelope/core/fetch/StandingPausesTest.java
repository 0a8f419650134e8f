package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.envelope.core.assignment.OperatorPauses;
import dev.envelope.core.assignment.StandingPauses;
import dev.envelope.core.background.Background;
import dev.envelope.core.mailbox.KeyGate;
import dev.envelope.core.offset.Pauses;
import dev.envelope.core.offset.Pauses.Kind;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What operators hold back by a row in the database. */
final class StandingPausesTest {

    private static final Duration A_SECOND = Duration.ofMillis(1_100);

    private final Loop loop = new Loop(Setup.DEFAULT);

    @Test
    void whoIsGivenAPartitionThatIsHeldBackDoesNotFetchIt() {
        loop.append(P0, "a", 2);
        loop.append(P1, "b", 2);
        loop.checkpoints.pause(Kind.PARTITION, "orders-0");
        loop.assignAndFind(P0, P1);
        loop.engine.run(Duration.ofSeconds(5));

        assertThat(loop.handler.saved(pad("a"))).isEmpty();
        assertThat(loop.handler.saved(pad("b"))).hasSize(2);
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("an operator has paused it");

        loop.checkpoints.resume("orders-0");
        loop.engine.run(A_SECOND);
        assertThat(loop.handler.saved(pad("a"))).hasSize(2);
        assertThat(loop.status(P0).pausedBecause()).isEmpty();
    }

    @Test
    void whoIsGivenThePartitionOfAKeyThatIsHeldBackLetsNothingOfItIntoATurn() {
        loop.append(P0, "a", 2);
        loop.append(P0, "b", 2);
        loop.checkpoints.pause(Kind.KEY, pad("a"));
        loop.assignAndFind(P0);
        loop.engine.run(3);

        assertThat(loop.handler.saved(pad("a"))).isEmpty();
        assertThat(loop.handler.saved(pad("b"))).hasSize(2);

        loop.checkpoints.resume(pad("a"));
        loop.engine.run(Duration.ofSeconds(2));
        assertThat(loop.handler.savedOffsets(pad("a"))).containsExactly(0L, 1L);
    }

    @Test
    void itHoldsWhenThePartitionComesBackAfterARebalance() {
        loop.assignAndFind(P0);
        loop.engine.run(3);
        loop.checkpoints.pause(Kind.KEY, pad("a"));
        loop.consumer.revoke(P0);
        loop.engine.run(1);
        loop.append(P0, "a", 1);
        loop.assignAndFind(P0);
        loop.engine.run(3);

        assertThat(loop.handler.saved(pad("a"))).isEmpty();
    }

    @Test
    void whatIsHeldBackMeanwhileIsKnownWithinASecondOrAtOnceIfSomebodySaysSo() {
        loop.assignAndFind(P0, P1);
        loop.engine.run(3);
        loop.checkpoints.pause(Kind.PARTITION, "orders-0");
        loop.engine.run(A_SECOND);
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("an operator has paused it");

        loop.checkpoints.pause(Kind.PARTITION, "orders-1");
        loop.engine.loop().lookAtPauses();
        loop.engine.run(3);
        loop.append(P1, "b", 1);
        loop.engine.run(3);
        assertThat(loop.handler.saved(pad("b"))).isEmpty();
    }

    @Test
    void whileTheDatabaseIsAwayWhatWasHeldBackLastStaysSo() {
        loop.append(P0, "a", 1);
        loop.checkpoints.pause(Kind.PARTITION, "orders-0");
        loop.assignAndFind(P0);
        loop.engine.run(3);
        loop.checkpoints.unavailable("away");
        loop.checkpoints.resume("orders-0");
        loop.engine.run(Duration.ofSeconds(10));
        assertThat(loop.handler.saved(pad("a"))).isEmpty();

        loop.checkpoints.failWith(null);
        loop.engine.run(Duration.ofSeconds(2));
        assertThat(loop.handler.saved(pad("a"))).hasSize(1);
    }

    @Test
    void aPartitionDoesNotFlowBeforeItIsKnownWhatIsHeldBack() {
        loop.append(P0, "a", 1);
        loop.checkpoints.pause(Kind.PARTITION, "orders-0");
        loop.checkpoints.failPauses(true);
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofSeconds(3));
        assertThat(loop.handler.saved(pad("a"))).isEmpty();
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("its position is being looked for");

        loop.checkpoints.failPauses(false);
        loop.engine.run(Duration.ofSeconds(10));
        assertThat(loop.status(P0).pausedBecause()).isEqualTo("an operator has paused it");
    }

    @Test
    void whatHasNoEndIsSaidEveryHourInALineThatDoesNotGrow() {
        List<String> lines =
                logged(
                        () -> {
                            for (int i = 0; i < 12; i++) {
                                loop.checkpoints.pause(Kind.KEY, "key " + i);
                            }
                            loop.assignAndFind(P0);
                            loop.engine.turn();
                            loop.environment.advance(Duration.ofMinutes(61));
                            loop.engine.run(2);
                            loop.environment.advance(Duration.ofMinutes(30));
                            loop.engine.run(2);
                        });

        assertThat(lines)
                .hasSize(2)
                .allMatch(line -> line.endsWith(" and 2 more (envelope paused)"))
                .satisfies(
                        said -> {
                            assertThat(said.get(0)).startsWith("an operator holds back: key");
                            assertThat(said.get(1))
                                    .startsWith(
                                            "held back until an operator resumes it: key \"key 0\" (by"
                                                    + " me since 1970");
                        });
    }

    @Test
    void whoPausesAgainIsSaidToHoldBackAndNotToLetGo() {
        List<String> lines =
                logged(
                        () -> {
                            loop.assignAndFind(P0);
                            loop.checkpoints.pause(Kind.KEY, "a", Instant.MAX);
                            loop.engine.run(A_SECOND);
                            loop.checkpoints.resume("a");
                            loop.checkpoints.pause(Kind.KEY, "a");
                            loop.engine.run(A_SECOND);
                            loop.checkpoints.resume("a");
                            loop.engine.run(A_SECOND);
                        });

        assertThat(lines)
                .satisfiesExactly(
                        line ->
                                assertThat(line)
                                        .startsWith("an operator holds back: key \"a\" until"),
                        line ->
                                assertThat(line)
                                        .startsWith("an operator holds back: key \"a\" (by"),
                        line ->
                                assertThat(line)
                                        .startsWith("no operator holds back any more: key"));
    }

    @Test
    void whatCannotBeReadIsSaidOnceAndWhenItCanBeAgain() {
        List<String> lines =
                logged(
                        () -> {
                            loop.assignAndFind(P0);
                            loop.engine.run(3);
                            loop.checkpoints.failPauses(true);
                            loop.engine.run(Duration.ofSeconds(10));
                            loop.checkpoints.failPauses(false);
                            loop.engine.run(Duration.ofSeconds(3));
                        });

        assertThat(lines)
                .containsExactly(
                        "reading what operators hold back: it can't be read; trying again",
                        "reading what operators hold back: works again");
    }

    @Test
    void tenThousandKeysAreHeldBackAndLetGo() {
        for (int i = 0; i < 10_000; i++) {
            loop.checkpoints.pause(Kind.KEY, "key " + i);
        }
        loop.checkpoints.pause(Kind.KEY, pad("a"));
        loop.append(P0, "a", 1);
        loop.append(P0, "b", 1);
        loop.assignAndFind(P0);
        loop.engine.run(Duration.ofSeconds(5));
        assertThat(loop.handler.saved(pad("a"))).isEmpty();
        assertThat(loop.handler.saved(pad("b"))).hasSize(1);

        loop.checkpoints.resume(pad("a"));
        loop.engine.run(Duration.ofSeconds(2));
        assertThat(loop.handler.saved(pad("a"))).hasSize(1);
    }

    @Test
    void ofTwoReadingsThatOverlappedBothHoldUntilTheNext() {
        KeyGate gate = new KeyGate();
        StandingPauses standing =
                new StandingPauses(
                        loop.checkpoints,
                        new OperatorPauses(),
                        gate,
                        new Background(loop.environment.environment(), Runnable::run),
                        loop.environment.environment().ticker());
        standing.hold(reading(2, 3, "a"));
        standing.hold(reading(1, 4, "b"));
        assertThat(gate.isPaused("a")).isTrue();
        assertThat(gate.isPaused("b")).isTrue();

        standing.hold(reading(5, 6, "b"));
        assertThat(gate.isPaused("a")).isFalse();
        assertThat(gate.isPaused("b")).isTrue();
    }

    private static List<String> logged(Runnable work) {
        Logger log = (Logger) LoggerFactory.getLogger(StandingPauses.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        log.addAppender(lines);
        try {
            work.run();
        } finally {
            log.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private static StandingPauses.Reading reading(long began, long ended, String key) {
        return new StandingPauses.Reading(began, ended, new Pauses(List.of(pause(key))));
    }

    private static Pauses.Pause pause(String key) {
        return new Pauses.Pause(Kind.KEY, key, "me", Instant.EPOCH, null);
    }
}
