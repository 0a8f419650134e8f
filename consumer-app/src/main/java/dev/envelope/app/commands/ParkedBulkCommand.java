package dev.envelope.app.commands;

import dev.envelope.app.commands.remote.InDatabase;
import dev.envelope.app.ops.bulk.BulkRequests;
import dev.envelope.app.ops.bulk.BulkRequests.Listener;
import dev.envelope.app.ops.bulk.BulkRequests.Progress;
import dev.envelope.app.ops.bulk.BulkRequests.Requests;
import dev.envelope.app.process.ExitCode;
import dev.envelope.app.terminal.Terminal;
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
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Has the same done with the parked messages of many keys. Threads: one thread. */
@Command(
        name = "bulk",
        header = "Redrive, skip or drop the parked messages of many keys.",
        footer = {"  envelope parked bulk redrive --why undecodable --dry-run -c FILE"})
final class ParkedBulkCommand implements Callable<Integer> {

    private static final int NOT_DONE = 1;
    private static final int SHOWN = 3;
    private static final Duration SEEN = Duration.ofSeconds(15);

    private final Terminal terminal;

    @Spec private @Nullable CommandSpec spec;

    @Mixin private ConfigOptions config = new ConfigOptions();

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

    ParkedBulkCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Action asked = check();
        return InDatabase.work(config.load(), store -> call(asked, store));
    }

    private int call(Action asked, OperatorStore store) {
        try (ParkedCatalog parked = store.parked();
                RequestCatalog requests = store.requests()) {
            List<ParkedKey> selected = select(parked);
            show(selected);
            if (selected.isEmpty()) {
                return NOT_DONE;
            } else if (dryRun) {
                return ExitCode.OK;
            } else if (!requests.isAnybodyThere(SEEN)) {
                terminal.err().println("no instance is running: nothing was asked for");
                return NOT_DONE;
            } else if (!isSure()) {
                return NOT_DONE;
            }
            return carryOut(selected, asked, requests);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return NOT_DONE;
        }
    }

    private int carryOut(List<ParkedKey> selected, Action asked, RequestCatalog requests)
            throws InterruptedException {
        Progress end =
                new BulkRequests(requestsOf(requests), asked, selected, rate, teller()).carryOut();
        if (end.open() > 0) {
            terminal.err()
                    .printf("%,d are still under way; see the log of the instances%n", end.open());
        }
        String notDone = end.notDone() == 0 ? "" : ", %,d are not".formatted(end.notDone());
        terminal.out().printf("%,d of %,d keys are done%s%n", end.done(), end.keys(), notDone);
        return end.done() == end.keys() ? ExitCode.OK : NOT_DONE;
    }

    private static Requests requestsOf(RequestCatalog requests) {
        return new Requests() {
            @Override
            public Optional<Long> ask(String key, Action action) {
                return requests.ask(key, action, System.getProperty("user.name", ""));
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
                terminal.out().println(line);
            }

            @Override
            public void at(Progress progress) {
                terminal.err()
                        .printf(
                                "%,d of %,d keys%n",
                                progress.done() + progress.notDone(), progress.keys());
            }
        };
    }

    private Action check() {
        Action asked =
                BulkRequests.action(action)
                        .orElseThrow(() -> wrong("what is to be done? " + BulkRequests.actions()));
        boolean isSome =
                why != null || partition != null || since != null || until != null || keys != null;
        if (all == isSome) {
            throw wrong("which keys? --all, or those that an option selects");
        }
        if (rate < 1) {
            throw wrong("--rate is 1 or more");
        }
        return asked;
    }

    private ParameterException wrong(String why) {
        if (spec == null) {
            throw new IllegalStateException(why);
        }
        return new ParameterException(spec.commandLine(), why);
    }

    private List<ParkedKey> select(ParkedCatalog parked) {
        Set<String> wanted = wanted();
        return parked
                .selected(
                        new Selection(why, partition, time(since), time(until)), Integer.MAX_VALUE)
                .stream()
                .filter(it -> keys == null || wanted.contains(it.key()))
                .toList();
    }

    private Set<String> wanted() {
        if (keys == null) {
            return Set.of();
        }
        try {
            return new HashSet<>(Files.readAllLines(keys));
        } catch (IOException e) {
            throw wrong("--keys can't be read: " + e);
        }
    }

    private @Nullable Instant time(@Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw wrong(Words.quote(text) + " is no time as in 2026-11-23T03:00:00Z");
        }
    }

    private void show(List<ParkedKey> selected) {
        long messages = selected.stream().mapToLong(ParkedKey::messages).sum();
        terminal.out()
                .printf(
                        "%s with %s%s%n",
                        Words.count(selected.size(), "key"),
                        Words.count(messages, "parked message"),
                        selected.isEmpty() ? "" : "; the first:");
        selected.stream()
                .limit(SHOWN)
                .forEach(
                        it ->
                                terminal.out()
                                        .printf(
                                                "  %s  %,d since %s, %s: %s, %s%n",
                                                Words.quote(it.key()),
                                                it.messages(),
                                                it.since(),
                                                it.first(),
                                                it.reason(),
                                                Words.quote(it.error())));
        terminal.out().flush();
    }

    /** Where something is deleted for good, a person is asked, and a program has to say it. */
    private boolean isSure() {
        if (yes || action.equals("redrive")) {
            return true;
        }
        String what =
                switch (action) {
                    case "skip" -> "the first parked message of each is deleted";
                    case "skip-failing" -> "each message that fails again is deleted";
                    default -> "all these messages are deleted";
                };
        Console console = terminal.isLookedAt() ? System.console() : null;
        if (console == null) {
            terminal.err().println("nothing was done: " + what + "; say --yes");
            return false;
        }
        return "yes".equals(console.readLine("%s, for good. Go on? yes or no: ", what));
    }
}
