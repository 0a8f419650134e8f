package dev.envelope.integration.outage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.proxy.NetworkFault;
import dev.envelope.integration.stack.proxy.NetworkFault.BlackHole;
import dev.envelope.integration.stack.proxy.NetworkFault.Refuse;
import dev.envelope.integration.stack.proxy.NetworkFault.Reset;
import dev.envelope.integration.stack.proxy.NetworkFault.Stall;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The database is away, and comes back: nothing is parked, no attempt is counted, all of it heals.
 */
@Tag("cluster")
@ExtendWith(OneProxiedStack.class)
class DatabaseOutageTest {

    /** Longer by {@code -Doutage.seconds=60}. */
    private static final Duration DOWN =
            Duration.ofSeconds(Integer.getInteger("outage.seconds", 3));

    /** The longest back-off is 5 s, the longest wait for a dead socket 4 s. */
    private static final Duration HEALED_WITHIN = Duration.ofSeconds(40);

    private final ProxiedStack stack;

    DatabaseOutageTest(ProxiedStack stack) {
        this.stack = stack;
    }

    @Test
    void aRestartAKillAndAnAbsencePass() {
        try (Run run = Run.start(stack, Run.Plan.of("postgres-down"))) {
            stack.postgres().stop();
            stack.postgres().start();
            say("restart", run.awaitHealed(HEALED_WITHIN));

            stack.postgres().kill();
            stack.postgres().start();
            say("kill -9", run.awaitHealed(HEALED_WITHIN));

            stack.postgres().kill();
            run.elapse(DOWN);
            assertThat(run.consumer().status().storeReachable()).isFalse();
            stack.postgres().start();
            say("down for " + DOWN, run.awaitHealed(HEALED_WITHIN));

            run.judge();
            assertThat(run.log().lines()).hasSizeLessThan(60);
        }
    }

    @Tag("long")
    @Test
    void aNetworkThatFailsInAnyWayPasses() {
        try (Run run = Run.start(stack, Run.Plan.of("postgres-network"))) {
            for (NetworkFault fault :
                    List.of(new Reset(), new Refuse(), new Stall(), new BlackHole())) {
                stack.toPostgres().inject(fault);
                if (fault instanceof Refuse) {
                    stack.toPostgres().cut();
                }
                run.elapse(DOWN);
                stack.heal();
                say(fault.getClass().getSimpleName(), run.awaitHealed(HEALED_WITHIN));
                assertThat(stack.toPostgres().landed(fault.getClass())).isPositive();
            }
            run.judge();
        }
    }

    @Tag("long")
    @Test
    void connectionsThatAreUsedUpAreAnOutageAndNoAttempt() throws SQLException {
        try (Run run = Run.start(stack, Run.Plan.of("used-up"))) {
            String role = run.database().user();
            superuser("ALTER ROLE " + role + " CONNECTION LIMIT 0"); // 53300, as with all slots
            superuser(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '"
                            + role
                            + "'");
            Run.await(HEALED_WITHIN, () -> !run.consumer().status().storeReachable());
            run.elapse(DOWN);
            superuser("ALTER ROLE " + role + " CONNECTION LIMIT -1");

            say("connections used up", run.awaitHealed(HEALED_WITHIN));
            run.judge();
        }
    }

    @Test
    @Tag("long")
    void aPoolOfWhichEveryConnectionIsHeldIsAnOutageAndNoAttempt() throws SQLException {
        try (Run run = Run.start(stack, Run.Plan.of("held"))) {
            try (Connection foreign = locking(run.database(), "LOCK TABLE ledger.state")) {
                long unavailable = run.counts().unavailable();
                run.elapse(DOWN);
                assertThat(run.counts().unavailable()).isGreaterThan(unavailable);
                foreign.rollback();
            }
            say("table held", run.awaitHealed(HEALED_WITHIN));
            run.judge();
        }
    }

    @Test
    void aRowThatSomebodyHoldsHoldsNoOtherKeyUp() throws SQLException {
        try (Run run = Run.start(stack, Run.Plan.of("row-lock"))) {
            Duration window = DOWN.multipliedBy(2);
            long before = run.savedWithin(window);
            long during;
            try (Connection foreign =
                    locking(
                            run.database(),
                            "SELECT 1 FROM ledger.state WHERE key = 'key-3' FOR UPDATE")) {
                during = run.savedWithin(window);
                foreign.rollback();
            }
            long after = run.savedWithin(window);
            System.out.printf(
                    "a row held: %d before, %d meanwhile, %d after%n", before, during, after);
            // What else the machine does is more or less in each of the three.
            assertThat(during).isGreaterThanOrEqualTo(Math.min(before, after) * 6 / 10);
            assertThat(run.log().lines())
                    .anyMatch(it -> it.contains("held the row of key") && it.contains("key-3"));
            run.judge();
        }
    }

    @Tag("long")
    @Test
    void manyMoreLockedRowsThanWorkersHoldNobodyElseUpForASecond() throws SQLException {
        try (Run run = Run.start(stack, Run.Plan.of("row-locks").withKeys(1_999))) {
            List<Duration> longest = new ArrayList<>();
            // Rows that are there, and rows that somebody else is about to insert.
            try (Connection foreign =
                    locking(
                            run.database(),
                            "INSERT INTO ledger.state (key, version, marks) SELECT 'key-' || n, 1, '{}'"
                                    + " FROM generate_series(1000, 1998) AS n ON CONFLICT (key) DO"
                                    + " UPDATE SET version = excluded.version WHERE false")) {
                // Locks hold others up again and again, a busy machine only now and then.
                for (int i = 0; i < 4; i++) {
                    longest.add(run.longestPauseWithin(DOWN));
                }
                foreign.rollback();
            }
            System.out.printf("999 rows held: the longest pauses are %s%n", longest);
            assertThat(longest)
                    .filteredOn(it -> it.compareTo(Duration.ofSeconds(1)) < 0)
                    .isNotEmpty();
            run.judge();
        }
    }

    private static Connection locking(Database database, String sql) throws SQLException {
        Connection foreign = database.connect();
        foreign.setAutoCommit(false);
        try (Statement statement = foreign.createStatement()) {
            statement.execute(sql);
        }
        return foreign;
    }

    private void superuser(String sql) throws SQLException {
        try (Connection connection = stack.postgres().superuser().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void say(String what, Duration healed) {
        System.out.println(what + ": healed after " + healed.toMillis() + " ms");
    }
}
