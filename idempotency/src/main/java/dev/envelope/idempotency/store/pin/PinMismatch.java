package dev.envelope.idempotency.store.pin;

import org.jspecify.annotations.Nullable;

/**
 * A setting that does not fit what is in the rows.
 *
 * @param stored the value that the rows were made with; null if unknown
 * @param reason why the configured value does not fit, as the middle of a sentence
 */
public record PinMismatch(String name, @Nullable String stored, String configured, String reason) {

    /**
     * What is wrong and how to fix it, in one line.
     *
     * @param remedy what can be done
     */
    public String sentence(String remedy) {
        return name
                + (configured.equals(PinStore.UNSET) ? " is not set" : " is " + configured)
                + ", but "
                + reason
                + ": "
                + remedy;
    }
}
