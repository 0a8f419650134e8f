package dev.envelope.app.config;

import dev.envelope.app.config.key.OperationKeys;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.layer.FileModes;
import dev.envelope.app.config.problem.Origin;
import dev.envelope.app.config.problem.ProblemCollector;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reports secrets that are written where others can read them.
 *
 * <p>Threads: one thread, the one that loads.
 */
final class SecretChecks {

    private final boolean strict;
    private final ProblemCollector problems;
    private final Set<String> toldFiles = new HashSet<>();

    SecretChecks(Settings settings, ProblemCollector problems) {
        this.strict = settings.find(OperationKeys.STRICT_SECRETS).orElse(false);
        this.problems = problems;
    }

    void check(List<Entry> entries) {
        entries.stream()
                .filter(entry -> Secrecy.isSecret(entry.key()) && isSetting(entry.key()))
                .filter(entry -> !entry.hasReference() && !holdsNone(entry.text()))
                .forEach(this::literal);
    }

    /** Whether the text is empty, or a JAAS line without options. */
    private static boolean holdsNone(String text) {
        return text.isEmpty() || text.matches("[\\w.$]+\\s+(required|requisite)\\s*;");
    }

    private static boolean isSetting(String key) {
        return Registry.find(key).isPresent()
                || Registry.prefixes().stream().anyMatch(key::startsWith);
    }

    private void literal(Entry entry) {
        String where;
        if (entry.origin() instanceof Origin.FileLine) {
            where = "is a secret that stands in the file itself";
        } else if (entry.origin() instanceof Origin.Flag) {
            where = "is a secret on the command line, which others can list";
        } else {
            return;
        }
        String hint =
                "refer to it: "
                        + entry.key()
                        + "=${env:NAME}, ${file:path:key} or ${dir:path:name}";
        if (strict) {
            problems.error(
                    entry.origin(), entry.key(), where + ", and config.strict.secrets is on", hint);
        } else {
            problems.warning(entry.origin(), entry.key(), where, hint);
        }
        if (entry.origin() instanceof Origin.FileLine at && toldFiles.add(at.file())) {
            FileModes.check(Path.of(at.file()), at.file(), entry, problems);
        }
    }
}
