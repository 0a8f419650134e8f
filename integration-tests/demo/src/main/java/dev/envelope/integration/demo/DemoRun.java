package dev.envelope.integration.demo;

import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.proxy.FaultProxy;
import dev.envelope.integration.stack.proxy.Wire;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * All that plays along on a stack: the payments, the instances, the slow database, the rounds.
 *
 * <p>Threads: one looks; buttons are pressed by others; what is shown is volatile.
 */
final class DemoRun implements DemoServer.Shown {

    private static final int INSTANCES = 2;

    private static final String APPLICATION = "demo";
    private static final String TOPIC = "payments";
    private static final int PARTITIONS = 8;
    private static final int WINDOW = 60;
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(45);

    private final DemoOptions options;
    private final List<Instance> instances;
    private final Audit audit;
    private final SampleRows rows;
    private final SlowDatabase slowDatabase;
    private final InstanceGroup group = new InstanceGroup();
    private final Payments payments;
    private final Rounds rounds;
    private final Deque<Second> window = new ArrayDeque<>();
    private long sent;
    private volatile Now now;

    /** What the page gets. */
    record Now(
            Moment moment,
            List<String> sentences,
            List<Second> window,
            long waiting,
            int partitions,
            Optional<String> proof) {}

    DemoRun(LocalStack stack, DemoOptions options) {
        this.options = options;
        Database database = stack.createDatabase(APPLICATION);
        stack.topics().create(TOPIC, PARTITIONS);
        FaultProxy proxy = FaultProxy.start("postgres", stack.postgres().port(), Wire.OPAQUE);
        String token = UUID.randomUUID().toString();
        Database throughProxy = database.at(proxy.port());
        instances =
                IntStream.rangeClosed(1, INSTANCES)
                        .mapToObj(
                                it ->
                                        Instance.of(
                                                it, stack, APPLICATION, TOPIC, throughProxy, token))
                        .toList();
        group.add(instances.get(0));
        slowDatabase = new SlowDatabase(proxy);
        audit = new Audit(stack.topics(), TOPIC, database, APPLICATION);
        rows = new SampleRows(database, APPLICATION);
        payments = Payments.start(stack.bootstrapServers(), TOPIC, options);
        rounds = new Rounds(payments, audit);
        now = shown(moment(new Second(0, 0, 0), List.of()), List.of());
    }

    /** What has changed since it was called last. */
    Moment look() {
        long sentBefore = sent;
        List<Member> members = group.look();
        sent = payments.sent().payments();
        Second second =
                new Second(
                        sent - sentBefore,
                        members.stream().mapToLong(Member::records).sum(),
                        members.stream().mapToLong(Member::rows).sum());
        window.addLast(second);
        if (window.size() > WINDOW) {
            window.removeFirst();
        }
        Moment moment = moment(second, members);
        now = shown(moment, Sentences.of(moment));
        return moment;
    }

    private Now shown(Moment moment, List<String> sentences) {
        return new Now(
                moment,
                sentences,
                List.copyOf(window),
                moment.waiting(),
                PARTITIONS,
                moment.proof().map(Comparison::inWords));
    }

    private Moment moment(Second second, List<Member> members) {
        return new Moment(
                options.rate(),
                payments.isResting(),
                second,
                members,
                (long) Math.ceil(slowDatabase.left().toMillis() / 1e3),
                frozen(),
                rounds.last());
    }

    private Optional<Moment.Frozen> frozen() {
        int parked = payments.poisoned() == 0 ? 0 : audit.parked();
        String key = payments.poisonedKey();
        return parked == 0
                ? Optional.empty()
                : Optional.of(
                        new Moment.Frozen(
                                key,
                                parked,
                                "scripts/envelope parked skip %s -c %s"
                                        .formatted(key, instances.get(0).settings())));
    }

    /** Whether something was saved. */
    boolean hasRows() {
        group.requireAlive();
        sent = payments.sent().payments();
        return group.look().stream().anyMatch(it -> it.rows() > 0);
    }

    /** Once there are rows: two that start at a time would be slower than one. */
    void begin() {
        instances.stream().skip(1).forEach(group::add);
        rounds.start();
    }

    List<Instance> instances() {
        return instances;
    }

    SampleRows rows() {
        return rows;
    }

    Optional<Comparison> lastComparison() {
        return rounds.last();
    }

    @Override
    public Object now() {
        return now;
    }

    @Override
    public Map<String, Supplier<String>> buttons() {
        if (now.sentences().isEmpty()) {
            return Map.of(); // what dies before the first rows has failed to start
        }
        Map<String, Supplier<String>> buttons = new LinkedHashMap<>();
        buttons.put("/burst", () -> after(payments::burst, "they are being sent"));
        buttons.put("/slow", () -> after(slowDatabase::begin, "it is slow from now on"));
        buttons.put("/poison", () -> after(payments::poison, "it was sent"));
        buttons.put(
                "/skip",
                () ->
                        after(
                                () -> group.skip(payments.poisonedKey()),
                                "asked for; it is carried out in a moment"));
        buttons.put("/compare", () -> compare().inWords());
        for (Instance instance : instances) {
            int number = instance.number();
            buttons.put("/kill/" + number, () -> after(() -> group.kill(number), "it is dead"));
        }
        return buttons;
    }

    private static String after(Runnable action, String words) {
        action.run();
        return words;
    }

    /** Fails if too much is under way. */
    Comparison compare() {
        try {
            return rounds.compare(SETTLED_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** The producer first, then the instances, which drain; returns their exit codes. */
    List<Integer> stop() {
        rounds.close();
        payments.close();
        slowDatabase.end();
        return group.stop();
    }
}
