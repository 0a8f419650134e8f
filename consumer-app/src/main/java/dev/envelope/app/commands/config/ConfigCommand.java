package dev.envelope.app.commands.config;

import dev.envelope.app.commands.options.ConfigOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.options.ShownSetting;
import dev.envelope.app.config.docs.ReferencePage;
import dev.envelope.app.config.docs.SampleFile;
import dev.envelope.app.config.key.Key;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.problem.Nearest;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.process.ExitCode;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.json.JsonMapper;

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
public final class ConfigCommand implements Runnable {

    private static final int NOT_THERE = 1;

    @Mixin private Output output = new Output();

    @Override
    public void run() {
        throw output.misuse("what is to be done? show, explain, sample, docs");
    }

    @Command(name = "show", header = "All settings that hold, with where each comes from.")
    void show(
            @Mixin ConfigOptions config,
            @Option(names = "--diff-defaults", description = "Only those that somebody has set.")
                    boolean onlySet,
            @Option(names = "--json", description = "As JSON.") boolean json) {
        List<ShownSetting> shown =
                config.load().effective().stream()
                        .filter(it -> !onlySet || !it.origin().equals(Origin.unset()))
                        .map(ShownSetting::of)
                        .toList();
        if (json) {
            config.out().println(JsonMapper.shared().writeValueAsString(shown));
        } else {
            shown.forEach(it -> config.say("%s=%s  # %s", it.name(), it.value(), it.origin()));
        }
    }

    @Command(name = "explain", header = "What a setting means, and what it may be.")
    int explain(@Parameters(paramLabel = "SETTING", description = "Its name.") String name) {
        Optional<Key<?>> key = Registry.find(name);
        if (key.isEmpty()) {
            String hint = Nearest.hint(name, Registry.names()).map(it -> ": " + it).orElse("");
            output.err().printf("there is no setting %s%s%n", name, hint);
            return NOT_THERE;
        }
        explain(key.get());
        return ExitCode.OK;
    }

    private void explain(Key<?> key) {
        output.say("%s%n  %s", key.name(), key.meaning());
        line("may be", key.type().name() + ": " + key.type().allowed());
        line(
                "default",
                key.defaultInWords().orElse(key.required() ? "none, it is required" : "none"));
        key.raiseIf().ifPresent(when -> line("raise if", when));
        key.lowerIf().ifPresent(when -> line("lower if", when));
        line("example", key.name() + "=" + key.example());
        String variable = key.name().toUpperCase(Locale.ROOT).replace('.', '_');
        line("or as", "ENVELOPE_" + variable + " in the environment");
        line("since", key.since());
        line("while running", key.reloadable() ? "can be changed" : "stays as it was at the start");
    }

    private void line(String what, String words) {
        output.say("  %-14s %s", what, words);
    }

    @Command(name = "sample", header = "A properties file with every setting.")
    void sample() {
        output.out().print(new SampleFile().render());
    }

    @Command(name = "docs", header = "The reference of all settings, in Markdown.")
    void docs() {
        output.out().print(ReferencePage.render());
    }
}
