package dev.envelope.app.commands.remote;

import dev.envelope.core.offset.Pauses.Kind;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What is held or let go: a partition, all of them, or a key. Threads: one thread. */
final class PauseTarget {

    private static final String ALL = "all";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "PARTITION",
            arity = "0..1",
            description = "Topic and number, payments-3; or all, of one process.")
    private @Nullable String partition;

    @Option(names = "--key", paramLabel = "KEY", description = "Instead: a row's key.")
    private @Nullable String key;

    /** Where that is asked for. */
    String path(String verb) {
        return kind() == Kind.KEY
                ? "/api/keys/%s?key=%s".formatted(verb, Remote.encoded(name()))
                : "/api/%s?partition=%s".formatted(verb, Remote.encoded(name()));
    }

    Kind kind() {
        return key == null ? Kind.PARTITION : Kind.KEY;
    }

    String name() {
        String ofKey = key;
        String ofPartition = partition;
        if (ofKey != null && ofPartition == null) {
            return ofKey;
        } else if (ofPartition != null && ofKey == null) {
            return ofPartition;
        }
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(),
                "which? a partition (payments-3), all, or --key KEY");
    }

    /** Whether it is all that one process reads: the database knows nothing of that. */
    boolean isAll() {
        return name().equals(ALL) && kind() == Kind.PARTITION;
    }
}
