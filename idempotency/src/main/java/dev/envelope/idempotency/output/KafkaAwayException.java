package dev.envelope.idempotency.output;

import dev.envelope.core.api.UnavailableException;
import java.util.function.Supplier;

/** Kafka can't be reached or does not serve now, as opposed to the database. */
final class KafkaAwayException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    KafkaAwayException(RuntimeException cause) {
        super(cause.getMessage(), cause);
    }

    /** Asks Kafka. */
    static <T> T orThrow(Supplier<T> question) {
        try {
            return question.get();
        } catch (UnavailableException e) {
            throw new KafkaAwayException(e);
        }
    }
}
