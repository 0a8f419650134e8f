package dev.envelope.app.commands;

import dev.envelope.app.config.Setting;
import dev.envelope.app.config.Settings;
import dev.envelope.app.config.docs.ReferencePage;
import dev.envelope.app.config.docs.SampleFile;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

/** Shows and explains settings. Threads: one thread. */
@Command(
        name = "config",
        header = "Settings: those that hold, what each means, a sample file.",
        footer = {
            "  envelope config show -c consumer.properties",
            "  envelope config show -c consumer.properties --diff-defaults",
            "  envelope config explain prefetch.max.bytes",
            "  envelope config sample > consumer.properties",
            "  envelope config docs > configuration.md",
            "",
            "Exit codes: 0 done, 1 no such setting, 78 something is wrong."
        })
final class ConfigCommand implements Runnable {

    private static final int NOT_THERE = 1;

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    ConfigCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "what is to be done? show, explain, sample, docs");
        }
    }

    @Command(name = "show", header = "All settings that hold, with where each comes from.")
    int show(
            @Mixin ConfigOptions config,
            @Option(names = "--diff-defaults", description = "Only those that somebody has set.")
                    boolean onlySet,
            @Option(names = "--json", description = "As JSON.") boolean json) {
        Settings settings = config.load();
        List<Setting> shown =
                settings.effective().stream()
                        .filter(it -> !onlySet || !it.origin().equals(Origin.unset()))
                        .toList();
        if (json) {
            terminal.out().println(json(shown));
        } else {
            shown.forEach(
                    it ->
                            terminal.out()
                                    .printf(
                                            "%s=%s  # %s%n",
                                            it.name(), it.shown(), it.origin().describe()));
        }
        return ExitCode.OK;
    }

    private static String json(List<Setting> settings) {
        ArrayNode all = JsonMapper.builder().build().createArrayNode();
        settings.forEach(
                it ->
                        all.addObject()
                                .put("name", it.name())
                                .put("value", it.shown())
                                .put("origin", it.origin().describe()));
        return all.toString();
    }

    @Command(name = "explain", header = "What a setting means, and what it may be.")
    int explain(@Parameters(paramLabel = "SETTING", description = "Its name.") String name) {
        return Registry.find(name)
                .map(this::explain)
                .orElseGet(
                        () -> {
                            terminal.err()
                                    .printf(
                                            "there is no setting %s%s%n",
                                            name,
                                            Nearest.hint(name, Registry.names())
                                                    .map(hint -> ": " + hint)
                                                    .orElse(""));
                            return NOT_THERE;
                        });
    }

    private int explain(Key<?> key) {
        terminal.out().printf("%s%n  %s%n", key.name(), key.meaning());
        line("may be", key.type().name() + ": " + key.type().allowed());
        line(
                "default",
                key.defaultInWords().orElse(key.required() ? "none, it is required" : "none"));
        key.raiseIf().ifPresent(when -> line("raise if", when));
        key.lowerIf().ifPresent(when -> line("lower if", when));
        line("example", key.name() + "=" + key.example());
        line(
                "or as",
                "ENVELOPE_"
                        + key.name().toUpperCase(Locale.ROOT).replace('.', '_')
                        + " in the environment");
        line("since", key.since());
        line("while running", key.reloadable() ? "can be changed" : "stays as it was at the start");
        return ExitCode.OK;
    }

    private void line(String what, String words) {
        terminal.out().printf("  %-14s %s%n", what, words);
    }

    @Command(name = "sample", header = "A properties file with every setting.")
    int sample() {
        terminal.out().print(new SampleFile().render());
        terminal.out().flush();
        return ExitCode.OK;
    }

    @Command(name = "docs", header = "The reference of all settings, in Markdown.")
    int docs() {
        terminal.out().print(ReferencePage.render());
        terminal.out().flush();
        return ExitCode.OK;
    }
}
