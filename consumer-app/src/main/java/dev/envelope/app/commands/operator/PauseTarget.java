package dev.envelope.app.commands.operator;

import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.remote.Remote;
import dev.envelope.core.offset.Pauses.Kind;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What is paused or resumed: a partition, all of one process, or a key. Threads: one thread. */
final class PauseTarget extends Output {

    private static final String ALL = "all";

    @Parameters(
            paramLabel = "PARTITION",
            arity = "0..1",
            description = "Topic and number, payments-3; or all, of one process.")
    private @Nullable String partition;

    @Option(names = "--key", paramLabel = "KEY", description = "Instead: a row's key.")
    private @Nullable String key;

    /** The path of the API for it. */
    String path(String verb) {
        return kind() == Kind.KEY
                ? "/api/keys/%s?key=%s".formatted(verb, Remote.encoded(name()))
                : "/api/%s?partition=%s".formatted(verb, Remote.encoded(name()));
    }

    /** The answer that a process gives too, done or not. */
    Map<String, String> answer(String done, boolean isDone, String otherwise) {
        return isDone ? Map.of(done, name()) : Map.of("error", otherwise);
    }

    Kind kind() {
        return key == null ? Kind.PARTITION : Kind.KEY;
    }

    String name() {
        if ((key == null) == (partition == null)) {
            throw misuse("which? a partition (payments-3), all, or --key KEY");
        }
        return key == null ? String.valueOf(partition) : key;
    }

    /** Whether it is all that one process reads, which is not in the database. */
    boolean isAll() {
        return name().equals(ALL) && kind() == Kind.PARTITION;
    }
}
