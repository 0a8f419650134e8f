package dev.envelope.app.commands.parked;

import dev.envelope.app.commands.options.ConfigOptions;
import dev.envelope.app.commands.options.DatabaseOptions;
import dev.envelope.app.commands.options.KeyOptions;
import dev.envelope.app.commands.options.Output;
import dev.envelope.app.commands.options.RequestOptions;
import dev.envelope.app.ops.api.ParkedDocument;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Entry;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows parked messages, and requests what is to be done with them. Threads: one thread. */
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
public final class ParkedCommand implements Runnable {

    private final Terminal terminal;

    @Mixin private ParkedKeys keys = new ParkedKeys();

    public ParkedCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void run() {
        if (!keys.isOfSome()) {
            throw keys.misuse(
                    "what is to be done? list, show, redrive, skip, drop, edit, bulk, export");
        }
        keys.print();
    }

    @Command(name = "list", header = "The keys that have parked messages, longest parked first.")
    void list(@Mixin ParkedKeys keys) {
        keys.print();
    }

    @Command(
            name = "show",
            header = "The parked messages of a key, in their order.",
            footer = {
                "  envelope parked show account-7 -c consumer.properties",
                "  envelope parked show --without-row -c consumer.properties"
            })
    void show(
            @Mixin DatabaseOptions database,
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
        requireOne(database, key != null, withoutRow, "a key, or --without-row");
        ParkedKeys.requireSome(database, limit);
        List<Entry> messages =
                database.inDatabase(
                        OperatorStore::parked,
                        it ->
                                withoutRow
                                        ? it.messagesWithoutRow(0, limit + 1)
                                        : it.messages(key, 0, limit + 1));
        database.print(
                ParkedDocument.messages(key, messages, limit),
                json -> {
                    messages.stream().limit(limit).forEach(it -> print(database, it));
                    if (messages.size() > limit) {
                        database.say("and more: --limit, or envelope parked export");
                    } else if (messages.isEmpty()) {
                        String whose = key == null ? "without a row" : "of " + Words.quote(key);
                        database.say("nothing %s is parked", whose);
                    }
                });
    }

    private static void requireOne(Output output, boolean one, boolean other, String what) {
        if (one == other) {
            throw output.misuse("which messages? " + what);
        }
    }

    private static void print(Output output, Entry message) {
        Instant again = message.failedAgain();
        output.say(
                "id %d, %s of %s: %s, %s%s%n  error  %s%n  value  %s",
                message.position(),
                message.place(),
                Instant.ofEpochMilli(message.timestampMillis()),
                message.reason(),
                Words.count(message.attempts(), "attempt"),
                again == null ? "" : ", last tried by a redrive at " + again,
                Words.quote(message.error()),
                legible(message.value(), message.valueBytes()));
        for (Header header : message.headers()) {
            byte[] value = header.value();
            String shown = legible(value, value == null ? 0 : value.length);
            output.say("  header %s = %s", Words.quote(header.key()), shown);
        }
    }

    /** The beginning of a value of that length, as text. */
    private static String legible(byte @Nullable [] bytes, int length) {
        return bytes == null
                ? "none"
                : "%s (%,d bytes)"
                        .formatted(Words.quote(new String(bytes, StandardCharsets.UTF_8)), length);
    }

    @Command(name = "redrive", header = "Fold the parked messages of a key, and let it flow again.")
    int redrive(@Mixin KeyOptions key) {
        return ask(key, key.key(), Action.REDRIVE);
    }

    @Command(name = "skip", header = "Delete a key's first parked message, and redrive the others.")
    int skip(
            @Mixin KeyOptions key,
            @Option(
                            names = "--id",
                            paramLabel = "ID",
                            description =
                                    "Only if the first has this id, as show prints it: a repeated"
                                            + " command deletes no other.")
                    @Nullable Long first) {
        String name = Words.quote(key.key());
        return key.request(
                (requests, by) -> requests.ask(key.key(), Action.SKIP, first, by),
                first == null
                        ? "nothing of %s is parked".formatted(name)
                        : "message %d is not the first of %s now: look again"
                                .formatted(first, name));
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
            @Mixin RequestOptions database,
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
        requireOne(
                database,
                key != null,
                ids != null,
                "those of a key, or --id of some without a row");
        return ids == null
                ? ask(database, String.valueOf(key), Action.DROP)
                : delete(database, ids);
    }

    private static int ask(RequestOptions database, String key, Action action) {
        return database.request(
                (requests, by) -> requests.ask(key, action, by),
                "nothing of %s is parked".formatted(Words.quote(key)));
    }

    private record Dropped(int dropped, List<Long> missing) {}

    private static int delete(DatabaseOptions database, List<Long> ids) {
        List<Long> deleted =
                database.inDatabase(
                        OperatorStore::parked, it -> it.deleteWithoutRow(ids, Output.who()));
        List<Long> missing = ids.stream().filter(id -> !deleted.contains(id)).toList();
        database.print(
                new Dropped(deleted.size(), missing),
                json -> {
                    database.say("dropped %d", deleted.size());
                    if (!missing.isEmpty()) {
                        database.say("no message without a row has the id %s", missing);
                    }
                });
        return missing.isEmpty() ? ExitCode.OK : Output.NOT_DONE;
    }

    @Command(
            name = "edit",
            header = "Another value for a key's first parked message; then redrive.",
            footer = {
                "  envelope parked edit account-7 '{\"amount\": 12}' -c consumer.properties",
                "  envelope parked edit account-7 @value.bin -c consumer.properties",
                "  envelope parked edit account-7 --tombstone -c consumer.properties",
                "",
                "The former value is kept, in the table replacement. Whenever the message is",
                "read from the topic again, it has the new one."
            })
    int edit(
            @Mixin KeyOptions key,
            @Parameters(
                            index = "1",
                            paramLabel = "VALUE",
                            arity = "0..1",
                            description = "The bytes as text, " + KeyOptions.OR_FILE)
                    @Nullable String value,
            @Option(names = "--tombstone", description = "Instead: no value.") boolean tombstone) {
        if (tombstone == (value != null)) {
            throw key.misuse("which value? VALUE, or --tombstone");
        }
        byte[] bytes = value == null ? null : key.bytes(value);
        if (bytes != null && bytes.length > Replacement.MOST_BYTES) {
            throw key.misuse("a value has at most %,d bytes".formatted(Replacement.MOST_BYTES));
        }
        return key.request(
                (requests, by) -> requests.askToEdit(key.key(), bytes, by),
                "nothing of %s is parked, or %,d messages have another value already"
                        .formatted(Words.quote(key.key()), Replacement.MOST));
    }

    @Command(
            name = "bulk",
            header = "Redrive, skip or drop the parked messages of many keys.",
            footer = "  envelope parked bulk redrive --why undecodable --dry-run -c FILE")
    int bulk(@Mixin ParkedBulk bulk) {
        return bulk.run(terminal.isLookedAt());
    }

    @Command(name = "export", header = "Parked messages as JSON lines, with all their bytes.")
    int export(
            @Mixin ConfigOptions config,
            @Parameters(paramLabel = "KEY", arity = "0..1", description = "Only those of this row.")
                    @Nullable String key) {
        return config.inDatabase(
                OperatorStore::parked,
                catalog -> {
                    catalog.export(key, it -> config.out().println(ParkedJson.of(it)));
                    return ExitCode.OK;
                });
    }
}
