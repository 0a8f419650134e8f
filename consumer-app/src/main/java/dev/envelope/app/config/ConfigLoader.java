package dev.envelope.app.config;

import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.key.Surroundings;
import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.layer.Layers;
import dev.envelope.app.config.layer.References;
import dev.envelope.app.config.problem.ProblemCollector;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads a properties file, the environment and the command line into checked settings, or reports
 * every problem. It opens nothing but files.
 */
public final class ConfigLoader {

    private final Surroundings surroundings;

    /** A loader for this machine and process. */
    public ConfigLoader(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    /**
     * The settings of a file, overridden by the environment and the flags.
     *
     * @param flags {@code key=value} pairs of the command line
     * @throws InvalidConfigException with all problems, if one of them is more than a warning
     */
    public Settings load(Path file, List<String> flags) {
        ProblemCollector problems = new ProblemCollector();
        Layers layers = new Layers(flags, surroundings.workingDirectory(), problems);
        layers.file(file);
        layers.environment(surroundings.environment(), Registry.names(), Registry.prefixes());
        layers.flags();
        Settings settings = type(layers, problems);
        new SecretChecks(settings, problems).check(layers.entries());
        Findings findings = new Findings(settings, problems);
        new CrossChecks(settings, findings).check(surroundings);
        new MeaningChecks(settings, findings).check();
        new SlotChecks(settings, findings).check();
        new TableChecks(settings, findings).check();
        new PlaceChecks(settings, findings).check();
        new WorkChecks(settings, findings).check();
        new TransportChecks(settings, findings).check(problems);
        new GatewayChecks(settings, findings).check();
        if (problems.problems().refused()) {
            throw new InvalidConfigException(problems.problems());
        }
        return settings.with(problems.problems());
    }

    private Settings type(Layers layers, ProblemCollector problems) {
        Path directory = surroundings.workingDirectory();
        References references = new References(surroundings.environment(), directory, problems);
        SettingsDraft draft = new SettingsDraft(directory, problems);
        for (Entry entry : layers.entries()) {
            draft.show(entry);
            references.resolve(entry).ifPresent(value -> draft.add(entry.with(value)));
        }
        return draft.complete(surroundings, layers.isAllRead());
    }
}
