package dev.envelope.integration.bench;

import dev.envelope.idempotency.store.postgres.Migrator;
import dev.envelope.integration.bench.client.ClientMain;
import dev.envelope.integration.bench.client.ClientSpec;
import dev.envelope.integration.bench.client.ClientStore;
import dev.envelope.integration.bench.client.LoopTables;
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
 * One run of one contestant: an empty schema, a process of its own, a look at every row.
 *
 * <p>Threads: one at a time.
 */
final class TimedRun {

    /** A run whose rows are wrong, or that did not come to its end: it counts for nothing. */
    static final class Disqualified extends Exception {

        private static final long serialVersionUID = 1L;

        Disqualified(String why) {
            super(why);
        }
    }

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final LocalStack stack;
    private final Database database;
    private final DatabaseMeter meter;
    private final BenchOptions options;
    private int number;

    TimedRun(LocalStack stack, Database database, DatabaseMeter meter, BenchOptions options) {
        this.stack = stack;
        this.database = database;
        this.meter = meter;
        this.options = options;
    }

    Measurement of(Contestant contestant, Workload workload)
            throws Disqualified, SQLException, IOException, InterruptedException {
        ClientSpec spec = spec(contestant, workload);
        meter.clear("run_" + (number - 1));
        makeTables(contestant, spec);
        DatabaseMeter.Counters before = meter.read(spec.schema());
        double brokerBefore = CpuTime.of(stack.broker().process());
        double postgresBefore = CpuTime.of(stack.postgres().process());
        Properties result = run(contestant, spec);
        DatabaseMeter.Counters after = meter.read(spec.schema());
        double brokerCpu = CpuTime.of(stack.broker().process()) - brokerBefore;
        double postgresCpu = CpuTime.of(stack.postgres().process()) - postgresBefore;
        requireRightRows(contestant, workload, spec.schema());
        return new Measurement(
                number(result, "records"),
                Double.parseDouble(result.getProperty("seconds")),
                Double.parseDouble(result.getProperty("cpuSeconds")),
                brokerCpu,
                postgresCpu,
                after.transactions() - before.transactions(),
                after.rows() - before.rows(),
                after.walPosition() - before.walPosition(),
                number(result, "peakResident"),
                number(result, "liveHeap"),
                number(result, "peakLiveHeap"));
    }

    private ClientSpec spec(Contestant contestant, Workload workload) {
        number++;
        String name = "run_" + number;
        return new ClientSpec(
                contestant.kind(),
                stack.broker().bootstrapServers(),
                Preload.topicOf(workload),
                name,
                database,
                name,
                contestant.records(workload),
                stack.workspace().folder().resolve(name + ".properties"),
                options.watchesHeap());
    }

    private void makeTables(Contestant contestant, ClientSpec spec) throws SQLException {
        if (contestant.isOurs()) {
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

    private Properties run(Contestant contestant, ClientSpec spec)
            throws Disqualified, IOException {
        ChildProcess process =
                stack.workspace()
                        .start(contestant.name() + "-" + spec.schema(), command(contestant, spec));
        int exit;
        try {
            exit = process.awaitExit(PATIENCE);
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

    private JavaCommand command(Contestant contestant, ClientSpec spec) {
        List<String> jvm = new ArrayList<>(BenchOptions.JVM);
        if (options.profiles()) {
            Path recording =
                    options.output().resolve(contestant.name() + "-" + spec.topic() + ".jfr");
            jvm.add("-XX:StartFlightRecording:settings=profile,filename=" + recording);
        }
        return new JavaCommand(
                ClientMain.class.getName(),
                System.getProperty("java.class.path", ""),
                jvm,
                spec.arguments());
    }

    private void requireRightRows(Contestant contestant, Workload workload, String schema)
            throws Disqualified, SQLException {
        Oracle oracle =
                contestant.records(workload) < workload.records()
                        ? new Oracle(workload, meter.progress(schema))
                        : Oracle.ofAll(workload);
        String fault = oracle.findFault(database, contestant.rows().formatted(schema)).orElse(null);
        if (fault != null) {
            throw new Disqualified("wrong rows: " + fault);
        }
    }

    private static long number(Properties result, String name) {
        return Long.parseLong(result.getProperty(name, "0"));
    }
}
