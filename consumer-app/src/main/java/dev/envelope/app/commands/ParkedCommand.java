package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.InDatabase;
import dev.envelope.app.commands.remote.ParkedKeys;
import dev.envelope.app.ops.api.ParkedDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at parked messages, and asks for something to be done with them. Threads: one thread. */
@Command(
        name = "parked",
        customSynopsis = "envelope parked COMMAND, or list's options alone",
        header = "Messages that failed for the last time: look, redrive, drop, edit.",
        footer = {
            "  envelope parked list -c consumer.properties",
            "  envelope parked show account-7 -c consumer.properties",
            "  envelope parked redrive account-7 -c consumer.properties   the cause is mended",
            "  envelope parked skip account-7 -c consumer.properties      without the first",
            "  envelope parked edit account-7 @value.json -c consumer.properties",
            "  envelope parked drop account-7 -c consumer.properties      without any of them",
            "  envelope parked bulk redrive --all -c consumer.properties  of many keys",
            "  envelope parked export -c consumer.properties > parked.jsonl",
            "A running instance does it. Exit codes: 0 done, 1 not done, 69 no database."
        })
final class ParkedCommand implements Callable<Integer> {

    private static final int NOT_DONE = 1;
    private static final int MOST = 100_000;

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private ParkedKeys keys = new ParkedKeys();

    ParkedCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (!keys.isOfSome() && spec != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "what is to be done? list, show, redrive, skip, drop, edit, bulk, export");
        }
        return keys.print(terminal);
    }

    @Command(name = "list", header = "The keys that have parked messages, longest parked first.")
    int list(@Mixin ParkedKeys keys) {
        return keys.print(terminal);
    }

    @Command(
            name = "show",
            header = "The parked messages of a key, in their order.",
            footer = {
                "  envelope parked show account-7 -c consumer.properties",
                "  envelope parked show --without-row -c consumer.properties"
            })
    int show(
            @Mixin ConfigOptions config,
            @Mixin JsonOption json,
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "The row's key.")
                    @Nullable String key,
            @Option(names = "--without-row", description = "Those that can't have a row.")
                    boolean withoutRow,
            @Option(
                            names = "--limit",
                            paramLabel = "COUNT",
                            defaultValue = "10",
                            description = "At most so many.")
                    int limit) {
        requireOne(key != null, withoutRow, "a key, or --without-row");
        requireSome(limit);
        return with(
                config,
                catalog -> {
                    List<Entry> messages =
                            withoutRow
                                    ? catalog.messagesWithoutRow(0, limit + 1)
                                    : catalog.messages(key, 0, limit + 1);
                    if (json.isWanted()) {
                        JsonOption.print(terminal, ParkedDocument.messages(key, messages, limit));
                        return ExitCode.OK;
                    }
                    messages.stream().limit(limit).forEach(this::print);
                    if (messages.size() > limit) {
                        terminal.out().println("and more: --limit, or envelope parked export");
                    }
                    if (messages.isEmpty()) {
                        terminal.out()
                                .printf(
                                        "nothing %s is parked%n",
                                        key == null ? "without a row" : "of " + Words.quote(key));
                    }
                    return ExitCode.OK;
                });
    }

    private void requireSome(int limit) {
        if ((limit < 1 || limit > MOST) && spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "--limit is from 1 to %,d".formatted(MOST));
        }
    }

    private void requireOne(boolean one, boolean other, String what) {
        if (one == other && spec != null) {
            throw new ParameterException(spec.commandLine(), "which messages? " + what);
        }
    }

    private void print(Entry message) {
        if (message.rowKey() == null) {
            terminal.out().printf("id %d, ", message.position());
        }
        Instant again = message.failedAgain();
        terminal.out()
                .printf(
                        "%s of %s: %s, %s%s%n  error  %s%n  value  %s%n",
                        message.place(),
                        Instant.ofEpochMilli(message.timestampMillis()),
                        message.reason(),
                        Words.count(message.attempts(), "attempt"),
                        again == null ? "" : ", last tried by a redrive at " + again,
                        Words.quote(message.error()),
                        legible(message.value(), message.valueBytes()));
        message.headers()
                .forEach(
                        header ->
                                terminal.out()
                                        .printf(
                                                "  header %s = %s%n",
                                                Words.quote(header.key()),
                                                legible(header.value())));
    }

    private static String legible(byte @Nullable [] bytes) {
        return legible(bytes, bytes == null ? 0 : bytes.length);
    }

    /** The beginning of what has that length. */
    private static String legible(byte @Nullable [] bytes, int length) {
        return bytes == null
                ? "none"
                : "%s (%,d bytes)"
                        .formatted(Words.quote(new String(bytes, StandardCharsets.UTF_8)), length);
    }

    @Command(name = "redrive", header = "Fold the parked messages of a key, and let it flow again.")
    int redrive(
            @Mixin ConfigOptions config,
            @Mixin JsonOption json,
            @Parameters(paramLabel = "KEY", description = "The row's key.") String key) {
        return ask(config, json, key, Action.REDRIVE);
    }

    @Command(name = "skip", header = "Delete a key's first parked message, and redrive the others.")
    int skip(
            @Mixin ConfigOptions config,
            @Mixin JsonOption json,
            @Parameters(paramLabel = "KEY", description = "The row's key.") String key) {
        return ask(config, json, key, Action.SKIP);
    }

    @Command(
            name = "drop",
            header = "Delete all parked messages of a key, and let it flow again.",
            footer = {
                "  envelope parked drop account-7 -c consumer.properties",
                "  envelope parked drop --id 17,18 -c consumer.properties   that have no row",
                "",
                "What is parked after that was asked for stays, and keeps the key parked."
            })
    int drop(
            @Mixin ConfigOptions config,
            @Mixin JsonOption json,
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "The row's key.")
                    @Nullable String key,
            @Option(
                            names = "--id",
                            split = ",",
                            paramLabel = "ID",
                            description =
                                    "Instead: messages without a row, by the ids that show"
                                            + " --without-row prints. Nothing waits for them, so"
                                            + " they are deleted at once.")
                    @Nullable List<Long> ids) {
        requireOne(key != null, ids != null, "those of a key, or --id of some without a row");
        return key == null
                ? with(config, catalog -> delete(catalog, json, ids == null ? List.of() : ids))
                : ask(config, json, key, Action.DROP);
    }

    private int ask(ConfigOptions config, JsonOption json, String key, Action action) {
        return new RequestDialog(terminal, json)
                .run(
                        config,
                        (catalog, by) -> catalog.ask(key, action, by),
                        "nothing of %s is parked".formatted(Words.quote(key)));
    }

    private int delete(ParkedCatalog catalog, JsonOption json, List<Long> ids) {
        List<Long> deleted = catalog.deleteWithoutRow(ids, System.getProperty("user.name", ""));
        List<Long> missing = ids.stream().filter(id -> !deleted.contains(id)).toList();
        if (json.isWanted()) {
            JsonOption.print(terminal, Map.of("dropped", deleted.size(), "missing", missing));
            return missing.isEmpty() ? ExitCode.OK : NOT_DONE;
        }
        terminal.out().printf("dropped %d%n", deleted.size());
        if (!missing.isEmpty()) {
            terminal.out().printf("no message without a row has the id %s%n", missing);
        }
        return missing.isEmpty() ? ExitCode.OK : NOT_DONE;
    }

    @Command(name = "export", header = "Parked messages as JSON lines, with all their bytes.")
    int export(
            @Mixin ConfigOptions config,
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "Only those of this row.")
                    @Nullable String key) {
        return with(
                config,
                catalog -> {
                    catalog.export(key, entry -> terminal.out().println(ParkedJson.of(entry)));
                    return ExitCode.OK;
                });
    }

    private static int with(ConfigOptions config, ToIntFunction<ParkedCatalog> work) {
        return InDatabase.work(
                config.load(),
                store -> {
                    try (ParkedCatalog catalog = store.parked()) {
                        return work.applyAsInt(catalog);
                    }
                });
    }
}
