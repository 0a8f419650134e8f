package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.ops.OutputsDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Template;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.OutputCatalog;
import dev.envelope.idempotency.store.operator.OutputCatalog.Done;
import java.io.PrintWriter;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Lists outputs that wait for Kafka, and decides on refused ones. Threads: one thread. */
@Command(
        name = "outputs",
        header = "What handlers have emitted and waits for Kafka; what Kafka refuses.",
        footer = {
            "  envelope outputs list -c consumer.properties",
            "  envelope outputs retry 4711 -c consumer.properties     once the topic takes it",
            "  envelope outputs retry --all -c consumer.properties",
            "  envelope outputs drop 4711 -c consumer.properties      it is never sent",
            "",
            "Refused ones are tried again by themselves, after ten seconds to five minutes;",
            "later ones of their key and topic wait for them. What is retried or dropped is",
            "all that is refused at a position, and envelope audit shows who has done it.",
            "Exit codes: 0 done, 1 nothing refused is there, or it is being sent just now,",
            "69 no database."
        })
public final class OutputsCommand implements Runnable {

    @Mixin private Output output = new Output();

    @Override
    public void run() {
        throw output.misuse("what is to be done? list, retry, drop");
    }

    @Command(name = "list", header = "What waits, by topic; what is refused, and why.")
    void list(
            @Mixin DatabaseOptions database,
            @Option(
                            names = "--after",
                            paramLabel = "POSITION",
                            defaultValue = "0",
                            description = "Refused ones behind this position.")
                    long after,
            @Option(
                            names = "--limit",
                            paramLabel = "COUNT",
                            defaultValue = "50",
                            description = "At most so many of them.")
                    int limit) {
        database.print(
                database.inDatabase(
                        OperatorStore::outputs, it -> OutputsDocument.of(it, after, limit)),
                json -> tell(database.out(), json));
    }

    private static void tell(PrintWriter to, JsonNode json) {
        JsonNode topics = json.at("/topics");
        if (topics.isEmpty()) {
            to.println("no output waits");
            return;
        }
        String line = "{topic|line}: {outputs} wait, the first since {since}; {refused} refused";
        topics.forEach(it -> to.println(Template.fill(line, it)));
        if (!json.at("/tended").asBoolean()) {
            to.println("no process sends them: none was seen in the last 15 s. Start one");
        }
        json.at("/refused").forEach(it -> to.println(Template.fill(refused(it), it)));
        if (json.at("/more").asBoolean()) {
            to.println("and more: --after");
        }
    }

    private static String refused(JsonNode output) {
        return "{position}  to {topic|line}, "
                + (output.at("/key").isNull() ? "no key" : "key {key|quoted}")
                + ", of {message?a source that is gone}, {tries|try} since {since}: {why|line}";
    }

    @Command(name = "retry", header = "Send refused outputs with the next batch.")
    int retry(
            @Mixin DatabaseOptions database,
            @Parameters(
                            paramLabel = "POSITION",
                            arity = "0..1",
                            description = "As envelope outputs list shows it.")
                    @Nullable Long position,
            @Option(names = "--all", description = "All that are refused.") boolean isAll) {
        if (isAll == (position != null)) {
            throw output.misuse("which? POSITION or --all");
        }
        return decide(database, it -> it.retry(position, Output.who()));
    }

    @Command(name = "drop", header = "Delete refused outputs: they are never sent.")
    int drop(
            @Mixin DatabaseOptions database,
            @Parameters(paramLabel = "POSITION", description = "As envelope outputs list shows it.")
                    long position) {
        return decide(database, it -> it.drop(position, Output.who()));
    }

    private static int decide(DatabaseOptions database, Function<OutputCatalog, Done> decision) {
        Done done = database.inDatabase(OperatorStore::outputs, decision);
        boolean isDone = done.outputs() > 0;
        PrintWriter to = isDone ? database.out() : database.err();
        database.print(
                Map.of("outputs", done.outputs(), "underWay", done.underWay()),
                json -> to.println(OutputsDocument.inWords(done)));
        return isDone ? ExitCode.OK : Output.NOT_DONE;
    }
}
