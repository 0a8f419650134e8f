package dev.envelope.app.commands.remote;

import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.ops.api.PauseDocument;
import dev.envelope.app.terminal.Terminal;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Has something held back for a while, wherever it is read. Threads: one thread. */
@Command(
        name = "pause",
        header = "Fetch nothing more of a partition, or of any; or hold a key back.",
        footer = {
            "  envelope pause payments-3 --for 2h -c consumer.properties",
            "  envelope pause --key account-7 -c consumer.properties    others flow",
            "",
            "Written into the database (by a process with --url), for whoever reads it, until",
            "resume or its time's end; all: in one process, as long as it runs.",
            "Exit codes: 0 done, 1 no such partition, 69 no answer, 78 refused."
        })
public final class PauseCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Mixin private PauseTarget target = new PauseTarget();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "It ends by itself after that time: 30m, 2h, 1d.")
    private @Nullable String time;

    public PauseCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Optional<Duration> parsed = Optional.ofNullable(time).map(this::parsed);
        if (parsed.isPresent() && target.isAll()) {
            throw refused("--for is of a partition or a key; all are paused until resume all");
        }
        return new Holding(terminal, options).pause(target, parsed);
    }

    private Duration parsed(String text) {
        try {
            return PauseDocument.TIME.parse(text);
        } catch (BadValueException e) {
            throw refused("--for " + e.reason());
        }
    }

    private ParameterException refused(String why) {
        return new ParameterException(Objects.requireNonNull(spec).commandLine(), why);
    }
}
