package dev.envelope.app.commands;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes the tables, or brings them up to date. Threads: one thread. */
@Command(
        name = "migrate",
        header = "Create the tables, or bring them up to date.",
        footer = {
            "  envelope migrate -c config/consumer.properties",
            "  envelope migrate -c config/consumer.properties --print-sql > tables.sql",
            "",
            "Exit codes: 0 done, 69 no database, 78 a setting or a right is wrong."
        })
final class MigrateCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Option(
            names = "--print-sql",
            description = "Only print what would be done in an empty database.")
    private boolean printSql;

    MigrateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = config.load();
        ApplicationDatabase database = ApplicationDatabase.of(settings, Instance.name());
        if (printSql) {
            terminal.out().print(database.migrationScript());
            terminal.out().flush();
            return ExitCode.OK;
        }
        new StartGate(terminal.err()::println, System::nanoTime, List.of(database.migration()))
                .await(settings.get(OperationKeys.START_TIMEOUT), new CountDownLatch(1));
        terminal.out().printf("ok: schema %s is up to date%n", settings.get(StoreKeys.SCHEMA));
        return ExitCode.OK;
    }
}
