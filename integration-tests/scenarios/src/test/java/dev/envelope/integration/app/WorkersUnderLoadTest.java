package dev.envelope.integration.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.json.JsonMapper;

/** A handler that waits for something else, a lag that grows, and an operator who adds workers. */
@Tag("cluster")
@Tag("long")
@ExtendWith(OneStack.class)
class WorkersUnderLoadTest {

    private static final String TOPIC = "load";
    private static final String TOKEN = "only-for-this-test";
    private static final Duration LONG_ENOUGH = Duration.ofSeconds(6);

    private final LocalStack stack;

    WorkersUnderLoadTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void itIsSaidThatTheHandlerSetsThePaceAndWorkersThatAreAddedChangeIt() throws Exception {
        RunningApp app = start();
        try {
            Applications.produce(stack, TOPIC, 20_000, 1_000, "{\"takes\":20}");
            app.await(() -> stuck(app).contains("the handler sets the pace: of a turn's "));
            double before = perSecond(app);

            assertThat(app.post("/api/pool/add?count=8", TOKEN).body()).contains("\"size\":10");

            double after = perSecond(app);
            System.out.printf(
                    "workers under load: %.0f messages a second with 2, %.0f with 10%n",
                    before, after);
            app.await(() -> stuck(app).contains(" of 10 workers busy"));
            assertThat(after / before).as("%s, then %s", before, after).isBetween(2.5, 10.0);
        } finally {
            app.process().kill();
        }
    }

    private RunningApp start() {
        stack.topics().create(TOPIC, 4);
        Database database = stack.postgres().createDatabase(TOPIC);
        List<String> settings = Applications.settings(stack, TOPIC, database);
        settings.removeIf(line -> line.startsWith("handler"));
        settings.addAll(
                List.of(
                        "handler=" + StuckFold.class.getName(),
                        "http.token=" + TOKEN,
                        "pool.size=2",
                        "pool.shards=64",
                        "start.timeout=90s"));
        RunningApp app = RunningApp.start(stack.workspace(), TOPIC, settings);
        app.awaitReady();
        return app;
    }

    private static String stuck(RunningApp app) {
        return app.get("/api/stuck").body();
    }

    private static double perSecond(RunningApp app) throws InterruptedException {
        long begin = System.nanoTime();
        long before = saved(app);
        var unused = new CountDownLatch(1).await(LONG_ENOUGH.toMillis(), TimeUnit.MILLISECONDS);
        return (saved(app) - before) / ((System.nanoTime() - begin) / 1e9);
    }

    private static long saved(RunningApp app) {
        return JsonMapper.shared()
                .readTree(app.get("/api/status").body())
                .at("/totals/records")
                .asLong(-1);
    }
}
