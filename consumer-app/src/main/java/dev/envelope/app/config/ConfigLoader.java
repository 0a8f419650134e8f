package dev.envelope.app.config;

import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.problem.ProblemCollector;
import dev.envelope.app.config.source.Entry;
import dev.envelope.app.config.source.Layers;
import dev.envelope.app.config.source.References;
import dev.envelope.app.config.source.ResolvedEntry;
import java.nio.file.Path;
import java.util.List;

/**
 * Turns a properties file, the environment and the command line into checked settings, or says all
 * that is wrong with them. Nothing is opened but files.
 */
public final class ConfigLoader {

    private final Surroundings surroundings;

    /** A loader for this machine and process. */
    public ConfigLoader(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * The settings of a file with what is laid over it.
     *
     * @param flags {@code key=value} pairs of the command line
     * @throws InvalidConfigException with all problems, when there is one that is no warning
     */
    public Settings load(Path file, List<String> flags) {
        ProblemCollector problems = new ProblemCollector();
        Layers layers = collect(file, flags, problems);
        SettingsDraft draft = type(layers, problems);
        Settings settings = new Settings(draft, problems.problems());
        new SecretChecks(settings, problems).check(layers.entries());
        Findings findings = new Findings(settings, problems);
        new CrossChecks(settings, findings).check(surroundings);
        new MeaningChecks(settings, findings).check();
        new TransportChecks(settings, findings).check(problems);
        if (problems.problems().refused()) {
            throw new InvalidConfigException(problems.problems());
        }
        return new Settings(draft, problems.problems());
    }

    private Layers collect(Path file, List<String> flags, ProblemCollector problems) {
        Layers layers = new Layers(flags, surroundings.workingDirectory(), problems);
        layers.file(file);
        layers.environment(surroundings.environment(), Registry.names(), Registry.prefixes());
        layers.flags();
        return layers;
    }

    private SettingsDraft type(Layers layers, ProblemCollector problems) {
        References references =
                new References(
                        surroundings.environment(), surroundings.workingDirectory(), problems);
        SettingsDraft draft = new SettingsDraft(surroundings, problems);
        for (Entry entry : layers.entries()) {
            references
                    .resolve(entry)
                    .map(value -> new ResolvedEntry(entry, value))
                    .ifPresentOrElse(draft::add, () -> draft.addUnresolved(entry));
        }
        draft.complete(layers.isAllRead());
        SchemaName.derive(draft, problems);
        return draft;
    }
}
