package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.process.Instance;
import dev.envelope.app.terminal.Template;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.StoppedCatalog.StoppedPartition;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Lists stopped partitions, and resumes them. Threads: one thread. */
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
public final class PartitionsCommand implements Runnable {

    @Mixin private Output output = new Output();

    private record Stopped(String partition, Instant since, String reason) {

        private Stopped(StoppedPartition it) {
            this(it.name(), it.since(), it.reason());
        }
    }

    private record Resumed(String partition, boolean resumed) {}

    @Override
    public void run() {
        throw output.misuse("what is to be done? list, resume");
    }

    @Command(name = "list", header = "The partitions that stay stopped, and why.")
    void list(@Mixin DatabaseOptions database) {
        List<Stopped> all =
                database.inDatabase(
                        OperatorStore::stopped, it -> it.all().stream().map(Stopped::new).toList());
        database.printAll(
                Map.of("stopped", all),
                "/stopped",
                it -> Template.fill("{partition}  stopped since {since}: {reason|line}", it),
                "none is recorded as stopped");
    }

    @Command(name = "resume", header = "Lets a partition go on.")
    int resume(
            @Mixin DatabaseOptions database,
            @Parameters(paramLabel = "PARTITION", description = "Topic and number: payments-3.")
                    String partition) {
        boolean isResumed =
                database.inDatabase(
                        OperatorStore::stopped, it -> it.resume(partition, Instance.name()));
        PrintWriter to = isResumed ? database.out() : database.err();
        String words =
                isResumed
                        ? "{partition|line} is resumed; whoever has it goes on within seconds"
                        : "{partition|quoted} is not recorded as stopped"
                                + " (envelope partitions list)";
        database.print(
                new Resumed(partition, isResumed), json -> to.println(Template.fill(words, json)));
        return isResumed ? ExitCode.OK : Output.NOT_DONE;
    }
}
