package dev.envelope.integration.campaign;

import dev.envelope.integration.cluster.KillCycles;
import dev.envelope.integration.cluster.Mutant;
import dev.envelope.integration.cluster.Options;
import dev.envelope.integration.cluster.Verdict;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Logging;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.SeveralDatabases;
import dev.envelope.integration.stack.StateFile;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The main class behind {@code scripts/kill-cycles}. It ends with 0 where every batch was green, 1
 * where one was not, and 64 where the options can't be understood.
 *
 * <p>Threads: one at a time, but for the flag, which is atomic.
 */
public final class KillCampaignMain {

    private static final String USAGE =
            """
            Kills consumers of a group under load, at random and at five aimed moments, and has an oracle judge
            what is in the database. The log of a batch that is not green is in target/kill-cycles.
              --cycles N     kills in all, those of earlier runs with this state included; 100
              --batch N      kills that are judged together; 25
              --protocol P   classic, consumer, or both in turn; both
              --from S       the seed of the first batch; 1
              --state FILE   what is done so far, from where it goes on; target/kill-cycles.state
              --seed S       one batch of --cycles kills alone, without a state
              --places N     database servers that the rows are divided between; 1
              --mutant M     processes that break a promise: DEDUPE_OFF, COMPARE_AND_SET_OFF, COMMIT_ON_FETCH
            """;

    private static final Path OUTPUT = Path.of(System.getProperty("campaign.output", "target"));

    private final Servers servers;
    private final AtomicBoolean ending = new AtomicBoolean();

    private KillCampaignMain(Servers servers) {
        this.servers = servers;
        servers.workspace().beforeShutdown(() -> ending.set(true));
    }

    public static void main(String[] arguments) {
        Logging.configure();
        if (Arrays.asList(arguments).contains("--help")) {
            System.out.print(USAGE);
            return;
        }
        Options options;
        KillCampaign.Plan plan;
        StateFile state;
        int places;
        try {
            options =
                    Options.parse(
                            arguments,
                            "cycles",
                            "batch",
                            "protocol",
                            "from",
                            "state",
                            "seed",
                            "places",
                            "mutant");
            state = StateFile.open(Path.of(options.word("state", OUTPUT + "/kill-cycles.state")));
            plan = plan(options, state);
            places = Integer.parseInt(state.pin("places", options.word("places", ""), "1"));
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.err.print(USAGE);
            System.exit(64);
            return;
        }
        boolean isGreen;
        try (LocalStack stack = LocalStack.start()) {
            KillCampaignMain main = new KillCampaignMain(SeveralDatabases.of(stack, places));
            isGreen =
                    options.word("seed", "").isEmpty()
                            ? main.run(plan, state)
                            : main.runOne(plan.batch(0, plan.cycles()));
        }
        System.exit(isGreen ? 0 : 1);
    }

    private static KillCampaign.Plan plan(Options options, StateFile state) {
        int cycles = options.number("cycles", 100);
        if (!options.word("seed", "").isEmpty()) {
            return new KillCampaign.Plan(
                    cycles,
                    cycles,
                    options.word("protocol", "classic"),
                    options.number("seed", 1),
                    mutant(options.word("mutant", "NONE")));
        }
        return new KillCampaign.Plan(
                cycles,
                options.number("batch", 25),
                state.pin("protocol", options.word("protocol", ""), "both"),
                Integer.parseInt(state.pin("from", options.word("from", ""), "1")),
                mutant(state.pin("mutant", options.word("mutant", ""), "NONE")));
    }

    private static Mutant mutant(String word) {
        return Mutant.valueOf(word.toUpperCase(Locale.ROOT));
    }

    private boolean run(KillCampaign.Plan plan, StateFile state) {
        state.addWord("commits", System.getProperty("campaign.commit", "unknown"));
        state.save();
        System.out.println("state: " + state.file());
        return new KillCampaign(plan, state, this::judge, ending::get, System.out).run();
    }

    private boolean runOne(KillCycles.Plan batch) {
        System.out.println("running " + batch);
        Verdict verdict = judge(batch);
        System.out.println(verdict);
        return verdict.isGreen();
    }

    /** Keeps the logs of all processes, unless all is well. */
    private Verdict judge(KillCycles.Plan batch) {
        boolean isGreen = false;
        try {
            Verdict verdict = KillCycles.run(servers, batch);
            isGreen = verdict.isGreen();
            return verdict;
        } finally {
            if (!isGreen && !ending.get()) {
                String name = batch.protocol() + "-" + batch.seed();
                servers.workspace().copyLogs(OUTPUT.resolve("kill-cycles").resolve(name));
            }
        }
    }
}
