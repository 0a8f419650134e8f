package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.proxy.NetworkFault.BlackHole;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.List;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The broker takes connections and never answers. */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class SilentBrokerTest {

    private static final String NAME = "silence";
    private static final int LINES_PER_MINUTE = 50;

    private final ProxiedStack stack;

    SilentBrokerTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Tag("long")
    @Test
    void readinessGoesOffAndOnAgainAndAStopIsBounded() {
        stack.topics().create(NAME, 2);
        Database database = stack.postgres().createDatabase(NAME);
        RunningApp app = RunningApp.start(stack.direct().workspace(), NAME, settings(database));
        try {
            judge(app, database);
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(app.log(), e);
        } finally {
            app.process().kill();
        }
    }

    private void judge(RunningApp app, Database database) {
        app.awaitReady();
        produce(1_000);
        app.await(() -> Applications.counted(database, NAME) == 1_000);
        long linesBefore = app.log().lines().count();

        stack.toBroker().inject(new BlackHole());
        app.await(() -> app.get("/readyz").body().contains("no broker has answered for"));
        assertThat(app.get("/readyz").statusCode()).isEqualTo(503);
        assertThat(app.get("/livez").statusCode()).as("a restart would not help").isEqualTo(200);
        produce(1_000);
        stack.heal();

        app.awaitReady();
        app.await(() -> Applications.counted(database, NAME) == 2_000);
        assertThat(app.log()).contains("the broker answers again, after");
        assertThat(app.log().lines().count() - linesBefore)
                .as(app.log())
                .isLessThan(LINES_PER_MINUTE);

        stack.toBroker().inject(new BlackHole());
        produce(10);
        app.signal(Signal.TERM);
        long asked = System.nanoTime();
        int code = app.awaitExit();

        assertThat(code).as(app.log()).isIn(0, 128 + 15);
        assertThat(Duration.ofNanos(System.nanoTime() - asked))
                .as(app.log())
                .isLessThan(Duration.ofSeconds(40));
    }

    private List<String> settings(Database database) {
        List<String> settings =
                Applications.settings(stack.bootstrapServers(), NAME, stack.throughProxy(database));
        settings.addAll(List.of("start.timeout=60s", "shutdown.drain.timeout=5s"));
        return settings;
    }

    private void produce(int records) {
        Applications.produce(stack.direct(), NAME, records, 10, "{\"amount\":1}");
    }
}
