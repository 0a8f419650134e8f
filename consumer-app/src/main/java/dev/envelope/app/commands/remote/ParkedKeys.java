package dev.envelope.app.commands.remote;

import dev.envelope.app.ops.api.ParkedDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The keys that have parked messages, as the database says, or a process that is named by its
 * address. Threads: one thread.
 */
public final class ParkedKeys {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final int MOST = 100_000;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Mixin private RemoteOptions options = new RemoteOptions();

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            description = "Only keys with a message that was parked for it.")
    private @Nullable String reason;

    @Option(
            names = "--limit",
            paramLabel = "COUNT",
            defaultValue = "50",
            description = "At most so many.")
    private int limit;

    @Option(
            names = "--after",
            paramLabel = "POSITION",
            defaultValue = "0",
            description = "Go on behind these.")
    private long after;

    /** Whether it is said whose. */
    public boolean isOfSome() {
        return options.isOfSome();
    }

    /** Prints them; returns the code to exit with. */
    public int print(Terminal terminal) {
        if ((limit < 1 || limit > MOST) && spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "--limit is from 1 to %,d".formatted(MOST));
        }
        JsonNode found = options.isOfOneProcess() ? ofProcess() : inDatabase();
        if (options.json()) {
            terminal.out().println(found);
            return ExitCode.OK;
        }
        JsonNode keys = found.at("/keys");
        keys.forEach(key -> print(terminal, key));
        if (found.at("/more").asBoolean()) {
            JsonNode all = found.at("/allKeys");
            terminal.out()
                    .printf(
                            "%,d of %s keys; go on with --after %d%n",
                            keys.size(),
                            all.isMissingNode() ? "more" : "%,d".formatted(all.asLong()),
                            keys.get(keys.size() - 1).at("/position").asLong());
        }
        JsonNode withoutRow = found.at("/withoutRow");
        withoutRow
                .properties()
                .forEach(
                        it ->
                                terminal.out()
                                        .printf(
                                                "without a row: %,d %s%n",
                                                it.getValue().asLong(), it.getKey()));
        if (keys.isEmpty() && withoutRow.isEmpty()) {
            terminal.out().println("nothing is parked");
        }
        return ExitCode.OK;
    }

    private JsonNode ofProcess() {
        String only = reason == null ? "" : "&reason=" + Remote.encoded(reason);
        return options.remote()
                .get("/api/parked?limit=%d&after=%d%s".formatted(limit, after, only))
                .json();
    }

    private JsonNode inDatabase() {
        return InDatabase.work(options.settings().orElseThrow(), this::document);
    }

    private JsonNode document(OperatorStore store) {
        try (ParkedCatalog catalog = store.parked()) {
            List<ParkedKey> keys = catalog.keys(reason, after, limit + 1);
            Map<String, Object> document = ParkedDocument.keys(keys, catalog.reasons(), limit);
            if (keys.size() > limit && !options.json()) {
                document.put("allKeys", catalog.countKeys());
            }
            return MAPPER.valueToTree(document);
        }
    }

    private static void print(Terminal terminal, JsonNode key) {
        terminal.out()
                .printf(
                        "%s  %,d parked since %s; the first, %s, %s after %s: %s%n",
                        Words.quote(key.at("/key").asString()),
                        key.at("/messages").asLong(),
                        key.at("/since").asString(),
                        key.at("/first").asString(),
                        key.at("/reason").asString(),
                        Words.count(key.at("/attempts").asLong(), "attempt"),
                        Words.quote(key.at("/error").asString()));
    }
}
