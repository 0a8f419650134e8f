package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.InDatabase;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.StoppedCatalog;
import dev.envelope.idempotency.store.operator.StoppedCatalog.StoppedPartition;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at partitions that stay stopped, and resumes them. Threads: one thread. */
@Command(
        name = "partitions",
        header = "Partitions that were stopped because too much of them failed.",
        footer = {
            "  envelope partitions list -c consumer.properties",
            "  envelope partitions resume payments-3 -c consumer.properties",
            "",
            "They stay stopped over restarts and rebalances. Whoever has a partition that is",
            "resumed goes on with it within seconds; nothing was committed past what failed.",
            "Exit codes: 0 done, 1 it was not stopped, 69 no database."
        })
final class PartitionsCommand implements Runnable {

    private static final int NOT_DONE = 1;

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    PartitionsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(spec.commandLine(), "what is to be done? list, resume");
        }
    }

    @Command(name = "list", header = "The partitions that stay stopped, and why.")
    int list(@Mixin ConfigOptions config, @Mixin JsonOption json) {
        return with(
                config,
                catalog -> {
                    List<StoppedPartition> all = catalog.all();
                    if (json.isWanted()) {
                        JsonOption.print(
                                terminal,
                                Map.of(
                                        "stopped",
                                        all.stream().map(PartitionsCommand::document).toList()));
                        return ExitCode.OK;
                    }
                    all.forEach(this::print);
                    if (all.isEmpty()) {
                        terminal.out().println("none is recorded as stopped");
                    }
                    return ExitCode.OK;
                });
    }

    private static Map<String, Object> document(StoppedPartition partition) {
        return Map.of(
                "partition", partition.name(),
                "since", partition.since().toString(),
                "reason", partition.reason());
    }

    private void print(StoppedPartition partition) {
        terminal.out()
                .printf(
                        "%s  stopped since %s: %s%n",
                        partition.name(), partition.since(), Words.line(partition.reason()));
    }

    @Command(name = "resume", header = "Lets a partition go on.")
    int resume(
            @Mixin ConfigOptions config,
            @Mixin JsonOption json,
            @Parameters(paramLabel = "PARTITION", description = "Topic and number: payments-3.")
                    String partition) {
        return with(
                config,
                catalog -> {
                    boolean isResumed = catalog.resume(partition, Instance.name());
                    if (json.isWanted()) {
                        JsonOption.print(
                                terminal, Map.of("partition", partition, "resumed", isResumed));
                        return isResumed ? ExitCode.OK : NOT_DONE;
                    }
                    if (isResumed) {
                        terminal.out()
                                .printf(
                                        "%s is resumed; whoever has it goes on within seconds%n",
                                        Words.line(partition));
                        return ExitCode.OK;
                    }
                    terminal.err()
                            .printf(
                                    "%s is not recorded as stopped (envelope partitions list)%n",
                                    Words.quote(partition));
                    return NOT_DONE;
                });
    }

    private static int with(ConfigOptions config, ToIntFunction<StoppedCatalog> work) {
        return InDatabase.work(
                config.load(),
                store -> {
                    try (StoppedCatalog catalog = store.stopped()) {
                        return work.applyAsInt(catalog);
                    }
                });
    }
}
