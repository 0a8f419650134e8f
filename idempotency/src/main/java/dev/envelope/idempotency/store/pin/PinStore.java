package dev.envelope.idempotency.store.pin;

import dev.envelope.core.api.UnavailableException;
import java.util.List;
import java.util.SortedMap;

/**
 * Settings that decide what is in the rows, by name: the first start writes them down, and each
 * later one compares its own with them. A name that a start does not give is not looked at. {@link
 * #UNSET} is never written down, and fits only where nothing is. Every method throws {@link
 * UnavailableException} if the database can't be used.
 *
 * <p>Threads: thread-safe.
 */
public interface PinStore {

    /** The value of a name that may have one, and has none. */
    String UNSET = "";

    /**
     * Compares these values with what is written down, and writes down those of which nothing is.
     * It is all or nothing: where one does not fit, none is written.
     *
     * @return those that do not fit, by name
     */
    List<PinMismatch> claim(SortedMap<String, String> values);

    /** What {@link #claim} would answer. Nothing is written, and the tables need not be there. */
    List<PinMismatch> compare(SortedMap<String, String> values);

    /** Writes these values down, whatever stands there. */
    void confirm(SortedMap<String, String> values);

    /** All that is written down, by name. */
    SortedMap<String, Pin> stored();
}
