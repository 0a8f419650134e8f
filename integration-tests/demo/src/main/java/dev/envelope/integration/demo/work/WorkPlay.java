package dev.envelope.integration.demo.work;

import dev.envelope.integration.demo.group.Conductor;
import dev.envelope.integration.demo.group.Instance;
import dev.envelope.integration.demo.group.InstanceGroup;
import dev.envelope.integration.demo.group.Trouble;
import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.demo.show.Play;
import dev.envelope.integration.stack.Servers;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * All that plays along: the letters, the instances that post them, and the post office.
 *
 * <p>Threads: one looks; buttons are pressed by others; what is shown is volatile.
 */
public final class WorkPlay implements Play {

    private static final int INSTANCES = 2;
    private static final int PARTITIONS = 8;
    private static final String TOPIC = "letters";
    private static final String DEAD = "letters-dead";
    private static final Duration SETTLED_WITHIN = Duration.ofMinutes(1);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final Servers stack;
    private final PostOffice office = new PostOffice();
    private final InstanceGroup group = new InstanceGroup();
    private final List<Instance> instances;
    private final Letters letters;
    private final Conductor conductor;
    private volatile WorkMoment now = WorkMoment.NONE;
    private volatile Optional<String> proof = Optional.empty();
    private volatile boolean isProved;

    public WorkPlay(ProxiedStack proxied, DemoOptions options) {
        stack = proxied.direct();
        proxied.topics().create(TOPIC, PARTITIONS);
        proxied.topics().create(DEAD, 1);
        String token = UUID.randomUUID().toString();
        Instance.Application application =
                new Instance.Application(
                        "post",
                        """
                        topics=%s
                        mode=work
                        handler=http
                        handler.http.url=%s
                        dead.letter.topic=%s
                        pool.size=16
                        """
                                .formatted(TOPIC, office.url(), DEAD));
        instances =
                IntStream.rangeClosed(1, INSTANCES)
                        .mapToObj(it -> Instance.of(it, stack, application, token))
                        .toList();
        group.add(instances.get(0));
        letters = new Letters(stack.bootstrapServers(), TOPIC, options);
        conductor =
                new Conductor(
                        Trouble.inTurn(
                                group.killed(1, 2),
                                new Trouble.Fault("post office busy", office::isBusy),
                                group.killed(2, 1),
                                new Trouble.Fault("post office away", office::isAway)));
    }

    @Override
    public boolean hasRows() {
        group.requireAlive();
        return office.books().letters() > 0;
    }

    @Override
    public void begin() {
        instances.stream().skip(1).forEach(group::add);
        conductor.start();
    }

    @Override
    public String look() {
        PostOffice.State state = office.state();
        now = now.next(office.books(), state, office.left(), letters.count(), group.look());
        if (!group.ended().isEmpty()) {
            proof = Optional.of(String.join("; ", group.ended()));
        }
        return now.line();
    }

    @Override
    public List<Instance> instances() {
        return instances;
    }

    @Override
    public String psql() {
        return "none: there is no database. Each message is posted to " + office.url();
    }

    @Override
    public String rows() {
        return "  (none: the letters are posted)";
    }

    @Override
    public Optional<String> proof() {
        return proof;
    }

    @Override
    public boolean isProved() {
        return isProved && group.ended().isEmpty();
    }

    @Override
    public Object now() {
        return now;
    }

    @Override
    public Map<String, Supplier<String>> buttons() {
        if (now.sentences().isEmpty()) {
            return Map.of(); // what dies before the first letters has failed to start
        }
        Map<String, Supplier<String>> buttons = new LinkedHashMap<>();
        buttons.put("/busy", () -> after(office::isBusy, "it answers 503 from now on"));
        buttons.put("/away", () -> after(office::isAway, "nobody answers from now on"));
        buttons.put("/refuse", () -> after(office::refuse, "the next letter is refused for good"));
        buttons.put("/prove", this::proved);
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

    @Override
    public void prove() {
        var unused = proved();
    }

    /** Has nothing written until all letters are there. */
    private String proved() {
        conductor.rest();
        letters.rest();
        office.isOpen();
        try {
            long deadline = System.nanoTime() + SETTLED_WITHIN.toNanos();
            while (!office.hasAll(letters.acknowledged()) || deadLetters() < refused()) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("too much is under way: try again in a moment");
                }
                Thread.sleep(PAUSE.toMillis()); // nobody tells of the last letter
            }
            String words = WorkMoment.proof(office.books(), deadLetters()) + conductor.told();
            isProved = WorkMoment.isRight(words);
            proof = Optional.of(words);
            return words;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            conductor.goOn();
            letters.goOn();
        }
    }

    private long refused() {
        return office.books().refused();
    }

    private long deadLetters() {
        return DeadLetterCount.of(stack.bootstrapServers(), DEAD);
    }

    /** The letters first, then the instances, which drain. */
    @Override
    public List<Integer> stop() {
        conductor.close();
        letters.close();
        office.isOpen();
        List<Integer> codes = group.stop();
        office.close();
        return codes;
    }
}
