package dev.envelope.app.ops;

import dev.envelope.core.api.Words;
import dev.envelope.idempotency.store.parked.FrozenKeys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keys that are frozen by parked messages, of the partitions of this process.
 *
 * @param partitions longest parked first
 * @param most the process is not ready if more keys are frozen
 */
public record Frozen(List<FrozenKeys> partitions, long most) {

    /** Before the first look at the database. */
    public static final Frozen NONE = new Frozen(List.of(), Long.MAX_VALUE);

    public Frozen {
        partitions = List.copyOf(partitions);
    }

    public long keys() {
        return partitions.stream().mapToLong(FrozenKeys::keys).sum();
    }

    /** The parked messages of these keys, and those that can't have a row. */
    public long messages() {
        return partitions.stream().mapToLong(FrozenKeys::messages).sum();
    }

    /** How long the first of them has been parked. */
    public Duration oldest() {
        return partitions.isEmpty() ? Duration.ZERO : partitions.get(0).first().age();
    }

    boolean isTooMuch() {
        return keys() > most;
    }

    /** A sentence for the operator; empty if nothing is parked. */
    public Optional<String> sentence() {
        if (partitions.isEmpty()) {
            return Optional.empty();
        }
        FrozenKeys first = partitions.get(0);
        return Optional.of(
                "%s; first: %s, %s@%d, for %s: %s (envelope parked list)"
                        .formatted(
                                whatWaits(),
                                first.first().key() == null
                                        ? "without a row"
                                        : "key " + Words.quote(first.first().key()),
                                first.partition(),
                                first.first().offset(),
                                Said.of(oldest()),
                                why(first.first())));
    }

    private static String why(FrozenKeys.First first) {
        return first.error().isEmpty()
                ? first.reason()
                : first.reason() + ", " + Words.line(first.error());
    }

    /** Messages that can't have a row freeze no key. */
    private String whatWaits() {
        String messages = Words.counted(messages(), "message waits", "messages wait");
        return keys() == 0
                ? messages + " for you, none of them with a key that can have a row"
                : "%s: %s for you"
                        .formatted(
                                Words.counted(keys(), "key is frozen", "keys are frozen"),
                                messages);
    }
}
