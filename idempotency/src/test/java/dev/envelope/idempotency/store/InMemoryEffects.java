package dev.envelope.idempotency.store;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.output.Output;
import dev.envelope.idempotency.store.reply.Reply;
import dev.envelope.idempotency.store.reply.ReplyStore.CommandId;
import dev.envelope.idempotency.store.row.HandlerEffects;
import dev.envelope.idempotency.store.row.Snapshot;
import dev.envelope.idempotency.store.timer.DueTimer;
import dev.envelope.idempotency.store.timer.Firing;
import dev.envelope.idempotency.store.timer.Timer;
import dev.envelope.idempotency.store.timer.Timer.Setting;
import dev.envelope.idempotency.store.timer.TimerId;
import dev.envelope.idempotency.store.timer.TimerStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/**
 * The timers of keys and the answers to commands in memory.
 *
 * <p>Threads: guarded by its database.
 */
final class InMemoryEffects {

    private final Map<String, Map<String, Set>> timers = new TreeMap<>(); // by key and name
    private final Map<String, Map<String, Saved>> replies = new TreeMap<>(); // by key and command

    /** A timer that is set. */
    private record Set(String key, String name, Setting to, boolean hasFired) {

        String generation() {
            return Firing.generation(to);
        }

        SavedOutput firing() {
            Message origin = to.origin();
            return new SavedOutput(
                    key,
                    new Output(
                            origin,
                            to.ordinal(),
                            origin.topic(),
                            origin.keyBytes(),
                            to.payload(),
                            new RecordHeaders()
                                    .add(Firing.NAME, name.getBytes(StandardCharsets.UTF_8))
                                    .add(
                                            Firing.GENERATION,
                                            generation().getBytes(StandardCharsets.UTF_8))));
        }
    }

    /** An answer as it was saved. */
    record Saved(Reply reply, byte @Nullable [] state, long version, long savedAtNanos) {

        boolean isState() {
            return reply.value() == null && reply.reason() == null;
        }

        byte @Nullable [] value() {
            return isState() ? state : reply.value();
        }

        @Override
        public String toString() {
            byte @Nullable [] value = value();
            String said = value == null ? null : new String(value, StandardCharsets.UTF_8);
            return reply.result().text()
                    + " @"
                    + reply.origin().offset()
                    + " v"
                    + version
                    + (reply.reason() == null ? "" : " because " + reply.reason())
                    + (isState() ? " state " + said : said == null ? "" : " " + said);
        }
    }

    InMemoryEffects() {}

    InMemoryEffects(InMemoryEffects other) {
        other.timers.forEach((key, names) -> timers.put(key, new TreeMap<>(names)));
        other.replies.forEach((key, commands) -> replies.put(key, new TreeMap<>(commands)));
    }

    /**
     * Saves what is to happen with a row.
     *
     * @param row after the save
     */
    void save(Snapshot row, HandlerEffects effects, long nowNanos) {
        for (Timer timer : effects.timers()) {
            Map<String, Set> names = timers.computeIfAbsent(row.key(), it -> new TreeMap<>());
            if (timer.set() == null) {
                names.remove(timer.name());
            } else {
                names.put(timer.name(), new Set(row.key(), timer.name(), timer.set(), false));
            }
        }
        for (Reply reply : effects.replies()) {
            replies.computeIfAbsent(row.key(), it -> new TreeMap<>())
                    .merge(
                            reply.command(),
                            new Saved(
                                    reply,
                                    effects.stateAsAnswer(row.state()),
                                    row.version(),
                                    nowNanos),
                            InMemoryEffects::staying);
        }
    }

    private static Saved staying(Saved before, Saved now) {
        return now.reply().result().replaces(before.reply().result()) ? now : before;
    }

    void forgetTimers(String key) {
        timers.remove(key);
    }

    Map<String, Map<String, Setting>> settings() {
        Map<String, Map<String, Setting>> all = new TreeMap<>();
        timers.forEach(
                (key, names) -> {
                    Map<String, Setting> byName = new TreeMap<>();
                    names.forEach((name, timer) -> byName.put(name, timer.to()));
                    if (!byName.isEmpty()) {
                        all.put(key, byName);
                    }
                });
        return all;
    }

