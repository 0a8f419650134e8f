package dev.envelope.app.commands;

import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.parked.Replacement;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Puts another value in the place of a key's first parked message. Threads: one thread. */
@Command(
        name = "edit",
        header = "Another value for a key's first parked message; then redrive.",
        footer = {
            "  envelope parked edit account-7 '{\"amount\": 12}' -c consumer.properties",
            "  envelope parked edit account-7 @value.bin -c consumer.properties",
            "  envelope parked edit account-7 --tombstone -c consumer.properties",
            "",
            "The former value is kept, in the table replacement. Whenever the message is",
            "read from the topic again, it has the new one."
        })
final class ParkedEditCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Parameters(index = "0", paramLabel = "KEY", description = "The row's key.")
    private String key = "";

    @Parameters(
            index = "1",
            paramLabel = "VALUE",
            arity = "0..1",
            description = "The bytes as text, " + FileOrText.DESCRIBED)
    private @Nullable String value;

    @Option(names = "--tombstone", description = "Instead: no value.")
    private boolean tombstone;

    ParkedEditCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        CommandLine line = Objects.requireNonNull(spec).commandLine();
        if (tombstone == (value != null)) {
            throw new ParameterException(line, "which value? VALUE, or --tombstone");
        }
        byte[] bytes = value == null ? null : FileOrText.read(line, value);
        if (bytes != null && bytes.length > Replacement.MOST_BYTES) {
            throw new ParameterException(
                    line, "a value has at most %,d bytes".formatted(Replacement.MOST_BYTES));
        }
        return new RequestDialog(terminal, json)
                .run(
                        config,
                        (catalog, by) -> catalog.askToEdit(key, bytes, by),
                        "nothing of %s is parked, or %,d messages have another value already"
                                .formatted(Words.quote(key), Replacement.MOST));
    }
}
