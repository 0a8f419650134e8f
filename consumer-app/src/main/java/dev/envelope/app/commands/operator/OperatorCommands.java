package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.remote.RemoteOptions;
import dev.envelope.app.config.value.BadValueException;
import dev.envelope.app.config.value.Quantities;
import dev.envelope.app.ops.api.PauseDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.start.RefusedStartException;
import dev.envelope.app.terminal.Template;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.PauseCatalog.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/**
 * Pauses and resumes keys and partitions, and lists pauses and operators' requests. The commands
 * use the database or, with {@code --url}, a process. What applies to one process only always goes
 * to that process.
 */
public final class OperatorCommands {

    private OperatorCommands() {}

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
    static int pause(
            @Mixin RemoteOptions process,
            @Mixin PauseTarget target,
            @Option(
                            names = "--for",
                            paramLabel = "TIME",
                            description = "It ends by itself after that time: 30m, 2h, 1d.")
                    @Nullable String time) {
        Optional<Duration> parsed = Optional.ofNullable(time).map(it -> parsed(process, it));
        if (parsed.isPresent() && target.isAll()) {
            throw process.misuse(
                    "--for is of a partition or a key; all are paused until resume all");
        } else if (isAskedOf(process, target)) {
            String query = parsed.map(it -> "&for=" + Quantities.show(it)).orElse("");
            return tell(process, "paused", process.post(target.path("pause") + query));
        }
        Answer answer =
                process.inDatabase(
                        OperatorStore::pauses,
                        it -> it.pause(target.kind(), target.name(), parsed, Output.who()));
        String words = PauseDocument.inWords(answer);
        if (answer == Answer.TOO_MANY) {
            throw new RefusedStartException(List.of(words));
        }
        return tell(process, "paused", target.answer("paused", answer == Answer.PAUSED, words));
    }

    private static Duration parsed(Output output, String time) {
        try {
            return PauseDocument.TIME.parse(time);
        } catch (BadValueException e) {
            throw output.misuse("--for " + e.reason());
        }
    }

    @Command(
            name = "resume",
            header = "Fetch a partition again that was paused, or all; let a key go on.",
            footer = {
                "  envelope resume payments-3 -c consumer.properties",
                "  envelope resume all -c consumer.properties",
                "  envelope resume --key account-7 -c consumer.properties",
                "",
                "All undoes pause all, and drain, in one process; what is paused by its name is",
                "resumed by its name, in the database (by a process with --url). One that was",
                "stopped goes on by: envelope partitions resume.",
                "Exit codes: 0 done, 1 it was not paused, 69 no answer, 78 refused."
            })
    static int resume(@Mixin RemoteOptions process, @Mixin PauseTarget target) {
        if (isAskedOf(process, target)) {
            return tell(process, "resumed", process.post(target.path("resume")));
        }
        boolean wasPaused =
                process.inDatabase(
                        OperatorStore::pauses,
                        it -> it.resume(target.kind(), target.name(), Output.who()));
        return tell(
                process, "resumed", target.answer("resumed", wasPaused, PauseDocument.NOT_PAUSED));
    }

    private static boolean isAskedOf(RemoteOptions process, PauseTarget target) {
        return target.isAll() || process.isOfOneProcess();
    }

    /**
     * Prints whether it was done.
     *
     * @param done the field that the answer has if it was done; otherwise it has {@code error}
     */
    private static int tell(RemoteOptions process, String done, Object answer) {
        JsonNode json =
                process.print(
                        answer,
                        it -> {
                            if (it.has(done)) {
                                process.fill(done + ": {" + done + "}", it);
                            } else {
                                process.err().println(it.at("/error").asString());
                            }
                        });
        return json.has(done) ? ExitCode.OK : Output.NOT_DONE;
    }

    @Command(
            name = "paused",
            header = "The keys and partitions that are paused, by whom and until when.",
            footer = {
                "  envelope paused -c consumer.properties",
                "",
                "Asks the database or, with --url, a process. What all are paused by is of one",
                "process: envelope status. Exit codes: 0 done, 69 no answer."
            })
    static void paused(@Mixin RemoteOptions process) {
        process.printAll(
                process.read(
                        "/api/pauses", OperatorStore::pauses, it -> PauseDocument.of(it.all())),
                "/pauses",
                OperatorCommands::line,
                "nothing is held back");
    }

    private static String line(JsonNode pause) {
        boolean isKey = pause.at("/kind").asString().equals("key");
        return Template.fill(
                (isKey ? "key {name|quoted}" : "{name|line}")
                        + "  until {until?it is resumed}; by {by|line} since {since}",
                pause);
    }

    @Command(
            name = "audit",
            header = "Who has asked for what, when, and what came of it.",
            footer = {
                "  envelope audit -c consumer.properties",
                "  envelope audit account-7 -c consumer.properties",
                "",
                "Who that was is what they said, not what was proved."
            })
    static void audit(
            @Mixin DatabaseOptions database,
            @Parameters(
                            paramLabel = "NAME",
                            arity = "0..1",
                            description = "Only what is about this key, partition or topic.")
                    @Nullable String name,
            @Option(
                            names = "--limit",
                            paramLabel = "COUNT",
                            defaultValue = "50",
                            description = "At most so many, the last ones.")
                    int limit) {
        String line = "{at}  {who?somebody}  {what} {name|quoted}: {answer?not carried out yet}";
        database.printAll(
                Map.of(
                        "audit",
                        database.inDatabase(OperatorStore::requests, it -> it.audit(name, limit))),
                "/audit",
                it -> Template.fill(line, it),
                "nobody has asked for anything");
    }
}
