package dev.envelope.idempotency.store.pin;

import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.SortedMap;

/**
 * Settings that decide what is in the rows, by name: the first start records them, and each later
 * start compares its own with them. Names that a start does not give are not compared. {@link
 * #UNSET} is never recorded, and fits only if nothing is recorded. Every method throws {@link
 * UnavailableException} if the database can't be used.
 *
 * <p>Threads: thread-safe.
 */
public interface PinStore {

    /** The value of an optional setting that is not set. */
    String UNSET = "";

    /**
     * Compares these values with the recorded ones, and records those that are missing, unless any
     * does not fit.
     *
     * @return those that do not fit
     */
    List<PinMismatch> claim(SortedMap<String, String> values);

    /** What {@link #claim} would return. Records nothing, and works without the tables. */
    List<PinMismatch> compare(SortedMap<String, String> values);

    /** Records these values, replacing any others. */
    void confirm(SortedMap<String, String> values);

    /** All recorded values, by name. */
    SortedMap<String, Pin> stored();
}
