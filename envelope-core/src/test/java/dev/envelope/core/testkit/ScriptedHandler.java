package dev.envelope.core.testkit;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Outcome;
import dev.envelope.core.turn.Turn;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Function;

/**
 * A handler that says {@code Saved}, unless a key or a turn has a script. It keeps what it was
 * given and what it said was durable.
 *
 * <p>Threads: one thread.
 */
public final class ScriptedHandler implements EnvelopeHandler {

    private final Map<String, Function<Envelope, Outcome>> byKey = new HashMap<>();
    private final Queue<EnvelopeHandler> turns = new ArrayDeque<>();
    private final List<List<Envelope>> handled = new ArrayList<>();
    private final Map<String, List<Message>> saved = new HashMap<>();
    private Function<Envelope, Outcome> otherwise = envelope -> Outcome.applied(envelope);
    private boolean hasRoom = true;

    /** What becomes of envelopes of this key from now on. */
    public void onKey(String key, Function<Envelope, Outcome> script) {
        byKey.put(key, script);
    }

    /** The key is as all the others again. */
    public void onKeyNoMore(String key) {
        byKey.remove(key);
    }

    /** What becomes of envelopes without a script from now on. */
    public void onAll(Function<Envelope, Outcome> script) {
        otherwise = script;
    }

    /** Whether there is room for results from now on. */
    public void hasRoom(boolean now) {
        hasRoom = now;
    }

    @Override
    public boolean hasRoom() {
        return hasRoom;
    }

    /** The next turn is handled by this. */
    public void onNextTurn(EnvelopeHandler script) {
        turns.add(script);
    }

    @Override
    public void handle(Turn turn) {
        handled.add(List.copyOf(turn.envelopes()));
        EnvelopeHandler script = turns.poll();
        if (script != null) {
            script.handle(turn);
        } else {
            settleAll(turn);
        }
    }

    /** Folds and settles every envelope of the turn, in order, as scripted. */
    public void settleAll(Turn turn) {
        for (int place = 0; place < turn.envelopes().size(); place++) {
            Envelope envelope = turn.envelopes().get(place);
            if (!turn.enter(place)) {
                turn.settle(place, Outcome.Deferred.NOT_BEGUN);
                continue;
            }
            Outcome outcome = byKey.getOrDefault(envelope.key(), otherwise).apply(envelope);
            if (!turn.leave(place, outcome)) {
                return;
            }
            settle(turn, place, outcome);
        }
    }

    /** Settles one envelope and keeps what is durable of it. */
    public void settle(Turn turn, int place, Outcome outcome) {
        Envelope envelope = turn.envelopes().get(place);
        int durable = outcome.done().size();
        saved.computeIfAbsent(envelope.key(), key -> new ArrayList<>())
                .addAll(envelope.messages().subList(0, durable));
        turn.settle(place, outcome);
    }

    /** The envelopes that it was given, turn by turn. */
    public List<List<Envelope>> turns() {
        return handled;
    }

    /** The keys that it was given, turn by turn. */
    public List<List<String>> keysByTurn() {
        return handled.stream()
                .map(it -> it.stream().map(Envelope::key).sorted().toList())
                .toList();
    }

    /** Messages of a key that it said were durable, in the order in which it said so. */
    public List<Message> saved(String key) {
        return saved.getOrDefault(key, List.of());
    }

    /** Their offsets. */
    public List<Long> savedOffsets(String key) {
        return saved(key).stream().map(Message::offset).toList();
    }
}
