package dev.envelope.integration.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.app.Applications;
import dev.envelope.integration.app.RunningApp;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.OneStack;
import dev.envelope.integration.stack.Signal;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The same messages out of a topic and out of a table, one process after the other. It measures, so
 * it runs when it is told how many, of how many keys: {@code -Dtable.rows=3000000
 * -Dtable.keys=100000}.
 */
@Tag("cluster")
@EnabledIfSystemProperty(named = "table.rows", matches = ".+")
@ExtendWith(OneStack.class)
class TableSpeedTest {

    private static final int ROWS = Integer.getInteger("table.rows", 20_000);
    private static final int KEYS = Integer.getInteger("table.keys", 1_000);
    private static final int AT_ONCE = 500_000;

    private final LocalStack stack;

    TableSpeedTest(LocalStack stack) {
        this.stack = stack;
    }

    @Test
    void aTableIsDrainedAsATopicIs() {
        double topic = topic("speed_topic");
        double deleted = table("speed_deleted", false);
        double marked = table("speed_marked", true);

        System.out.printf(
                Locale.ROOT,
                "%,d messages of %,d keys: topic %,.0f/s; table, deleted %.2f of that, marked %.2f%n",
                ROWS,
                KEYS,
                topic,
                deleted / topic,
                marked / topic);
    }

    private double topic(String name) {
        Database database = stack.postgres().createDatabase(name);
        stack.topics().create(name, 4);
        for (int from = 0; from < ROWS; from += AT_ONCE) {
            int count = Math.min(AT_ONCE, ROWS - from);
            Applications.produce(stack, name, count, KEYS, "{\"amount\":1,\"id\":1234567}");
        }
        return perSecond(
                name, database, Applications.settings(stack.bootstrapServers(), name, database));
    }

    private double table(String name, boolean isMarked) {
        Database database = stack.postgres().createDatabase(name);
        Applications.execute(
                database,
                "CREATE TABLE work (id bigint PRIMARY KEY, key text NOT NULL, amount int, done boolean);"
                        + " INSERT INTO work SELECT i, 'key-' || i %% %d, 1 FROM generate_series(1, %d) i;"
                                .formatted(KEYS, ROWS)
                        + " CREATE INDEX ON work (key, id)"
                        + (isMarked ? " WHERE done IS NOT TRUE" : ""));
        Applications.execute(database, "VACUUM ANALYZE work");
        List<String> settings =
                WorkTable.settings(stack, name, database, isMarked ? "table.done=done" : "slots=1");
        return perSecond(name, database, settings);
    }

    private double perSecond(String name, Database database, List<String> settings) {
        RunningApp app = RunningApp.start(stack.workspace(), name, settings);
        try {
            app.awaitReady();
            long begun = System.nanoTime();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(10))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> Applications.counted(database, name) >= ROWS);
            double seconds = (System.nanoTime() - begun) / 1e9;
            app.signal(Signal.TERM);
            assertThat(app.awaitExit()).isZero();
            assertThat(Applications.counted(database, name)).isEqualTo(ROWS);
            return ROWS / seconds;
        } finally {
            app.process().kill();
        }
    }
}
