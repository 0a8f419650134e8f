package dev.envelope.app.commands.parked;

import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.remote.Remote;
import dev.envelope.app.commands.remote.RemoteOptions;
import dev.envelope.app.ops.api.ParkedDocument;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/**
 * Lists the keys that have parked messages, from the database or, with {@code --url}, from a
 * process. Threads: one thread.
 */
final class ParkedKeys extends Output {

    private static final int MOST = 100_000;

    private static final String KEY =
            "{key|quoted}  {messages|%,d} parked since {since}; the first, {first}, {reason} after"
                    + " {attempts|attempt}: {error|quoted}";

    @Mixin private RemoteOptions process = new RemoteOptions();

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

    /** Whether a file or an address is given. */
    boolean isOfSome() {
        return process.isOfSome();
    }

    /** Prints the keys. */
    void print() {
        requireSome(this, limit);
        String only = reason == null ? "" : "&reason=" + Remote.encoded(reason);
        String path = "/api/parked?limit=%d&after=%d%s".formatted(limit, after, only);
        process.print(process.read(path, OperatorStore::parked, this::document), this::print);
    }

    /** Refuses a limit below 1, and one that may not fit in memory. */
    static void requireSome(Output output, int limit) {
        if (limit < 1 || limit > MOST) {
            throw output.misuse("--limit is from 1 to %,d".formatted(MOST));
        }
    }

    private Map<String, Object> document(ParkedCatalog catalog) {
        List<ParkedKey> keys = catalog.keys(reason, after, limit + 1);
        Map<String, Object> document = ParkedDocument.keys(keys, catalog.reasons(), limit);
        if (keys.size() > limit && !process.isJson()) {
            document.put("allKeys", catalog.countKeys());
        }
        return document;
    }

    private void print(JsonNode found) {
        JsonNode keys = found.at("/keys");
        keys.forEach(key -> process.fill(KEY, key));
        if (found.at("/more").asBoolean()) {
            JsonNode all = found.at("/allKeys");
            process.say(
                    "%,d of %s keys; go on with --after %d",
                    keys.size(),
                    all.isMissingNode() ? "more" : "%,d".formatted(all.asLong()),
                    keys.get(keys.size() - 1).at("/position").asLong());
        }
        JsonNode withoutRow = found.at("/withoutRow");
        withoutRow.forEachEntry(
                (why, count) -> process.say("without a row: %,d %s", count.asLong(), why));
        if (keys.isEmpty() && withoutRow.isEmpty()) {
            process.say("nothing is parked");
        }
    }
}
