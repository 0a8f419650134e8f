package dev.envelope.idempotency.redrive;

import dev.envelope.core.api.Envelope;
import dev.envelope.core.api.Message;
import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.fold.Work;
import dev.envelope.idempotency.store.parked.Replacement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The messages whose values an operator has replaced, so that reading them again, after a restore
 * of an older database or a rewind of offsets, makes the same row as before. Only a parked message
 * can be given another value; the marks are past it, so it is not read again before the next epoch.
 * So the values are read once per epoch; while there are none, no message costs anything.
 *
 * <p>Threads: thread-safe (one volatile page, never changed).
 */
public final class ReplacedValues {

    private static final Logger log = LoggerFactory.getLogger(ReplacedValues.class);

    private record Place(int source, long offset, int leaderEpoch) {

        static Place of(Message message) {
            return new Place(message.epoch().source(), message.offset(), message.leaderEpoch());
        }
    }

    /** The replaced values, as read when an epoch began. */
    private record Page(long epoch, Map<Place, Replacement> replacements) {}

    private final Supplier<List<Replacement>> source;
    private volatile Page page = new Page(Long.MIN_VALUE, Map.of());

    public ReplacedValues(Supplier<List<Replacement>> source) {
        this.source = source;
    }

    /**
     * Reads the values, unless that was done since this epoch began.
     *
     * @throws UnavailableException if they can't be read
     */
    public void open(long epoch) {
        if (page.epoch() >= epoch) {
            return;
        }
        Map<Place, Replacement> read = new HashMap<>();
        for (Replacement one : source.get()) {
            read.put(new Place(one.source(), one.offset(), one.leaderEpoch()), one);
        }
        if (!read.isEmpty()) {
            log.info("{} messages have a value that an operator has given them", read.size());
        }
        page = new Page(epoch, read);
    }

    /** Replaces the values of a work's messages. */
    public void putInto(Work<?> work) {
        Map<Place, Replacement> all = page.replacements();
        Envelope envelope = work.envelope();
        if (!all.isEmpty()
                && envelope.messages().stream().anyMatch(it -> all.containsKey(Place.of(it)))) {
            work.read(
                    envelope.messages().stream()
                            .map(message -> replaced(message, all.get(Place.of(message))))
                            .toList());
        }
    }

    private static Message replaced(Message message, @Nullable Replacement by) {
        return by == null ? message : message.withValue(by.value());
    }
}
