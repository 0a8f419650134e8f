package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Has whatever comes of a key parked. Threads: one thread. */
@Command(
        name = "quarantine",
        header = "Park whatever comes of a key, until it is redriven or dropped.",
        footer = {
            "  envelope key quarantine account-7 -c consumer.properties",
            "  envelope parked redrive account-7 -c consumer.properties   ends it",
            "",
            "It holds whoever reads the partition, and over restarts. Whoever runs the",
            "application carries it out. For a while and one process: envelope pause --key.",
            "Exit codes: 0 done, 1 not done or waiting, 69 no database."
        })
final class KeyQuarantineCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private KeyRequest request = new KeyRequest();

    KeyQuarantineCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return request.run(terminal, null, (catalog, key, by) -> catalog.askToQuarantine(key, by));
    }
}
