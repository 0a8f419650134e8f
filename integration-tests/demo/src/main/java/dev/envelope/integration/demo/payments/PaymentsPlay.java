package dev.envelope.integration.demo.payments;

import dev.envelope.integration.demo.group.Instance;
import dev.envelope.integration.demo.group.InstanceGroup;
import dev.envelope.integration.demo.group.Member;
import dev.envelope.integration.demo.group.SampleRows;
import dev.envelope.integration.demo.group.SlowDatabase;
import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.demo.show.Play;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.proxy.ProxiedStack;
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
public final class PaymentsPlay implements Play {

    private static final int INSTANCES = 2;

    private static final String TOPIC = "payments";
    private static final Instance.Application APPLICATION =
            new Instance.Application(
                    "demo",
                    """
                    topics=%s
                    handler=fold
                    handler.fold.balance=sum(/amount)
                    handler.fold.payments=count()
                    handler.fold.largest=max(/amount)
                    parked.max.per.key=1000000
                    parked.max.per.partition=1000000
                    """
                            .formatted(TOPIC));
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

    public PaymentsPlay(ProxiedStack proxied, DemoOptions options) {
        this.options = options;
        LocalStack stack = proxied.direct();
        Database database = stack.createDatabase(APPLICATION.id());
        stack.topics().create(TOPIC, PARTITIONS);
        String token = UUID.randomUUID().toString();
        Database throughProxy = proxied.throughProxy(database);
        instances =
                IntStream.rangeClosed(1, INSTANCES)
                        .mapToObj(it -> Instance.of(it, stack, APPLICATION, throughProxy, token))
                        .toList();
        group.add(instances.get(0));
        slowDatabase = new SlowDatabase(proxied.toPostgres());
        audit = new Audit(stack.topics(), TOPIC, database, APPLICATION.id());
        rows = new SampleRows(database, APPLICATION.id());
        payments = Payments.start(stack.bootstrapServers(), TOPIC, options);
        rounds = new Rounds(payments, audit);
        now = shown(moment(new Second(0, 0, 0), List.of()), List.of());
    }

    @Override
    public String look() {
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
        return Sentences.line(moment);
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

    @Override
    public boolean hasRows() {
        group.requireAlive();
        sent = payments.sent().payments();
        return group.look().stream().anyMatch(it -> it.rows() > 0);
    }

    @Override
    public void begin() {
        instances.stream().skip(1).forEach(group::add);
        rounds.start();
    }

    @Override
    public List<Instance> instances() {
        return instances;
    }

    @Override
    public String psql() {
        return rows.psql();
    }

    @Override
    public String rows() {
        return rows.read();
    }

    @Override
    public Optional<String> proof() {
        return rounds.last().map(Comparison::inWords);
    }

    @Override
    public boolean isProved() {
        return rounds.last().map(Comparison::isEqual).orElse(false);
    }

    @Override
    public void prove() {
        var unused = compare();
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
    private Comparison compare() {
        try {
            return rounds.compare(SETTLED_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /** The producer first, then the instances, which drain. */
    @Override
    public List<Integer> stop() {
        rounds.close();
        payments.close();
        slowDatabase.end();
        return group.stop();
    }
}
