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
 * Knows which messages an operator has given another value, so that reading them again, from an
 * older copy of the database or a rewound offset, makes the row that it made before. Only a message
 * that is parked can be given one: its mark has passed it, so that none is read before the next
 * epoch. So they are asked for once an epoch; as long as there are none, nothing is done for a
 * message.
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

    /** What was read when an epoch began. */
    private record Page(long epoch, Map<Place, Replacement> replacements) {}

    private final Supplier<List<Replacement>> source;
    private volatile Page page = new Page(Long.MIN_VALUE, Map.of());

    public ReplacedValues(Supplier<List<Replacement>> source) {
        this.source = source;
    }

    /**
     * Reads them, if that was not done since this epoch began.
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

    /** From now on the work is one with the values that its messages were given. */
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
