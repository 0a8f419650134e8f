package dev.envelope.integration.chain;

import dev.envelope.integration.stack.Servers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Kills processes of three applications in a chain, at random and at stages of a batch, while
 * payments come in; others are started in their place. Then each topic is compared with what has to
 * be there.
 *
 * <p>Threads: one thread.
 */
public final class ChainRun {

    private static final int APPLICATIONS = 3;
    private static final int PARTITIONS = 4;
    private static final int MOST_OCCASIONS = 20;
    private static final int MOST_WAIT_MILLIS = 1_500;

    private final Servers servers;
    private final Plan plan;
    private final Random random;
    private final String topic;
    private final List<Link> links = new ArrayList<>();
    private final Map<Stage, Integer> kills = new EnumMap<>(Stage.class);
    private int started;

    /**
     * What to do.
     *
     * @param instances processes of each application
     * @param rate payments a second
     * @param stages where processes end, in turn
     */
    public record Plan(
            int kills, int instances, int rate, long seed, List<Stage> stages, Flaw flaw) {

        public Plan {
            stages = List.copyOf(stages);
        }

        /** With every stage. */
        public static Plan of(int kills, int instances, int rate, long seed) {
            return new Plan(kills, instances, rate, seed, Arrays.asList(Stage.values()), Flaw.NONE);
        }

        /** The same with processes that get something wrong, and end where that matters. */
        public Plan with(Flaw other, Stage... where) {
            return new Plan(kills, instances, rate, seed, Arrays.asList(where), other);
        }
    }

    private ChainRun(Servers servers, Plan plan) {
        this.servers = servers;
        this.plan = plan;
        this.random = new Random(plan.seed());
        String name = "chain_%d_%d".formatted(plan.seed(), System.nanoTime() % 1_000_000);
        topic = name;
        servers.topics().create(topic, PARTITIONS);
        String from = topic;
        for (int i = 0; i < APPLICATIONS; i++) {
            Link link = new Link(servers, name + "_" + (char) ('a' + i), from, plan.flaw());
            links.add(link);
            from = link.to();
        }
    }

    /** Runs the plan on these servers. */
    public static ChainVerdict run(Servers servers, Plan plan) {
        ChainRun run = new ChainRun(servers, plan);
        try {
            return run.run();
        } finally {
            run.links.forEach(Link::close);
        }
    }

    private ChainVerdict run() {
        for (Link link : links) {
            for (int i = 0; i < plan.instances(); i++) {
                start(link);
            }
        }
        Payments payments =
                Payments.start(servers.bootstrapServers(), topic, plan.rate(), plan.seed());
        try (payments) {
            for (int i = 0; i < plan.kills(); i++) {
                Link link = links.get(random.nextInt(links.size()));
                Stage stage = link.endOne(random.nextInt(MOST_WAIT_MILLIS));
                kills.merge(stage, 1, Integer::sum);
                start(link);
                links.forEach(Link::failIfOneHasEnded);
            }
        }
        links.forEach(Link::disarm);
        return verdict(payments.sent());
    }

    private void start(Link link) {
        Stage stage = plan.stages().get(started++ % plan.stages().size());
        boolean isRare = stage == Stage.AFTER_INIT || stage == Stage.AFTER_FENCE;
        link.start(stage, isRare ? 1 : 1 + random.nextInt(MOST_OCCASIONS));
    }

    private ChainVerdict verdict(Map<String, List<String>> sent) {
        ChainOracle oracle = new ChainOracle(servers.bootstrapServers());
        List<Integer> outputs = new ArrayList<>();
        Map<String, List<String>> messages = sent;
        for (Link link : links) {
            link.awaitDone(ChainOracle.size(messages));
            messages = ChainOracle.outputs(messages);
            outputs.add(oracle.judge(link.to(), messages));
            if (oracle.found() > 0) {
                break; // what follows from it says nothing more
            }
        }
        links.forEach(Link::stop);
        return new ChainVerdict(
                kills,
                ChainOracle.size(sent),
                outputs,
                links.stream().mapToInt(it -> oracle.aborted(it.to())).sum(),
                links.stream().mapToLong(Link::takenOver).sum(),
                oracle.found(),
                oracle.findings());
    }
}
