package dev.envelope.integration.containers;

import dev.envelope.integration.cluster.ReplayTest;
import org.junit.jupiter.api.Tag;

/** The log read once more, between containers. */
@Tag("containers")
@Tag("long")
class ReplayInContainersTest extends ReplayTest {

    ReplayInContainersTest() {
        super(ContainerServers.started());
    }
}
