package dev.envelope.idempotency.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.api.Incarnation;
import dev.envelope.core.api.NextOffset;
import dev.envelope.core.api.OtherIncarnationException;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.dedupe.Marks;
import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.row.Change;
import dev.envelope.idempotency.store.row.StateStore.Patience;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is stopped and started again with its data. */
class PostgresIncarnationTest {

    private static final List<Change> ROW =
            List.of(new Change("a", 0, new byte[] {'1'}, Marks.NONE, null, 0, List.of()));

    @TempDir private Path directory;

    @Test
    void whatWasReadInOneLifeOfTheServerIsNotSavedInTheNext() throws IOException {
        EmbeddedPostgres server = start(0);
        PostgresSettings settings =
                new PostgresSettings(
                        "jdbc:postgresql://localhost:" + server.getPort() + "/postgres",
                        new PostgresSettings.Login("postgres", null),
                        "restarted",
                        "shop",
                        "test-1",
                        1,
                        TestServer.QUICK);
        new Migrator(settings, null).migrate();
        try (PostgresStore store = PostgresStore.open(settings)) {
            Incarnation before = store.checkpoints().incarnation();
            assertThat(store.states().save(ROW, Patience.WAIT, before)).containsExactly(true);

            server.close();
            server = start(server.getPort());

            Incarnation after = afterReconnect(store);
            assertThat(after).isNotEqualTo(before);
            List<Change> next =
                    List.of(new Change("a", 1, new byte[] {'2'}, Marks.NONE, null, 0, List.of()));
            assertThatThrownBy(
                            () ->
                                    afterOutage(
                                            () -> store.states().save(next, Patience.WAIT, before)))
                    .isInstanceOf(OtherIncarnationException.class);
            assertThatThrownBy(() -> afterOutage(() -> store.states().load(List.of("a"), before)))
                    .isInstanceOf(OtherIncarnationException.class);
            assertThatThrownBy(
                            () -> store.checkpoints().save(Map.of(1, new NextOffset(1, 1)), before))
                    .isInstanceOf(OtherIncarnationException.class);
            assertThat(store.states().load(List.of("a"), after).values())
                    .allMatch(row -> row.version() == 1)
                    .hasSize(1);
            assertThat(store.states().save(next, Patience.WAIT, after)).containsExactly(true);
        } finally {
            server.close();
        }
    }

    private EmbeddedPostgres start(int port) throws IOException {
        EmbeddedPostgres.Builder builder =
                EmbeddedPostgres.builder()
                        .setDataDirectory(directory.resolve("data"))
                        .setCleanDataDirectory(false)
                        .setServerConfig("synchronous_commit", "on");
        return (port == 0 ? builder : builder.setPort(port)).start();
    }

    /** The pool's old connections fail first. */
    private static Incarnation afterReconnect(PostgresStore store) {
        return afterOutage(() -> store.checkpoints().incarnation());
    }

    private static <T> T afterOutage(java.util.function.Supplier<T> call) {
        for (int attempt = 0; ; attempt++) {
            try {
                return call.get();
            } catch (OtherIncarnationException e) {
                throw e;
            } catch (UnavailableException e) {
                if (attempt == 10) {
                    throw e;
                }
            }
        }
    }
}
