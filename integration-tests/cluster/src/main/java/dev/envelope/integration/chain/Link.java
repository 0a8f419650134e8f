package dev.envelope.integration.chain;

import dev.envelope.idempotency.store.postgres.schema.Migrator;
import dev.envelope.integration.stack.ChildProcess;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.JavaCommand;
import dev.envelope.integration.stack.Logging;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.Signal;
import dev.envelope.integration.stack.Waiting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One application of the chain: its topics, its database and its processes.
 *
 * <p>Threads: one thread.
 */
final class Link implements AutoCloseable {

    private static final int PARTITIONS = 4;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final Duration PATIENCE_WITH_STAGE = Duration.ofSeconds(15);

    private final Servers servers;
    private final String name;
    private final String from;
    private final String to;
    private final Flaw flaw;
    private final Database database;
    private final List<Armed> running = new ArrayList<>();
    private int started;

    /** A process, and where it ends by itself. */
    private record Armed(ChildProcess process, Stage stage) {}

    /** Makes the topic that is written and the schema; starts nothing. */
    Link(Servers servers, String name, String from, Flaw flaw) {
        this.servers = servers;
        this.name = name;
        this.from = from;
        this.to = name + "_out";
        this.flaw = flaw;
        servers.topics().create(to, PARTITIONS);
        database = servers.createDatabase(name);
        new Migrator(ChainMain.storeSettings(spec("none", Stage.ANY, 0)), null).migrate();
    }

    String name() {
        return name;
    }

    /** The topic that it writes. */
    String to() {
        return to;
    }

    /** Starts a process that ends when the stage has come up so many times. */
    void start(Stage stage, int occasions) {
        String instance = name + "-" + ++started;
        JavaCommand command =
                JavaCommand.of(ChainMain.class)
                        .heap("256m")
                        .option("-XX:+UseSerialGC")
                        .option("-XX:+ExitOnOutOfMemoryError")
                        .option("-XX:TieredStopAtLevel=1") // it lives for seconds
                        .with("logback.configurationFile", Logging.FILE)
                        .arguments(spec(instance, stage, occasions).toArguments());
        running.add(new Armed(servers.workspace().start(instance, command), stage));
    }

    private ChainSpec spec(String instance, Stage stage, int occasions) {
        return new ChainSpec(
                instance,
                servers.bootstrapServers(),
                from,
                to,
                name,
                database,
                stage,
                occasions,
                flaw);
    }

    /**
     * Ends the process that runs for longest: at its stage, or by a kill after a while.
     *
     * @return the stage at which it has ended
     */
    Stage endOne(long afterMillis) {
        Armed victim = running.remove(0);
        if (victim.stage() == Stage.ANY) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(afterMillis));
        } else {
            long deadline = System.nanoTime() + PATIENCE_WITH_STAGE.toNanos();
            while (victim.process().isAlive() && System.nanoTime() < deadline) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
        if (victim.process().isAlive()) {
            victim.process().kill();
            return Stage.ANY;
        }
        if (victim.process().exitCode().orElse(0) != StagedSender.EXIT_CODE) {
            throw new IllegalStateException(lastWords(victim));
        }
        return victim.stage();
    }

    /** Kills those that would end at a stage: only processes without one are left. */
    void disarm() {
        for (Armed each : List.copyOf(running)) {
            if (each.stage() != Stage.ANY) {
                each.process().kill();
                running.remove(each);
            }
        }
        start(Stage.ANY, 0);
    }

    /** Waits until so many messages have been applied, and all outputs have been sent. */
    void awaitDone(long messages) {
        Waiting.until(
                PATIENCE,
                PAUSE,
                () -> {
                    failIfOneHasEnded();
                    return applied() >= messages && number("SELECT count(*) FROM %s.output") == 0;
                },
                () ->
                        "stall: %d of %d messages applied, %d outputs wait%s"
                                .formatted(
                                        applied(),
                                        messages,
                                        number("SELECT count(*) FROM %s.output"),
                                        lastWords(running.get(0))));
    }

    /** Messages that are in rows. */
    long applied() {
        return number("SELECT coalesce(sum((state::jsonb ->> 'messages')::int8), 0) FROM %s.state");
    }

    /** Relays whose outputs another one has taken over. */
    long takenOver() {
        return number("SELECT count(*) FROM %s.relay WHERE served_by IS NOT NULL");
    }

    private long number(String sql) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql.formatted(name))) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Those without a stage are to run until they are ended. */
    void failIfOneHasEnded() {
        for (Armed each : running) {
            if (each.stage() == Stage.ANY && !each.process().isAlive()) {
                throw new IllegalStateException(lastWords(each));
            }
        }
    }

    private static String lastWords(Armed process) {
        return "\nthe end of the log of "
                + process.process().name()
                + ":\n"
                + process.process().logTail(40);
    }

    /** Asks all to end. */
    void stop() {
        running.forEach(it -> it.process().signal(Signal.TERM));
        running.forEach(it -> it.process().awaitExit(PATIENCE));
        running.clear();
    }

    /** Kills what still runs. */
    @Override
    public void close() {
        running.stream()
                .map(Armed::process)
                .filter(ChildProcess::isAlive)
                .forEach(ChildProcess::kill);
    }
}
