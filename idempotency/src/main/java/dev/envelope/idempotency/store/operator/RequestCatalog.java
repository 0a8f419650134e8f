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
 * Where an operator makes requests about keys. They are only recorded here; a process of the
 * application carries them out.
 *
 * <p>Threads: one thread.
 */
public interface RequestCatalog extends Catalog {

    /**
     * A request.
     *
     * @param who the name that the caller gave
     * @param name the key or partition that it is about
     * @param done when it was carried out; null if it was not yet
     * @param answer the answer to it
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
     * Requests an action on the parked messages of a key: a skip is of the message that is first
     * now, a drop of all that are parked now.
     *
     * @param first the position that the key's first message has for whoever asks, who may have
     *     looked some time ago; null for any
     * @return the number of the request; empty if nothing of the key is parked, or another message
     *     is the first
     */
    Optional<Long> ask(String key, Action action, @Nullable Long first, String by);

    /** The same whichever message is the first now. */
    default Optional<Long> ask(String key, Action action, String by) {
        return ask(key, action, null, by);
    }

    /**
     * Requests that the state of a key is replaced.
     *
     * @param version the row's version that the operator has seen; null for the present one, 0 if
     *     there is no row any more
     * @return the number of the request; empty if there is no such row, or not at that version
     */
    Optional<Long> askToSet(String key, String state, @Nullable Long version, String by);

    /**
     * Requests that a key's state, event ids and parked messages are deleted.
     *
     * @param version the row's version that the operator has seen; null for any version
     * @return the number of the request; empty if there is no such row, or not at that version
     */
    Optional<Long> askToDelete(String key, @Nullable Long version, String by);

    /**
     * Requests that the value of the key's first parked message is replaced and the key redriven.
     *
     * @param value null for a tombstone
     * @return the number of the request; empty if nothing of the key is parked, or {@link
     *     Replacement#MOST} messages have replaced values already
     */
    Optional<Long> askToEdit(String key, byte @Nullable [] value, String by);

    /**
     * Requests that all new messages of a key are parked, until it is redriven or dropped.
     *
     * @return the number of the request; empty if there is no such row
     */
    Optional<Long> askToQuarantine(String key, String by);

    /** The answer to a request, if there is one. */
    Optional<String> answerTo(long number);

    /** The answers to those of the requests that were answered. */
    Map<Long, String> answersTo(Collection<Long> numbers);

    /** Requests about this key or partition, or all if null; newest first. */
    List<Entry> audit(@Nullable String name, int most);

    /** Whether an instance that carries out requests was seen within that time. */
    boolean isAnybodyThere(Duration within);
}
