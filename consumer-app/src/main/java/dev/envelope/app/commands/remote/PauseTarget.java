package dev.envelope.app.commands.remote;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What is held or let go: a partition, all of them, or a key. Threads: one thread. */
final class PauseTarget {

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Parameters(
            paramLabel = "PARTITION",
            arity = "0..1",
            description = "Topic and number, payments-3; or all.")
    private @Nullable String partition;

    @Option(names = "--key", paramLabel = "KEY", description = "Instead: a row's key.")
    private @Nullable String key;

    /** Where that is asked for. */
    String path(String verb) {
        String ofKey = key;
        String ofPartition = partition;
        if (ofKey != null && ofPartition == null) {
            return "/api/keys/%s?key=%s".formatted(verb, Remote.encoded(ofKey));
        } else if (ofPartition != null && ofKey == null) {
            return "/api/%s?partition=%s".formatted(verb, Remote.encoded(ofPartition));
        }
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(),
                "which? a partition (payments-3), all, or --key KEY");
    }
}
