package dev.envelope.core.pool;

import dev.envelope.core.api.Message;
import dev.envelope.core.api.Stage;
import dev.envelope.core.mailbox.ShardTurn;
import dev.envelope.core.mailbox.Standing;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;

/**
 * The turns that are under way, oldest first, for other threads to read.
 *
 * <p>Threads: thread-safe (a concurrent queue).
 */
public final class RunningTurns implements Iterable<ShardTurn> {

    private final Queue<ShardTurn> turns = new ConcurrentLinkedQueue<>();

    void add(ShardTurn turn) {
        turns.add(turn);
    }

    void remove(ShardTurn turn) {
        turns.remove(turn);
    }

    int count() {
        return turns.size();
    }

    @Override
    public Iterator<ShardTurn> iterator() {
        return turns.iterator();
    }

    /** The messages that user code is at now, or was at when memory ran out. */
    public List<Message> underWay() {
        List<Message> messages = new ArrayList<>();
        for (ShardTurn turn : turns) {
            Message message = turn.watch().underWay();
            if (message != null) {
                messages.add(message);
            }
        }
        return messages;
    }

    /** Any thread: how many messages are at each stage of a turn. */
    public Map<Stage, Integer> messagesByStage() {
        Map<Stage, Integer> messages = new EnumMap<>(Stage.class);
        for (ShardTurn turn : turns) {
            turn.stage().ifPresent(stage -> messages.merge(stage, turn.size(), Integer::sum));
        }
        return messages;
    }

    /** Any thread: the standing of a key that has an envelope in a turn that runs now. */
    public Optional<Standing> standing(String key) {
        return turns.stream().flatMap(turn -> turn.standing(key).stream()).findFirst();
    }

    /** True once every turn that runs now has ended or was taken from its worker. */
    public BooleanSupplier barrier() {
        List<ShardTurn> now = List.copyOf(turns);
        return () -> now.stream().noneMatch(turn -> turns.contains(turn) && !turn.isTaken());
    }
}
