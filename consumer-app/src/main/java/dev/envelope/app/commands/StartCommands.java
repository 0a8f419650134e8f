package dev.envelope.app.commands;

import dev.envelope.app.commands.options.ConfigOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.StoreKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.app.process.ConsumerProcess;
import dev.envelope.app.process.Instance;
import dev.envelope.app.process.Mode;
import dev.envelope.app.process.Modes;
import dev.envelope.app.process.Version;
import dev.envelope.app.start.ServerCheck;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.wiring.EngineWiring;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.utils.AppInfoParser;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The commands that run the program, prepare a start, or print facts about it: a method each. */
final class StartCommands {

    private StartCommands() {}

    @Command(
            name = "run",
            header = "Consume until SIGTERM or Ctrl-C; then save what was fetched.",
            footer = {
                "  envelope run -c config/consumer.properties",
                "  envelope run -c consumer.properties --set http.listen=127.0.0.1:0",
                "  kill -HUP PID          reads the settings again: pool.size, log.level",
                "",
                "Exit codes: 0 stopped and saved, 69 no broker or no database at start,",
                "70 the program failed, 78 a setting is wrong, 143 not saved in time."
            })
    static int run(@Mixin ConfigOptions config) throws InterruptedException {
        return new ConsumerProcess(config.load(), config::load).run();
    }

    @Command(
            name = "validate",
            header = "Check the settings, and with --online the servers too.",
            footer = {
                "  envelope validate -c config/consumer.properties",
                "  envelope validate -c consumer.properties --online",
                "",
                "Exit codes: 0 all is well, 69 no broker or no database, 78 something is wrong."
            })
    static void validate(
            @Mixin ConfigOptions config,
            @Option(
                            names = "--online",
                            description = "Also ask the broker and the database, as a start does.")
                    boolean online)
            throws InterruptedException {
        Settings settings = config.load();
        EngineWiring.of(settings, Instance.name());
        try (Mode mode = Modes.of(settings, Instance.name(), new GivenUpFields())) {
            config.err().print(settings.warnings().render());
            if (online) {
                await(config, settings, mode.asking());
            }
            config.say(
                    "ok: %s, settings %s%s",
                    mode.handler(),
                    settings.fingerprint(),
                    online ? ", the servers are ready" : "");
        }
    }

    private static void await(Output output, Settings settings, List<List<ServerCheck>> stages)
            throws InterruptedException {
        new StartGate(output.err()::println, System::nanoTime, stages)
                .await(settings.get(OperationKeys.START_TIMEOUT), new CountDownLatch(1));
    }

    @Command(
            name = "migrate",
            header = "Create the tables, or bring them up to date.",
            footer = {
                "  envelope migrate -c config/consumer.properties",
                "  envelope migrate -c config/consumer.properties --print-sql > tables.sql",
                "",
                "Exit codes: 0 done, 69 no database, 78 a setting or a right is wrong."
            })
    static void migrate(
            @Mixin ConfigOptions config,
            @Option(
                            names = "--print-sql",
                            description = "Only print what would be done in an empty database.")
                    boolean printSql)
            throws InterruptedException {
        Settings settings = config.load();
        ApplicationDatabase database = ApplicationDatabase.of(settings, Instance.name());
        if (printSql) {
            config.out().print(database.migrationScript());
        } else {
            await(config, settings, List.of(List.of(database.migration())));
            config.say("ok: schema %s is up to date", settings.get(StoreKeys.SCHEMA));
        }
    }

    @Command(
            name = "classpath",
            header = "Print the class path to compile a handler against.",
            footer = "  envelope classpath   as in javac -cp \"$(envelope classpath)\" …")
    static void classpath(@Mixin Output output) {
        output.out().println(System.getProperty("java.class.path", ""));
    }

    @Command(
            name = "completion",
            header = "Print what lets bash and zsh complete commands and options.",
            footer = {
                "  source <(envelope completion)",
                "  envelope completion > /etc/bash_completion.d/envelope"
            })
    static void completion(@Mixin Output output) {
        output.out().print(AutoComplete.bash("envelope", output.line().getParent()));
    }

    @Command(
            name = "version",
            header = "Print the versions of envelope, Java and the Kafka client.",
            footer = "  envelope version")
    static void version(@Mixin Output output) {
        output.say("envelope %s", Version.current());
        output.say("java %s", Runtime.version());
        output.say("kafka-clients %s", AppInfoParser.getVersion());
    }
}
