package dev.envelope.idempotency.store.reply;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Answers to commands in memory.
 *
 * <p>Threads: guarded by this.
 */
public final class InMemoryReplies implements ReplyStore {

    private final Map<CommandId, Answer> answers = new HashMap<>();
    private final Clock clock;

    public InMemoryReplies(Clock clock) {
        this.clock = clock;
    }

    /** A save leaves an answer, as it says when. */
    public synchronized void save(CommandId command, Answer answer) {
        answers.put(command, answer);
    }

    @Override
    public synchronized Map<CommandId, Answer> find(Collection<CommandId> commands) {
        Map<CommandId, Answer> found = new HashMap<>(answers);
        found.keySet().retainAll(commands);
        return found;
    }

    @Override
    public synchronized int forget(Duration age, int most) {
        Instant before = clock.instant().minus(age);
        TreeMap<Instant, List<CommandId>> old = new TreeMap<>();
        answers.forEach(
                (id, answer) -> {
                    if (answer.madeAt().isBefore(before)) {
                        old.merge(answer.madeAt(), List.of(id), InMemoryReplies::both);
                    }
                });
        List<CommandId> gone = old.values().stream().flatMap(List::stream).limit(most).toList();
        gone.forEach(answers::remove);
        return gone.size();
    }

    private static List<CommandId> both(List<CommandId> some, List<CommandId> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }
}
