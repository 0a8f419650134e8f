package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The database's disk is full: rows can't be written, until there is room. The tables are in a
 * tablespace on a small file system, which takes root to mount.
 */
@Tag("root")
@Tag("long")
@ExtendWith(OneProxiedStack.class)
class DiskFullTest {

    private static final Duration FULL = Duration.ofSeconds(5);
    private static final Duration HEALED_WITHIN = Duration.ofSeconds(40);

    /** So many keys that the tables keep growing. */
    private static final Run.Plan MANY_KEYS = new Run.Plan("disk-full", 3_000, 500_000, 1 << 20, 3);

    private final ProxiedStack stack;
    private @TempDir Path disk;

    DiskFullTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void mount() throws IOException, InterruptedException, SQLException {
        Files.delete(disk);
        Path parent = Files.createDirectory(disk);
        run("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", parent.toString());
        Path space = Files.createDirectory(parent.resolve("space"));
        Files.setOwner(space, Files.getOwner(stack.postgres().data()));
        superuser("CREATE TABLESPACE small LOCATION '" + space + "'");
        superuser("GRANT CREATE ON TABLESPACE small TO PUBLIC");
        superuser("ALTER SYSTEM SET default_tablespace = 'small'");
        superuser("SELECT pg_reload_conf()");
    }

    /** Lazily, since Postgres has files open there. */
    @AfterEach
    void unmount() throws IOException, InterruptedException {
        run("umount", "--lazy", disk.toString());
    }

    @Test
    void workWaitsSaysSoAndGoesOnWhenThereIsRoom() throws IOException {
        try (Run run = Run.start(stack, MANY_KEYS)) {
            Path filler = disk.resolve("filler");
            fill(filler);
            Run.await(HEALED_WITHIN, () -> !run.consumer().status().storeReachable());
            assertThat(run.log().lines()).anyMatch(it -> it.contains("No space left on device"));
            run.elapse(FULL);
            // Meanwhile a row may have been saved that had room in its page.
            Run.await(HEALED_WITHIN, () -> !run.consumer().status().storeReachable());

            Files.delete(filler);

            Duration healed = run.awaitHealed(HEALED_WITHIN);
            System.out.println("a full disk: healed after " + healed.toMillis() + " ms");
            run.judge();
        }
    }

    private static void fill(Path filler) throws IOException {
        byte[] block = new byte[4096];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
        assertThat(process.waitFor()).as("%s", List.of(command)).isZero();
    }

    private void superuser(String sql) throws SQLException {
        try (Connection connection = stack.postgres().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
