package dev.envelope.idempotency;

import dev.envelope.core.api.Message;
import dev.envelope.core.key.Division;
import dev.envelope.core.turn.EnvelopeHandler;
import dev.envelope.core.turn.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives each turn to the handler of its place. All rows of a turn are at one place, since a worker
 * takes shards of one place at a time.
 */
public record DividedHandler(Division division, List<? extends EnvelopeHandler> byPlace)
        implements EnvelopeHandler {

    /** The only one, where rows are not divided. */
    public static EnvelopeHandler of(Division division, List<? extends EnvelopeHandler> byPlace) {
        return byPlace.size() == 1 ? byPlace.get(0) : new DividedHandler(division, byPlace);
    }

    private int placeOf(String key) {
        return division.placeOf(division.slotOf(key));
    }

    @Override
    public void handle(Turn turn) {
        byPlace.get(placeOf(turn.envelopes().get(0).key())).handle(turn);
    }

    /** The room for outputs is one for all places. */
    @Override
    public boolean hasRoom() {
        return byPlace.get(0).hasRoom();
    }

    @Override
    public void dying(List<Message> underWay) {
        Map<Integer, List<Message>> messages = new TreeMap<>();
        underWay.forEach(
                it -> messages.computeIfAbsent(placeOf(it.key()), at -> new ArrayList<>()).add(it));
        messages.forEach((place, its) -> byPlace.get(place).dying(its));
    }
}
