package dev.envelope.idempotency.store.operator;

import dev.envelope.idempotency.store.parked.Replacement;
import dev.envelope.idempotency.store.parked.RequestStore.Action;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where an operator asks for something to be done with a key. Whoever runs the application carries
 * it out; this only writes it down.
 *
 * <p>Threads: one thread.
 */
public interface RequestCatalog extends Catalog {

    /**
     * Something that somebody has asked for.
     *
     * @param who as they said
     * @param name of the key or partition that it is about
     * @param done null if it is not carried out yet
     * @param answer what came of it
     */
    record Entry(
            long number,
            Instant at,
            String who,
            String what,
            String name,
            @Nullable Instant done,
            @Nullable String answer) {}

    /**
     * Asks for something to be done with the parked messages of a key; to skip means the one that
     * is the first now, and to drop means all that are parked now.
     *
     * @return the number of the request; empty if nothing of the key is parked
     */
    Optional<Long> ask(String key, Action action, String by);

    /**
     * Asks for the state of a key to be replaced.
     *
     * @param version the row's version that was looked at; null for the present one, and 0 if there
     *     is none any more
     * @return the number of the request; empty if there is no such row, or not of that version
     */
    Optional<Long> askToSet(String key, String state, @Nullable Long version, String by);

    /**
     * Asks for a key's state to be deleted, with its event ids and its parked messages.
     *
     * @param version the row's version that was looked at; null for whatever it has become
     * @return the number of the request; empty if there is no such row, or not of that version
     */
    Optional<Long> askToDelete(String key, @Nullable Long version, String by);

    /**
     * Asks for another value of the key's first parked message, and for what is parked to be
     * redriven.
     *
     * @param value null for a tombstone
     * @return the number of the request; empty if nothing of the key is parked, or {@link
     *     Replacement#MOST} messages have another value by now
     */
    Optional<Long> askToEdit(String key, byte @Nullable [] value, String by);

    /**
     * Asks for whatever comes of a key to be parked, until that is redriven or dropped.
     *
     * @return the number of the request; empty if there is no such row
     */
    Optional<Long> askToQuarantine(String key, String by);

    /** What was answered to a request, if it was. */
    Optional<String> answerTo(long number);

    /** What was answered to those of them that were answered. */
    Map<Long, String> answersTo(Collection<Long> numbers);

    /** What was asked for, about this key or partition or, without one, any; the last first. */
    List<Entry> audit(@Nullable String name, int most);

    /** Whether an instance that carries out requests was seen within that time. */
    boolean isAnybodyThere(Duration within);
}
