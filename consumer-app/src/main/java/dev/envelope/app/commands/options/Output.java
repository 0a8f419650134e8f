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
 * What every command has: its output, and the error for wrong arguments. The options that commands
 * share extend it.
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

    /** Prints a template, filled from a document. */
    public final void fill(String template, Object document) {
        out().println(Template.fill(template, JsonMapper.shared().valueToTree(document)));
    }

    /** Whether the answer is printed as JSON. */
    public boolean isJson() {
        return false;
    }

    /** Prints an answer, as a line of JSON or in words. Returns it as JSON. */
    public final JsonNode print(Object answer, Consumer<JsonNode> forPeople) {
        JsonNode json = JsonMapper.shared().valueToTree(answer);
        if (isJson()) {
            out().println(json);
        } else {
            forPeople.accept(json);
        }
        return json;
    }

    /** Prints an answer; in words, a line for each element of a field. */
    public final void printAll(Object answer, String field, Function<JsonNode, String> line) {
        print(answer, json -> json.at(field).forEach(it -> out().println(line.apply(it))));
    }

    /** The same; in words, {@code ifNone} if the field is empty. */
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

    /** The name of the system's user. */
    public static String who() {
        return System.getProperty("user.name", "");
    }

    /** The exception for wrong arguments. */
    public final ParameterException misuse(String why) {
        return new ParameterException(line(), why);
    }
}
