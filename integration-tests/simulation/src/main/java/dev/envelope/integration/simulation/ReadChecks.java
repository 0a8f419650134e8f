package dev.envelope.integration.simulation;

import dev.envelope.idempotency.command.Entity;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What must hold of a read that waits for an offset: the answer contains what was put there, unless
 * it was set aside, or deleted since.
 *
 * <p>Threads: one thread.
 */
final class ReadChecks {

    private final World world;
    private final Map<String, Long> created = new HashMap<>(); // again, by topic

    ReadChecks(World world) {
        this.world = world;
    }

    /** A topic was created again: nobody knows that at once. */
    void recreated(String topic) {
        created.put(topic, world.scheduler().now());
    }

    /** A caller has its answer. */
    void found(
            SimInstance process,
            String row,
            SimRecord put,
            SimPartition log,
            @Nullable Entity entity) {
        byte[] state = entity == null ? null : entity.state();
        List<String> has = state == null ? List.of() : Trace.CODEC.decode(state).places();
        boolean isThere = has.contains(put.place());
        boolean isOfThisLife = isPresent(log, process);
        if (!isThere && isOfThisLife && !isExcused(process, row, put, log, entity)) {
            world.checks()
                    .fail(
                            "own-write",
                            process.name()
                                    + " says that "
                                    + row
                                    + " is "
                                    + has
                                    + ", without "
                                    + put);
        }
    }

    /** Whether a log is of the topic that there is now, and the process may know that. */
    private boolean isPresent(SimPartition log, SimInstance process) {
        return world.log().find(log.name()) == log
                && process.reads().seenAt() >= created.getOrDefault(log.name().topic(), -1L);
    }

    private boolean isExcused(
            SimInstance process,
            String row,
            SimRecord put,
            SimPartition log,
            @Nullable Entity entity) {
        return log.wasTruncated()
                || world.doubts().isOfRow(row)
                || isInDoubt(log)
                || world.losses().mayMiss(put.place())
                || world.losses().isLetGo(put.place())
                || world.checks().rows().wasSetAside(put.place())
                || world.checks().repairs().wasRepaired(row)
                || isBelowStart(put, log)
                || wasDeletedSince(process, row, put, log, entity);
    }

    private boolean isInDoubt(SimPartition log) {
        return world.database().sources().stream()
                .filter(it -> it.partition().equals(log.name()))
                .anyMatch(it -> world.doubts().isOfSource(it.number()));
    }

    private boolean isBelowStart(SimRecord put, SimPartition log) {
        return put.offset() < world.checks().progress().start(log);
    }

    /**
     * Whether the row was deleted behind it by a message that it has passed; what comes of other
     * logs has no order with it. A row that was purged does not say what it had passed.
     */
    private boolean wasDeletedSince(
            SimInstance process,
            String row,
            SimRecord put,
            SimPartition log,
            @Nullable Entity entity) {
        String key = String.valueOf(put.key());
        return world.log().everything().stream()
                .filter(it -> world.settings().rowKey(it.name().topic(), key).equals(row))
                .anyMatch(
                        it ->
                                it.hasTombstone(
                                        key,
                                        it == log ? put.offset() + 1 : 0,
                                        passed(process, row, it, entity)));
    }

    /**
     * How far the row has passed a log, or may have: the row of before a purge does not say, nor
     * does one that was read by who does not know yet that the topic is another one.
     */
    private long passed(
            SimInstance process, String row, SimPartition log, @Nullable Entity entity) {
        boolean wasPurged = !world.checks().purges().wider(row, Map.of()).isEmpty();
        return entity == null || !isPresent(log, process) || wasPurged
                ? Long.MAX_VALUE
                : entity.nextOffsets().getOrDefault(log.name(), 0L);
    }
}
