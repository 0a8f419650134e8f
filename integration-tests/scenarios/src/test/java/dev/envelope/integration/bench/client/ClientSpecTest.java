package dev.envelope.integration.bench.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientSpecTest {

    @Test
    void aContestantReadsWhatWasWritten(@TempDir Path folder) throws IOException {
        ClientSpec spec =
                new ClientSpec(
                                "loop",
                                new ClientSpec.Source("host:1", "topic", "100k", "group", 6_000),
                                new ClientSpec.Target(
                                        new Database("jdbc:url", "user", "password"), "schema"),
                                new ClientSpec.Stop(123, 4),
                                new ClientSpec.Watch(0, true, false, true, false),
                                5,
                                folder.resolve("result"))
                        .launchedAt(99);

        spec.write(folder.resolve("spec"));

        assertThat(ClientSpec.read(folder.resolve("spec"))).isEqualTo(spec);
    }
}
