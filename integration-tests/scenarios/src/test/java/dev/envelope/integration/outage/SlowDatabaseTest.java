package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.NetworkFault.Delay;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The database answers, and takes its time: an operator is told that it is the database. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneProxiedStack.class)
class SlowDatabaseTest {

    private final ProxiedStack stack;

    SlowDatabaseTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void itIsSaidThatTheDatabaseSetsThePaceUntilItDoesNot() {
        stack.topics().create("slow", 2);
        Database database = stack.postgres().createDatabase("slow");
        RunningApp app =
                RunningApp.start(stack.direct().workspace(), "slow-database", settings(database));
        try {
            app.awaitReady();
            stack.toPostgres().inject(new Delay(Duration.ofMillis(200), Duration.ofMillis(100)));
            Applications.produce(stack.direct(), "slow", 50_000, 5_000, "{\"amount\":1}");

            app.await(() -> stuck(app).contains("the database sets the pace: of a turn's "));
            System.out.println("slow database: " + stuck(app));
            app.await(() -> isSlowAlone(stuck(app)));
            assertThat(app.get("/plain").body()).contains("the database sets the pace");

            stack.heal();
            app.await(() -> stuck(app).contains("everything that is in the log is durable"));
            assertThat(stuck(app)).doesNotContain("sets the pace");
        } finally {
            app.process().kill();
        }
    }

    /** Slow is not stuck; but that threads wait for a connection may be said beside it. */
    private static boolean isSlowAlone(String stuck) {
        return stuck.contains("the database sets the pace")
                && (stuck.contains("\"stuck\":false")
                        || stuck.contains("wait for a connection to the database: of the pool"));
    }

    private static String stuck(RunningApp app) {
        return app.get("/api/stuck").body();
    }

    /** So small turns that the database is asked often. */
    private List<String> settings(Database database) {
        List<String> settings =
                Applications.settings(
                        stack.bootstrapServers(), "slow", stack.throughProxy(database));
        settings.addAll(
                List.of(
                        "envelope.max.messages=20",
                        "turn.max.messages=500",
                        "pool.size=2",
                        "start.timeout=60s"));
        return settings;
    }
}
