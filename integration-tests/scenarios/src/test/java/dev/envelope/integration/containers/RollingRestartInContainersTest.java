package dev.envelope.integration.containers;

import dev.envelope.integration.cluster.RollingRestartTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rolling restarts of the program, between containers. */
@Tag("containers")
class RollingRestartInContainersTest extends RollingRestartTest {

    RollingRestartInContainersTest() {
        super(ContainerServers.started());
    }

    /** One protocol is enough to see that the servers are the same. */
    @Override
    @ParameterizedTest
    @ValueSource(strings = "consumer")
    protected void rollingRestartsLoseAndDoubleNothing(String protocol) {
        restartOneAfterTheOther(protocol);
    }
}
