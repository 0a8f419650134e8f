package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.P1;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.core.position.CommitsAlone;
import dev.envelope.core.position.PositionPolicy;
import dev.envelope.core.position.StartFrom;
import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import dev.envelope.core.turn.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

/** Without a database: commits say how far a partition is, and what is done beyond. */
final class CommitsAloneTest {

    private static final Setup FROM_THE_END =
            Setup.DEFAULT.with(
                    new PositionPolicy(
                            new StartFrom.Latest(),
                            PositionPolicy.OffsetAhead.STOP,
                            PositionPolicy.Gap.STOP));

    private static final Setup ADOPTING =
            Setup.DEFAULT.with(
                    new PositionPolicy(
                                    new StartFrom.Earliest(),
                                    PositionPolicy.OffsetAhead.STOP,
                                    PositionPolicy.Gap.STOP)
                            .with(PositionPolicy.TopicRecreated.ADOPT));

    private Loop loop = new Loop(Setup.DEFAULT, CommitsAlone::new);
    private final List<String> handled = new ArrayList<>();

    private void handleAllBut(String key) {
        loop.handler.onAll(
                envelope -> {
                    for (Message message : envelope.messages()) {
                        handled.add(message.toString());
                    }
                    return Outcome.applied(envelope);
                });
        loop.handler.onKey(pad(key), it -> Outcome.Deferred.NOT_BEGUN);
    }

    /** Another process, with the same brokers. */
    private void nextProcess() {
        loop = loop.next();
        handled.clear();
        handleAllBut("nothing");
    }

    private void run() {
        loop.assignAndFind(P0, P1);
        goOn();
    }

    private void handleWithoutBackground() {
        for (int i = 0; i < 3; i++) {
            loop.engine.turn();
            loop.engine.pool().turn();
        }
    }

    private void goOn() {
        for (int i = 0; i < 20; i++) {
            loop.engine.turn();
            loop.environment.runBackground();
            loop.engine.pool().turn();
        }
        loop.commitRound();
    }

    @Test
    void goesOnBehindWhatIsCommitted() {
        handleAllBut("nothing");
        loop.append(P0, "a", 3);
        run();
        assertThat(loop.committed(P0)).isEqualTo(3);

        nextProcess();
        loop.append(P0, "a", 1);
        run();

        assertThat(handled).containsExactly("orders-0@3");
    }