    /** The timers of a key that are set, by name; also those that have fired. */
    java.util.Set<String> names(String key) {
        return timers.getOrDefault(key, Map.of()).keySet();
    }

    /**
     * Those that have fired or are due, by key and name.
     *
     * @param otherTopics of a source
     */
    Map<String, Map<String, DueTimer>> due(
            Collection<TimerId> ids, Instant now, IntFunction<java.util.Set<Integer>> otherTopics) {
        Map<String, Map<String, DueTimer>> due = new HashMap<>();
        for (TimerId id : ids) {
            Set timer = timers.getOrDefault(id.key(), Map.of()).get(id.name());
            if (timer != null && (timer.hasFired() || !timer.to().dueAt().isAfter(now))) {
                due.computeIfAbsent(id.key(), it -> new HashMap<>())
                        .put(
                                id.name(),
                                new DueTimer(
                                        timer.generation(),
                                        otherTopics.apply(timer.to().origin().epoch().source())));
            }
        }
        return due;
    }

    private List<Set> pending(Collection<TopicPartition> owned) {
        return timers.values().stream()
                .flatMap(names -> names.values().stream())
                .filter(it -> !it.hasFired())
                .filter(it -> owned.contains(it.to().origin().epoch().partition()))
                .sorted(Comparator.comparing(it -> it.to().dueAt()))
                .toList();
    }

    Map<String, StandingTimer> standing(String key) {
        Map<String, Set> names = timers.getOrDefault(key, Map.of());
        Map<String, StandingTimer> standing = new TreeMap<>();
        names.forEach((name, it) -> standing.put(name, new StandingTimer(it.to(), it.hasFired())));
        return standing;
    }

    Map<String, Map<String, StandingTimer>> standing() {
        Map<String, Map<String, StandingTimer>> all = new TreeMap<>();
        timers.keySet().forEach(key -> all.put(key, standing(key)));
        return all;
    }

    void put(String key, Map<String, StandingTimer> others) {
        Map<String, Set> names = new TreeMap<>();
        others.forEach((name, it) -> names.put(name, new Set(key, name, it.to(), it.hasFired())));
        timers.put(key, names);
    }

    List<SavedOutput> fire(Collection<TopicPartition> owned, int most, Instant now) {
        List<SavedOutput> firings = new ArrayList<>();
        long bytes = 0;
        for (Set timer : pending(owned)) {
            bytes += timer.to().payload().length;
            boolean fits = firings.isEmpty() || bytes <= TimerStore.BYTES_AT_ONCE;
            if (fits && firings.size() < most && !timer.to().dueAt().isAfter(now)) {
                timers.getOrDefault(timer.key(), Map.of())
                        .put(timer.name(), new Set(timer.key(), timer.name(), timer.to(), true));
                firings.add(timer.firing());
            }
        }
        return firings;
    }

    /** Fires a timer now, due or not; null if it is not set, or has fired. */
    @Nullable Output fire(String key, String name) {
        Map<String, Set> names = timers.getOrDefault(key, Map.of());
        Set timer = names.get(name);
        if (timer == null || timer.hasFired()) {
            return null;
        }
        names.put(name, new Set(key, name, timer.to(), true));
        return timer.firing().output();
    }

    @Nullable Duration next(Collection<TopicPartition> owned, Instant now) {
        List<Set> pending = pending(owned);
        return pending.isEmpty() ? null : Duration.between(now, pending.get(0).to().dueAt());
    }

    Map<CommandId, Reply.At> applied(Collection<CommandId> commands) {
        Map<CommandId, Reply.At> applied = new HashMap<>();
        for (CommandId each : commands) {
            Saved saved = reply(each.key(), each.command());
            if (saved != null && saved.reply().result().isApplied()) {
                applied.put(each, saved.reply().at());
            }
        }
        return applied;
    }

    @Nullable Saved reply(String key, String command) {
        return replies.getOrDefault(key, Map.of()).get(command);
    }

    int forgetReplies(long savedBefore, int most) {
        List<Saved> old =
                replies.values().stream()
                        .flatMap(it -> it.values().stream())
                        .filter(it -> it.savedAtNanos() < savedBefore)
                        .sorted(Comparator.comparingLong(Saved::savedAtNanos))
                        .limit(most)
                        .toList();
        replies.values().forEach(it -> it.values().removeAll(old));
        return old.size();
    }
}
