package dev.envelope.app.commands.options;

import dev.envelope.app.terminal.Template;
import java.io.PrintWriter;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What every command has: where it prints, and how it says that its arguments are wrong. The
 * options that commands share extend it.
 *
 * <p>Threads: one thread, the one that parses.
 */
@Command // or picocli would not take it as a mixin: it has no options
public class Output {

    /** The exit code of a command that has found nothing, or has not done what it was to do. */
    public static final int NOT_DONE = 1;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    /** The command that was called. */
    public final CommandLine line() {
        return Objects.requireNonNull(spec).commandLine();
    }

    /** Standard output, for what a program may read. */
    public final PrintWriter out() {
        return line().getOut();
    }

    /** Standard error, for everything else. */
    public final PrintWriter err() {
        return line().getErr();
    }

    /** Prints a line. */
    @SuppressWarnings("AnnotateFormatMethod") // the annotation is in a library that we do not use
    public final void say(String format, Object... arguments) {
        out().println(format.formatted(arguments));
    }

    /** Prints lines of what a document says. */
    public final void fill(String template, Object document) {
        out().println(Template.fill(template, JsonMapper.shared().valueToTree(document)));
    }

    /** Whether a program reads the answer. */
    public boolean isJson() {
        return false;
    }

    /** Prints an answer: as a line of JSON, or what people are told of it. Returns it as JSON. */
    public final JsonNode print(Object answer, Consumer<JsonNode> forPeople) {
        JsonNode json = JsonMapper.shared().valueToTree(answer);
        if (isJson()) {
            out().println(json);
        } else {
            forPeople.accept(json);
        }
        return json;
    }

    /** Prints an answer, of which people are told a line for each element of a field. */
    public final void printAll(Object answer, String field, Function<JsonNode, String> line) {
        print(answer, json -> json.at(field).forEach(it -> out().println(line.apply(it))));
    }

    /** The same; if there is none, people are told that. */
    public final void printAll(
            Object answer, String field, Function<JsonNode, String> line, String ifNone) {
        print(
                answer,
                json -> {
                    json.at(field).forEach(it -> out().println(line.apply(it)));
                    if (json.at(field).isEmpty()) {
                        out().println(ifNone);
                    }
                });
    }

    /** The user who asks, as the system names him. */
    public static String who() {
        return System.getProperty("user.name", "");
    }

    /** What is thrown where the arguments are wrong. */
    public final ParameterException misuse(String why) {
        return new ParameterException(line(), why);
    }
}
