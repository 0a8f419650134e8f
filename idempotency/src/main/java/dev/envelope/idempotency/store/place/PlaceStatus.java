package dev.envelope.idempotency.store.place;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A place as this process sees it.
 *
 * @param slots the numbers of those that are there
 * @param silence empty if it answered last
 * @param moves in sentences: those of the slots that are being moved away
 */
public record PlaceStatus(
        String name, List<Integer> slots, Optional<Silence> silence, List<String> moves) {

    /** One whose slots are all there. */
    public PlaceStatus(String name, List<Integer> slots, Optional<Silence> silence) {
        this(name, slots, silence, List.of());
    }

    /** How long it has not answered, and why. */
    public record Silence(Duration time, String why) {}

    /** A sentence about its silence; empty if it answered last. */
    public Optional<String> sentence() {
        return silence.map(
                it ->
                        "place %s has not answered for %d s: %s; keys of its %d of the slots wait, others go on"
                                .formatted(name, it.time().toSeconds(), it.why(), slots.size()));
    }
}
