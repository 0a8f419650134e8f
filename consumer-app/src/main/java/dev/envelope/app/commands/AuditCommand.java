package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.InDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.operator.RequestCatalog.Entry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What people have asked for. Threads: one thread. */
@Command(
        name = "audit",
        header = "Who has asked for what, when, and what came of it.",
        footer = {
            "  envelope audit -c consumer.properties",
            "  envelope audit account-7 -c consumer.properties",
            "",
            "Who that was is what they said, not what was proved."
        })
final class AuditCommand implements Callable<Integer> {

    private final Terminal terminal;

    @Mixin private ConfigOptions config = new ConfigOptions();

    @Mixin private JsonOption json = new JsonOption();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            description = "Only what is about this key or partition.")
    private @Nullable String name;

    @Option(
            names = "--limit",
            paramLabel = "COUNT",
            defaultValue = "50",
            description = "At most so many, the last ones.")
    private int limit;

    AuditCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return InDatabase.work(config.load(), this::show);
    }

    private int show(OperatorStore store) {
        try (RequestCatalog catalog = store.requests()) {
            List<Entry> entries = catalog.audit(name, limit);
            if (json.isWanted()) {
                JsonOption.print(terminal, Map.of("audit", entries));
            } else if (entries.isEmpty()) {
                terminal.out().println("nobody has asked for anything");
            } else {
                entries.forEach(this::print);
            }
            return ExitCode.OK;
        }
    }

    private void print(Entry entry) {
        String answer = entry.answer();
        terminal.out()
                .printf(
                        "%s  %s  %s %s: %s%n",
                        entry.at(),
                        entry.who().isEmpty() ? "somebody" : entry.who(),
                        entry.what(),
                        Words.quote(entry.name()),
                        answer == null ? "not carried out yet" : answer);
    }
}
