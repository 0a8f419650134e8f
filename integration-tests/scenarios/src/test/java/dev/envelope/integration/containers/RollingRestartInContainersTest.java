package dev.envelope.integration.containers;

import dev.envelope.integration.cluster.RollingRestartTest;
import org.junit.jupiter.api.Tag;

/** Rolling restarts of the program, between containers. */
@Tag("containers")
@Tag("long")
class RollingRestartInContainersTest extends RollingRestartTest {

    RollingRestartInContainersTest() {
        super(ContainerServers.started());
    }
}
