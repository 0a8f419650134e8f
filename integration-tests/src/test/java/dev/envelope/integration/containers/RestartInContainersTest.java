package dev.envelope.integration.containers;

import dev.envelope.integration.cluster.RestartTest;
import org.junit.jupiter.api.Tag;

/** Restarts of the program, between containers. */
@Tag("containers")
class RestartInContainersTest extends RestartTest {

    RestartInContainersTest() {
        super(ContainerServers.started());
    }
}
