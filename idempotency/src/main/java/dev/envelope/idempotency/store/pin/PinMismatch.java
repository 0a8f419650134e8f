package dev.envelope.idempotency.store.pin;

import org.jspecify.annotations.Nullable;

/**
 * A setting that does not fit what is in the rows.
 *
 * @param stored what the rows were made with; null where that is not known
 * @param reason what speaks against the configured value, as the middle of a sentence
 */
public record PinMismatch(String name, @Nullable String stored, String configured, String reason) {

    /**
     * What is wrong and what mends it, in one line.
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
