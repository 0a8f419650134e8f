package dev.envelope.integration.bench;

import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.integration.bench.client.ClientMain;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.ClientStore;
import dev.envelope.integration.bench.client.LoopTables;
import dev.envelope.integration.bench.client.Micros;
import dev.envelope.integration.bench.client.Workload;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.LocalStack;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * What every run stands on: the servers, an empty schema, and processes of contestants.
 *
 * <p>Threads: one at a time.
 */
final class Stage {

    private static final Duration START = Duration.ofMinutes(1);
    private static final long PAUSE_MILLIS = 100;

    private final LocalStack stack;
    private final Database database;
    private final DatabaseMeter meter;
    private final BenchOptions options;
    private final LastExpected expected = new LastExpected();
    private int number;

    Stage(LocalStack stack, Database database, DatabaseMeter meter, BenchOptions options) {
        this.stack = stack;
        this.database = database;
        this.meter = meter;
        this.options = options;
    }

    LocalStack stack() {
        return stack;
    }

    Database database() {
        return database;
    }

    DatabaseMeter meter() {
        return meter;
    }

    BenchOptions options() {
        return options;
    }

    /** A name that no run has had. */
    String newName() {
        number++;
        return "run_" + number;
    }

    /** An empty schema of that name with the tables of the contestant. */
    void makeTables(Contestant contestant, ClientSpec spec) throws SQLException {
        if (contestant.rows().areOurs()) {
            new Migrator(ClientStore.settings(spec), null).migrate();
            return;
        }
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : new LoopTables(spec.schema()).ddl()) {
                statement.execute(sql);
            }
        }
    }

    /** Starts the process of a contestant. */
    ChildProcess start(ClientSpec spec, String heap) throws IOException {
        String name = spec.result().getFileName().toString();
        Path file = stack.workspace().folder().resolve(name + ".spec");
        List<String> jvm = new ArrayList<>(BenchOptions.jvm(heap));
        if (options.profiles()) {
            Path recording = options.output().resolve(spec.contestant() + "-" + name + ".jfr");
            // Without these, samples are told of the nearest call.
            jvm.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"));
            jvm.add("-XX:StartFlightRecording:settings=profile,filename=" + recording);
        }
        spec.launchedAt(Micros.now()).write(file);
        return stack.workspace()
                .start(
                        spec.contestant() + "-" + name,
                        new JavaCommand(
                                ClientMain.class.getName(),
                                System.getProperty("java.class.path", ""),
                                jvm,
                                List.of(file.toString())));
    }

    /** Waits for its end, and reads what it has measured. */
    Properties result(ChildProcess process, ClientSpec spec, Duration patience)
            throws Disqualified, IOException {
        int exit;
        try {
            exit = process.awaitExit(patience);
        } catch (IllegalStateException e) {
            process.kill();
            throw new Disqualified(String.valueOf(e.getMessage()));
        }
        if (exit != 0 || !Files.exists(spec.result())) {
            throw new Disqualified("it ended with code " + exit + ":\n" + process.logTail(40));
        }
        Properties result = new Properties();
        try (Reader reader = Files.newBufferedReader(spec.result())) {
            result.load(reader);
        }
        return result;
    }

    /** Returns when so many records are in rows. */
    void awaitDurable(Contestant contestant, String schema, long records)
            throws SQLException, InterruptedException, Disqualified {
        String sum =
                "SELECT sum(count) FROM (" + contestant.rows().sql(schema) + ") r(k, b, count)";
        long deadline = System.nanoTime() + START.toNanos();
        while (meter.number(sum) < records) {
            if (System.nanoTime() > deadline) {
                throw new Disqualified("after a minute not all records are in rows");
            }
            Thread.sleep(PAUSE_MILLIS); // rows of another process: they can only be counted
        }
    }

    /** Throws unless the rows are what at least {@code durable} records add up to. */
    void requireRightRows(Contestant contestant, Workload workload, String schema, long durable)
            throws Disqualified, SQLException {
        if (contestant.rows() != Contestant.Rows.NONE) {
            String fault =
                    expected.of(workload)
                            .findFault(database, contestant.rows().sql(schema), durable)
                            .orElse(null);
            if (fault != null) {
                throw new Disqualified("wrong rows: " + fault);
            }
        }
    }

    /** Where a run writes to. */
    Path file(String name) {
        return stack.workspace().folder().resolve(name + ".properties");
    }

    /**
     * What the rows of the last workload must be, which is rather large.
     *
     * <p>Threads: one at a time.
     */
    private static final class LastExpected {
        private Workload workload = Workload.of("single", 1);
        private ExpectedBalances balances = new ExpectedBalances(workload);

        ExpectedBalances of(Workload asked) {
            if (!asked.equals(workload)) {
                balances = new ExpectedBalances(asked);
                workload = asked;
            }
            return balances;
        }
    }
}