    @Test
    void whatIsDoneAheadIsNotHandledAgain() {
        handleAllBut("stuck");
        loop.append(P0, "a", 2);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "b", 3);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "c", 2);
        run();
        assertThat(loop.committed(P0)).isEqualTo(2);

        nextProcess();
        run();

        assertThat(handled).containsExactly("orders-0@2", "orders-0@6");
        assertThat(loop.committed(P0)).isEqualTo(9);
    }

    /**
     * The second process handles nothing of what the first has done, and its commits say so too.
     */
    @Test
    void whatAFormerProcessHasDoneAheadIsRemembered() {
        handleAllBut("stuck");
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 3);
        run();
        nextProcess();
        handleAllBut("stuck");
        loop.append(P0, "stuck", 1);
        loop.append(P0, "b", 2);
        run();
        assertThat(handled).containsExactly("orders-0@5", "orders-0@6");

        nextProcess();
        run();

        assertThat(handled).containsExactly("orders-0@0", "orders-0@4");
        assertThat(loop.committed(P0)).isEqualTo(7);
    }

    /** Also what lies between two that are not done, where nothing was received. */
    @Test
    void whatAFormerProcessHasDoneAheadIsRememberedUnderALaterLeader() {
        handleAllBut("stuck");
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 3);
        loop.append(P0, "stuck", 1);
        run();
        nextProcess();
        handleAllBut("stuck");
        run();
        loop.cluster.electLeader(P0);
        loop.append(P0, "b", 1);
        goOn();
        assertThat(handled).containsExactly("orders-0@5");

        nextProcess();
        run();

        assertThat(handled).containsExactly("orders-0@0", "orders-0@4");
    }

    @Test
    void whatIsDoneAheadIsCommittedThoughTheOffsetStaysWhereItIs() {
        handleAllBut("stuck");
        loop.append(P0, "stuck", 1);
        run();
        loop.append(P0, "a", 3);
        goOn();

        nextProcess();
        run();

        assertThat(handled).containsExactly("orders-0@0");
    }

    @Test
    void anOperatorsCommitIsFollowedAndRemembersNothing() {
        handleAllBut("stuck");
        loop.append(P0, "a", 1);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 3);
        run();
        loop.cluster.commit(P0, new OffsetAndMetadata(0));

        nextProcess();
        run();

        assertThat(handled)
                .containsExactlyInAnyOrder(
                        "orders-0@0", "orders-0@1", "orders-0@2", "orders-0@3", "orders-0@4");
    }

    @Test
    void atAnotherOffsetTheMetadataOfOursRemembersNothing() {
        handleAllBut("stuck");
        loop.append(P0, "a", 1);
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 3);
        run();
        String metadata = loop.cluster.committed(P0).orElseThrow().metadata();
        assertThat(metadata).startsWith("envelope/ahead/");
        loop.cluster.commit(P0, new OffsetAndMetadata(0, metadata));

        nextProcess();
        run();

        assertThat(handled).hasSize(5);
    }

    /** The log was cut off and written anew, by a leader that had not heard of all of it. */
    @Test
    void whatWasWrittenAnewUnderOffsetsThatAreDoneIsHandled() {
        handleAllBut("stuck");
        loop.append(P0, "stuck", 1);
        loop.append(P0, "a", 4);
        run();
        loop.cluster.truncateTo(P0, 3);
        loop.cluster.electLeader(P0);
        loop.append(P0, "b", 3);

        nextProcess();
        run();

        assertThat(handled)
                .contains("orders-0@0", "orders-0@3", "orders-0@4", "orders-0@5")
                .doesNotContain("orders-0@1", "orders-0@2");
    }

    /** While it waits for brokers: nothing else would have to be asked. */
    @Test
    void aRevokeIsCommittedThoughNothingGetsOnInTheBackground() {
        handleAllBut("nothing");
        run();
        loop.append(P0, "a", 3);
        handleWithoutBackground();
        assertThat(loop.committed(P0)).isZero();
        loop.consumer.revoke(P0);
        loop.environment.whileParked(() -> {});

        loop.engine.turn();

        assertThat(loop.committed(P0)).isEqualTo(3);
    }

    @Test
    void commitsGoOnThoughNothingGetsOnInTheBackground() {
        handleAllBut("nothing");
        run();
        loop.environment.advance(Duration.ofMillis(1001));
        loop.engine.turn(); // nothing is to be committed
        loop.append(P0, "a", 3);
        handleWithoutBackground();
        loop.environment.advance(Duration.ofMillis(1001));
        loop.engine.turn();
        loop.engine.turn();

        assertThat(loop.committed(P0)).isEqualTo(3);
    }

    /** It would be read from its beginning. */
    @Test
    void aPartitionThatAnotherProcessBeginsWithIsNotTakenForOneThatWasAdded() {
        loop = new Loop(FROM_THE_END, CommitsAlone::new);
        handleAllBut("nothing");
        loop.append(P0, "old", 3);
        loop.append(P1, "old", 3);
        loop.assignAndFind(P0);
        goOn();

        nextProcess();
        loop.assignAndFind(P1);
        goOn();
        assertThat(handled).isEmpty();
        loop.append(P1, "new", 1);
        goOn();
        assertThat(handled).containsExactly("orders-1@3");

        nextProcess();
        run();
        assertThat(handled).isEmpty();
    }

    @Test
    void whatIsAdoptedByOneProcessForItsPartitionsIsAdoptedByTheOthersForTheirs() {
        loop = new Loop(ADOPTING, CommitsAlone::new);
        handleAllBut("nothing");
        loop.append(P0, "a", 3);
        loop.append(P1, "a", 3);
        run();
        loop.cluster.createTopic("orders", 3);
        loop.append(P0, "a", 3);
        loop.append(P1, "a", 4);
        loop = loop.next();
        handled.clear();
        handleAllBut("nothing");
        loop.assignAndFind(P0);
        goOn();
        assertThat(handled).isEmpty();

        nextProcess();
        loop.assignAndFind(P1);
        goOn();

        assertThat(handled).containsExactly("orders-1@3");
    }

    @Test
    void anEmptyPartitionIsCommittedTooAndIsNotTakenForANewOneLater() {
        loop = new Loop(FROM_THE_END, CommitsAlone::new);
        handleAllBut("nothing");
        run();

        nextProcess();
        loop.append(P0, "a", 2);
        loop.append(P1, "b", 1);
        run();

        assertThat(handled).containsExactlyInAnyOrder("orders-0@0", "orders-0@1", "orders-1@0");
    }

    @Test
    void aTopicThatWasMadeAgainStopsItWhereTheCommitsOfTheFormerAreStillThere() {
        handleAllBut("nothing");
        loop.append(P0, "a", 3);
        run();
        OffsetAndMetadata former = loop.cluster.committed(P0).orElseThrow();
        loop.cluster.deleteTopic("orders");
        loop.cluster.createTopic("orders", 3);
        loop.cluster.commit(P0, former);
        loop.append(P0, "a", 5);

        nextProcess();
        run();

        assertThat(handled).isEmpty();
        assertThat(loop.status(P0).stopped()).isTrue();
        assertThat(loop.status(P0).pausedBecause()).contains("on.topic.recreated");
    }

    @Test
    void whereReadingBeganAtTheEndIsCommittedBeforeAnythingComes() {
        loop = new Loop(FROM_THE_END, CommitsAlone::new);
        handleAllBut("nothing");
        loop.append(P0, "a", 3);
        run();
        assertThat(loop.committed(P0)).isEqualTo(3);

        nextProcess();
        loop.append(P0, "a", 1);
        loop.append(P1, "b", 1);
        run();

        assertThat(handled).containsExactlyInAnyOrder("orders-0@3", "orders-1@0");
    }
}
