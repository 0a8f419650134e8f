package dev.envelope.app.commands;

import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Version;
import dev.envelope.app.terminal.Terminal;
import java.util.concurrent.Callable;
import org.apache.kafka.common.utils.AppInfoParser;
import picocli.CommandLine.Command;

/** Says what runs here. Threads: one thread. */
@Command(
        name = "version",
        header = "Print the versions of envelope, Java and the Kafka client.",
        footer = "  envelope version")
final class VersionCommand implements Callable<Integer> {

    private final Terminal terminal;

    VersionCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        terminal.out().printf("envelope %s%n", Version.current());
        terminal.out().printf("java %s%n", Runtime.version());
        terminal.out().printf("kafka-clients %s%n", AppInfoParser.getVersion());
        return ExitCode.OK;
    }
}
