package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.InMemorySources.RecordId;
import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.row.ParkedMessage;
import dev.envelope.idempotency.store.table.TableRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The parked messages of a database in memory, and what stands in the place of their values.
 *
 * <p>Threads: guarded by the database.
 */
final class InMemoryParked {

    private final Map<RecordId, Kept> parked;
    private final Set<RecordId> dropped; // of those without a row
    private final List<Replaced> replacements;
    private long lastPosition;

    /** A parked message, with its place among all that were ever parked. */
    record Kept(long position, ParkedMessage message) {

        private Kept of(Message other) {
            return new Kept(
                    position,
                    new ParkedMessage(
                            other,
                            message.rowKey(),
                            message.reason(),
                            message.error(),
                            message.attempts()));
        }

        private Kept failed(String reason, String error) {
            int attempts = message.attempts() + 1;
            return new Kept(
                    position,
                    new ParkedMessage(
                            message.message(), message.rowKey(), reason, error, attempts));
        }
    }

    /** What stands in the place of a value of a key. */
    private record Replaced(@Nullable String key, Replacement by) {}

    InMemoryParked() {
        parked = new LinkedHashMap<>();
        dropped = new HashSet<>();
        replacements = new ArrayList<>();
    }

    /** A copy. */
    InMemoryParked(InMemoryParked other) {
        parked = new LinkedHashMap<>(other.parked);
        dropped = new HashSet<>(other.dropped);
        replacements = new ArrayList<>(other.replacements);
        lastPosition = other.lastPosition;
    }

    /** In the order in which they were parked. */
    List<ParkedMessage> all() {
        return parked.values().stream().map(Kept::message).toList();
    }

    /** What is parked of a key, in the order in which it came. */
    List<Kept> of(String key) {
        return parked.values().stream().filter(it -> key.equals(it.message().rowKey())).toList();
    }

    /** Whether messages at all these positions are parked of that key. */
    boolean hasAll(String key, Collection<Long> positions) {
        return of(key).stream().filter(it -> positions.contains(it.position())).count()
                == positions.size();
    }

    /** Parks a message, if it is not parked, and nobody has dropped it. */
    void park(ParkedMessage message, InMemorySources sources) {
        RecordId id = RecordId.of(message.message());
        boolean isOfTable = TableRow.idOf(message.message()) != null;
        if (message.rowKey() != null
                || isOfTable
                || (!dropped.contains(id) && !sources.isPassed(id))) {
            parked.computeIfAbsent(id, it -> new Kept(++lastPosition, message));
        }
    }

    void delete(Predicate<ParkedMessage> which) {
        parked.values().removeIf(kept -> which.test(kept.message()));
    }

    void delete(Collection<Long> positions) {
        parked.values().removeIf(kept -> positions.contains(kept.position()));
    }

    /** Drops messages without a row: they are not parked again when they are read again. */
    void dropWithoutRow(Predicate<ParkedMessage> which, InMemorySources sources) {
        Predicate<ParkedMessage> all = which.and(message -> message.rowKey() == null);
        dropped.removeIf(sources::isPassed);
        parked.forEach(
                (id, kept) -> {
                    if (all.test(kept.message()) && !sources.isPassed(id)) {
                        dropped.add(id);
                    }
                });
        delete(all);
    }

    /** A parked message was tried once more. */
    void failedAgain(long position, String reason, String error) {
        parked.replaceAll(
                (id, kept) -> kept.position() == position ? kept.failed(reason, error) : kept);
    }

    /** Puts another value in the place of a parked message's, for good. */
    void replace(long position, byte @Nullable [] value) {
        for (Map.Entry<RecordId, Kept> entry : parked.entrySet()) {
            Kept kept = entry.getValue();
            Message message = kept.message().message();
            if (kept.position() == position) {
                entry.setValue(kept.of(message.withValue(value)));
                int source = message.epoch().source();
                replacements.removeIf(
                        it -> it.by().source() == source && it.by().offset() == message.offset());
                replacements.add(
                        new Replaced(
                                kept.message().rowKey(),
                                new Replacement(
                                        source, message.offset(), message.leaderEpoch(), value)));
            }
        }
    }

    List<Replacement> replacements() {
        return replacements.stream().map(Replaced::by).toList();
    }

    /** What stood in the place of values of a key goes with it. */
    void forgetReplacements(String key) {
        replacements.removeIf(it -> key.equals(it.key()));
    }
}
