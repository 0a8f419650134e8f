package dev.envelope.app.commands;

import dev.envelope.app.config.Settings;
import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.database.ApplicationDatabase;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.start.KafkaCheck;
import dev.envelope.app.start.StartGate;
import dev.envelope.app.start.StateCheck;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.app.wiring.ApplicationWiring;
import dev.envelope.app.wiring.EngineWiring;
import dev.envelope.app.wiring.HandlerWiring;
import dev.envelope.app.wiring.PinWiring;
import dev.envelope.idempotency.fold.StateCodec;
import dev.envelope.idempotency.store.pin.PinStore;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Says whether a start would succeed. Threads: one thread. */
@Command(
        name = "validate",
        header = "Check the settings, and with --online the servers too.",
        footer = {
            "  envelope validate -c config/consumer.properties",
            "  envelope validate -c consumer.properties --online",
            "",
            "Exit codes: 0 all is well, 69 no broker or no database, 78 something is wrong."
        })
final class ValidateCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Option(
            names = "--online",
            description = "Also ask the broker and the database, as a start does.")
    private boolean online;

    ValidateCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws InterruptedException {
        Settings settings = config.load();
        ApplicationDatabase database = ApplicationDatabase.of(settings, Instance.name());
        EngineWiring.of(settings, Instance.name());
        try (HandlerSpec<?, ?> handler = HandlerWiring.resolve(settings)) {
            terminal.err().print(settings.warnings().render());
            if (online) {
                ask(settings, database, handler.stateCodec());
            }
            terminal.out()
                    .printf(
                            "ok: %s, settings %s%s%n",
                            handler.description(),
                            settings.fingerprint(),
                            online ? ", both servers are ready" : "");
        }
        return ExitCode.OK;
    }

    private void ask(Settings settings, ApplicationDatabase database, StateCodec<?> codec)
            throws InterruptedException {
        KafkaCheck kafka = ApplicationWiring.kafka(settings);
        new StartGate(
                        terminal.err()::println,
                        System::nanoTime,
                        List.of(kafka, database.asking()),
                        List.of(
                                PinWiring.check(settings, database, kafka, PinStore::compare),
                                new StateCheck(database::someStates, codec)))
                .await(settings.get(OperationKeys.START_TIMEOUT), new CountDownLatch(1));
    }
}
