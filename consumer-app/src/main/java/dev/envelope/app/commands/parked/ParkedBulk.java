package dev.envelope.app.commands.parked;

import dev.envelope.app.commands.options.ConfigOptions;
import dev.envelope.app.commands.options.RequestOptions;
import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.app.ops.bulk.BulkRequests.Listener;
import dev.envelope.app.ops.bulk.BulkRequests.Progress;
import dev.envelope.app.ops.bulk.BulkRequests.Requests;
import dev.envelope.app.process.ExitCode;
import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.operator.OperatorStore;
import dev.envelope.idempotency.store.operator.ParkedCatalog;
import dev.envelope.idempotency.store.operator.ParkedCatalog.ParkedKey;
import dev.envelope.idempotency.store.operator.ParkedCatalog.Selection;
import dev.envelope.idempotency.store.operator.RequestCatalog;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Requests one action for the parked messages of many keys. Threads: one thread. */
final class ParkedBulk extends ConfigOptions {

    private static final int SHOWN = 3;
    private static final String KEY =
            "  {key|quoted}  {messages|%,d} since {since}, {first}: {reason}, {error|quoted}";

    @Parameters(paramLabel = "ACTION", description = "redrive, skip-failing, skip, drop")
    private String action = "";

    @Option(names = "--all", description = "All that have any.")
    private boolean all;

    @Option(names = "--why", paramLabel = "WORDS", description = "By reason, or part of the error.")
    private @Nullable String why;

    @Option(names = "--partition", paramLabel = "TOPIC-N", description = "Of this partition.")
    private @Nullable String partition;

    @Option(names = "--since", paramLabel = "TIME", description = "Parked then or later.")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Parked before.")
    private @Nullable String until;

    @Option(names = "--keys", paramLabel = "FILE", description = "Only these, a key a line.")
    private @Nullable Path keys;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "20", description = "Keys a second.")
    private int rate;

    @Option(names = "--dry-run", description = "Say which; do nothing.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Don't ask before deleting.")
    private boolean yes;

    /**
     * Selects the keys, shows them, and requests the action for each.
     *
     * @param isLookedAt whether a person can be asked
     */
    int run(boolean isLookedAt) {
        Action asked = check();
        List<ParkedKey> selected = inDatabase(OperatorStore::parked, this::select);
        show(selected);
        if (selected.isEmpty()) {
            return NOT_DONE;
        } else if (dryRun) {
            return ExitCode.OK;
        }
        return inDatabase(
                OperatorStore::requests,
                requests -> {
                    if (!requests.isAnybodyThere(RequestOptions.SEEN)) {
                        err().println("no instance is running: nothing was asked for");
                        return NOT_DONE;
                    }
                    return isSure(isLookedAt) ? carryOut(selected, asked, requests) : NOT_DONE;
                });
    }

    private int carryOut(List<ParkedKey> selected, Action asked, RequestCatalog requests) {
        Progress end;
        try {
            end =
                    new BulkRequests(requestsOf(requests), asked, selected, rate, teller())
                            .carryOut();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NOT_DONE;
        }
        if (end.open() > 0) {
            err().printf("%,d are still under way; see the log of the instances%n", end.open());
        }
        String notDone = end.notDone() == 0 ? "" : ", %,d are not".formatted(end.notDone());
        say("%,d of %,d keys are done%s", end.done(), end.keys(), notDone);
        return end.done() == end.keys() ? ExitCode.OK : NOT_DONE;
    }

    private static Requests requestsOf(RequestCatalog requests) {
        return new Requests() {
            @Override
            public Optional<Long> ask(String key, Action action) {
                return requests.ask(key, action, who());
            }

            @Override
            public Map<Long, String> answersTo(Collection<Long> numbers) {
                return requests.answersTo(numbers);
            }
        };
    }

    private Listener teller() {
        return new Listener() {
            @Override
            public void notDone(String line) {
                out().println(line);
            }

            @Override
            public void at(Progress progress) {
                int ended = progress.done() + progress.notDone();
                err().printf("%,d of %,d keys%n", ended, progress.keys());
            }
        };
    }

    private Action check() {
        Action asked =
                BulkRequests.action(action)
                        .orElseThrow(() -> misuse("what is to be done? " + BulkRequests.actions()));
        boolean isSome =
                why != null || partition != null || since != null || until != null || keys != null;
        if (all == isSome) {
            throw misuse("which keys? --all, or those that an option selects");
        } else if (rate < 1) {
            throw misuse("--rate is 1 or more");
        }
        return asked;
    }

    private List<ParkedKey> select(ParkedCatalog parked) {
        Selection which = new Selection(why, partition, time(since), time(until));
        List<ParkedKey> selected = parked.selected(which, Integer.MAX_VALUE);
        if (keys == null) {
            return selected;
        }
        try {
            Set<String> wanted = new HashSet<>(Files.readAllLines(keys));
            return selected.stream().filter(it -> wanted.contains(it.key())).toList();
        } catch (IOException e) {
            throw misuse("--keys can't be read: " + e);
        }
    }

    private @Nullable Instant time(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw misuse(Words.quote(text) + " is no time as in 2026-11-23T03:00:00Z");
        }
    }

    private void show(List<ParkedKey> selected) {
        long messages = selected.stream().mapToLong(ParkedKey::messages).sum();
        say(
                "%s with %s%s",
                Words.count(selected.size(), "key"),
                Words.count(messages, "parked message"),
                selected.isEmpty() ? "" : "; the first:");
        selected.stream().limit(SHOWN).forEach(it -> fill(KEY, it));
    }

    /** Before anything is deleted for good, a person confirms it; a program says {@code --yes}. */
    private boolean isSure(boolean isLookedAt) {
        if (yes || action.equals("redrive")) {
            return true;
        }
        String what =
                switch (action) {
                    case "skip" -> "the first parked message of each is deleted";
                    case "skip-failing" -> "each message that fails again is deleted";
                    default -> "all these messages are deleted";
                };
        Console console = isLookedAt ? System.console() : null;
        if (console == null) {
            err().println("nothing was done: " + what + "; say --yes");
            return false;
        }
        return "yes".equals(console.readLine("%s, for good. Go on? yes or no: ", what));
    }
}
