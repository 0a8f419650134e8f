package dev.envelope.core.fetch;

import static dev.envelope.core.fetch.Loop.P0;
import static dev.envelope.core.fetch.Loop.pad;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.testkit.HandDrivenEngine.Setup;
import java.util.List;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

/** Failures after which the client is no member of its group any more. */
final class EndedMembershipTest {

    @Test
    void whereTheBrokersAssignAMemberThatIsOutOfItsGroupEndsInsteadOfIdling() {
        for (KafkaException failure :
                List.of(
                        new UnreleasedInstanceIdException("taken"),
                        GroupAuthorizationException.forGroupId("orders"),
                        new UnsupportedVersionException("too old"))) {
            Loop loop = new Loop(Setup.DEFAULT.with(GroupProtocol.CONSUMER));
            loop.consumer.failPoll(failure);

            assertThatThrownBy(() -> loop.engine.turn()).isSameAs(failure);
        }
    }

    @Test
    void whereTheClientAsksAgainItselfRightsThatComeBackAreEnough() {
        Loop loop = new Loop(Setup.DEFAULT);
        loop.append(P0, "a", 3);
        loop.assignAndFind(P0);
        loop.consumer.failPoll(GroupAuthorizationException.forGroupId("orders"));
        loop.engine.run(4);

        assertThat(loop.handler.savedOffsets(pad("a"))).hasSize(3);
    }
}
