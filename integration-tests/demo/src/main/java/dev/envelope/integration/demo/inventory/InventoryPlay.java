package dev.envelope.integration.demo.inventory;

import dev.envelope.integration.demo.group.Conductor;
import dev.envelope.integration.demo.group.Instance;
import dev.envelope.integration.demo.group.InstanceGroup;
import dev.envelope.integration.demo.group.Member;
import dev.envelope.integration.demo.group.SampleRows;
import dev.envelope.integration.demo.group.SlowDatabase;
import dev.envelope.integration.demo.group.Trouble;
import dev.envelope.integration.demo.show.DemoOptions;
import dev.envelope.integration.demo.show.Play;
import dev.envelope.integration.example.Stock;
import dev.envelope.integration.stack.Database;
import dev.envelope.integration.stack.LocalStack;
import dev.envelope.integration.stack.Ports;
import dev.envelope.integration.stack.proxy.ProxiedStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * All that plays along on a stack: the shop, the instances with their gateways, the auditor, and
 * the conductor, who makes things go wrong.
 *
 * <p>Threads: one looks; buttons are pressed by others; the auditor is guarded by this, what is
 * shown is volatile.
 */
public final class InventoryPlay implements Play {

    static final String ID = "inventory";
    static final String TOPIC = "inventory";

    private static final int INSTANCES = 2;

    /** The number of the one that reads the table. */
    private static final int OF_TABLE = INSTANCES + 1;

    private static final int PARTITIONS = 8;
    private static final Duration SETTLED_WITHIN = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(200);

    private final List<Instance> instances = new ArrayList<>();
    private final InstanceGroup group = new InstanceGroup();
    private final SlowDatabase slowDatabase;
    private final SampleRows rows;
    private final Auditor auditor;
    private final Shop shop;
    private final Deliveries deliveries;
    private final Conductor conductor;
    private volatile InventoryMoment now = InventoryMoment.NONE;
    private volatile Optional<String> proof = Optional.empty();
    private volatile boolean isProved;

    public InventoryPlay(ProxiedStack stack, DemoOptions options) {
        LocalStack direct = stack.direct();
        Database database = direct.createDatabase(ID);
        stack.topics().create(TOPIC, PARTITIONS);
        stack.topics().create(Stock.EVENTS, PARTITIONS);
        slowDatabase = new SlowDatabase(stack.toPostgres());
        String token = UUID.randomUUID().toString();
        List<String> gateways = new ArrayList<>();
        for (int number = 1; number <= INSTANCES; number++) {
            String gateway = "127.0.0.1:" + Ports.free();
            gateways.add("http://" + gateway);
            instances.add(
                    Instance.of(
                            number,
                            stack,
                            application(gateway),
                            stack.throughProxy(database),
                            token));
        }
        deliveries =
                new Deliveries(
                        OF_TABLE,
                        stack,
                        database,
                        stack.throughProxy(database),
                        options.keys(),
                        token);
        auditor = new Auditor(direct.bootstrapServers(), database, ID, deliveries);
        rows = new SampleRows(database, ID);
        shop = new Shop(direct.bootstrapServers(), gateways, auditor, options);
        Trouble.Fault slow = new Trouble.Fault("slow database", slowDatabase::begin);
        conductor =
                new Conductor(
                        options.allFaults()
                                ? Trouble.ofEveryKind(stack, group, OF_TABLE)
                                : Trouble.inTurn(
                                        group.killed(1, 2),
                                        slow,
                                        group.killed(OF_TABLE, 1),
                                        group.killed(2, 1),
                                        slow));
        group.add(instances.get(0));
    }

    private static Instance.Application application(String gateway) {
        return new Instance.Application(
                ID,
                """
                topics=%s
                handler=%s
                timers=true
                dedupe.id=header:%s
                dedupe.window.messages=10000
                gateway.listen=%s
                """
                        .formatted(TOPIC, Stock.class.getName(), Shop.ID_HEADER, gateway));
    }

    @Override
    public boolean hasRows() {
        group.requireAlive();
        return deliveries.areOpened();
    }

    @Override
    public void begin() {
        deliveries.stop();
        opened();
        instances.stream().skip(1).forEach(group::add);
        group.add(deliveries.instance());
        shop.start();
        conductor.start();
    }

    @Override
    public String look() {
        List<Member> members = group.look();
        bring();
        Auditor.Audit audit = audit().orElse(now.audit());
        now =
                now.next(
                        audit,
                        shop.counts(),
                        shop.repeated(),
                        members,
                        (long) Math.ceil(slowDatabase.left().toMillis() / 1e3),
                        shop.isResting());
        if (!audit.isRight()) {
            proof = Optional.of(now.wrong());
        }
        if (!group.ended().isEmpty()) {
            proof = Optional.of(InventoryMoment.WRONG + String.join("; ", group.ended()));
        }
        return now.line();
    }

    private void bring() {
        try {
            if (!shop.isResting()) {
                deliveries.bring();
            }
        } catch (ServerAwayException e) {
            return; // a second later
        }
    }

    /** Empty while a server is away. */
    private synchronized Optional<Auditor.Audit> audit() {
        try {
            return Optional.of(auditor.look());
        } catch (ServerAwayException e) {
            return Optional.empty();
        }
    }

    @Override
    public List<Instance> instances() {
        return List.copyOf(instances);
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
            return Map.of(); // what dies before the first rows has failed to start
        }
        Map<String, Supplier<String>> buttons = new LinkedHashMap<>();
        buttons.put("/slow", () -> after(slowDatabase::begin, "it is slow from now on"));
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

    /**
     * Has nothing ordered until all is told and nothing is reserved; then nothing may be missing.
     */
    private String proved() {
        shop.rest();
        conductor.rest();
        slowDatabase.end();
        try {
            long deadline = System.nanoTime() + SETTLED_WITHIN.toNanos();
            while (!shop.isQuiet() || !audit().map(Auditor.Audit::isAtRest).orElse(false)) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("too much is under way: try again in a moment");
                }
                var unused = group.look(); // those that are dead come back
                Thread.sleep(PAUSE.toMillis()); // nobody tells of the last event
            }
            String words = lookForMissing() + conductor.told();
            isProved = !words.startsWith(InventoryMoment.WRONG);
            proof = Optional.of(words);
            return words;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        } finally {
            conductor.goOn();
            shop.goOn();
        }
    }

    private synchronized String lookForMissing() {
        return InventoryMoment.proof(auditor.lookForMissing(), shop.counts());
    }

    /** The orders first, then the instances, which drain. */
    @Override
    public List<Integer> stop() {
        conductor.close();
        shop.close();
        deliveries.stop();
        slowDatabase.end();
        List<Integer> codes = group.stop();
        close();
        return codes;
    }

    private synchronized void opened() {
        auditor.opened();
    }

    private synchronized void close() {
        auditor.close();
    }
}
