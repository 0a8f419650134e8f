package dev.envelope.idempotency.store.postgres.slot;

import dev.envelope.core.api.Words;
import dev.envelope.core.background.Outage;
import dev.envelope.core.membership.SlotPlan;
import dev.envelope.idempotency.store.postgres.sql.Connector;
import dev.envelope.idempotency.store.postgres.sql.PostgresSettings;
import dev.envelope.idempotency.store.slot.SlotLocks;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Slots as advisory locks of one session. The server ends the session when it has been out of touch
 * for the plan's timeout; the process stops counting on it before that.
 *
 * <p>Threads: as {@link SlotLocks} says (volatile references).
 */
public final class PostgresSlotLocks implements SlotLocks {

    private static final Logger log = LoggerFactory.getLogger(PostgresSlotLocks.class);

    private final SlotPlan plan;
    private final PostgresSettings settings;
    private final Connector connector;
    private final LongSupplier nanoTime;
    private final Outage outage = new Outage(log, "holding slots");
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private @Nullable SlotSession session; // its thread's
    private long tenures; // its thread's
    private volatile Tenancy tenancy;
    private volatile Seen seen;

    /** What is held, and until when that can be counted on. */
    private record Tenancy(Map<Integer, Long> held, long goodUntil) {}

    public PostgresSlotLocks(PostgresSettings settings, SlotPlan plan, LongSupplier nanoTime) {
        this.plan = plan;
        this.settings = settings;
        this.connector = new Connector(settings, Duration.ZERO);
        this.nanoTime = nanoTime;
        this.tenancy = new Tenancy(Map.of(), nanoTime.getAsLong());
        this.seen = new Seen(plan.count(), List.of(), List.of(), "");
    }

    @Override
    public int count() {
        return plan.count();
    }

    @Override
    public Map<Integer, Long> held() {
        Tenancy now = tenancy;
        return now.goodUntil() - nanoTime.getAsLong() > 0 ? now.held() : Map.of();
    }

    @Override
    public void onChange(Runnable changed) {
        listeners.add(changed);
    }

    @Override
    public Seen seen() {
        return seen;
    }

    @Override
    public boolean turn() {
        long asked = nanoTime.getAsLong();
        long quiet = plan.timeout().toNanos() / 10;
        boolean hasTime = tenancy.goodUntil() - asked > goodFor() - quiet;
        if (hasTime && tenancy.held().size() == plan.perProcess()) {
            return false;
        }
        try {
            SlotSession open = session;
            if (open == null) {
                open = SlotSession.open(connector, settings.schema(), plan.timeout());
                session = open;
            }
            look(open, asked);
            outage.over();
        } catch (SQLException e) {
            outage.failed(e);
            lose(e);
        }
        return false;
    }

    /** A part of the timeout: what begins before that ends before others take the slots. */
    private long goodFor() {
        return plan.timeout().toNanos() / 10 * 8;
    }

    private void look(SlotSession open, long asked) throws SQLException {
        List<SlotSession.Lock> locks = new ArrayList<>(open.locks());
        Set<Integer> taken = locks.stream().map(SlotSession.Lock::slot).collect(Collectors.toSet());
        List<Integer> free = inOrder();
        free.removeAll(taken);
        long ours = locks.stream().filter(it -> it.isOurs() && it.isOfSlot()).count();
        for (int slot : free) {
            if (ours == plan.perProcess()) {
                break;
            }
            if (open.tryLock(slot)) {
                locks.add(new SlotSession.Lock(slot, settings.instance(), true));
                ours++;
            }
        }
        hold(
                locks.stream()
                        .filter(it -> it.isOurs() && it.isOfSlot())
                        .map(SlotSession.Lock::slot)
                        .toList(),
                asked);
        seen = seen(locks, "");
    }

    /** Each process begins at another one, so that they don't all try the same. */
    private List<Integer> inOrder() {
        int first = Math.floorMod(settings.instance().hashCode(), plan.count());
        List<Integer> order = new ArrayList<>(plan.count());
        for (int i = 0; i < plan.count(); i++) {
            order.add((first + i) % plan.count());
        }
        return order;
    }

    private void hold(Collection<Integer> slots, long asked) {
        Map<Integer, Long> before = tenancy.held();
        Map<Integer, Long> now = new TreeMap<>();
        for (int slot : slots) {
            @Nullable Long tenure = before.get(slot);
            now.put(slot, tenure == null ? ++tenures : tenure);
        }
        tenancy = new Tenancy(now, asked + goodFor());
        if (!now.equals(before)) {
            log.info(
                    "holds {} of {} slots: {}",
                    now.size(),
                    plan.count(),
                    now.isEmpty() ? "it waits for one that is free" : now.keySet());
            listeners.forEach(Runnable::run);
        }
    }

    private void lose(SQLException why) {
        Map<Integer, Long> before = tenancy.held();
        giveUp();
        if (!before.isEmpty()) {
            log.warn("has lost slots {}: {}", before.keySet(), Words.describe(why));
            listeners.forEach(Runnable::run);
        }
        seen = new Seen(plan.count(), List.of(), List.of(), Words.describe(why));
    }

    private void giveUp() {
        tenancy = new Tenancy(Map.of(), nanoTime.getAsLong());
        SlotSession open = session;
        session = null;
        if (open != null) {
            open.close();
        }
    }

    private Seen seen(List<SlotSession.Lock> locks, String trouble) {
        List<Holder> holders =
                locks.stream()
                        .filter(SlotSession.Lock::isOfSlot)
                        .map(it -> new Holder(it.slot(), it.instance(), it.isOurs()))
                        .sorted((one, other) -> Integer.compare(one.slot(), other.slot()))
                        .toList();
        Set<String> holding = holders.stream().map(Holder::instance).collect(Collectors.toSet());
        List<String> waiting =
                locks.stream()
                        .filter(it -> !it.isOfSlot())
                        .map(SlotSession.Lock::instance)
                        .filter(it -> !holding.contains(it))
                        .sorted()
                        .toList();
        return new Seen(plan.count(), holders, waiting, trouble);
    }

    @Override
    public void close() {
        giveUp();
    }
}
