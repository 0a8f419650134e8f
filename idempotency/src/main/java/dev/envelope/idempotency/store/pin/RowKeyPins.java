package dev.envelope.idempotency.store.pin;

import dev.envelope.core.ConsumerSettings;
import dev.envelope.core.key.NullKeys;
import dev.envelope.core.key.RowKeys;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The settings that decide which row a record belongs to, as pins. With other settings a key's next
 * record would start a new, empty row beside the key's present one.
 */
public final class RowKeyPins {

    public static final String KEY_SCOPE = "key.scope";
    public static final String KEY_FORMAT = "key.format";
    public static final String ON_NULL_KEY = "on.null.key";
    public static final String NULL_KEY_SPREAD = "null.key.spread";

    public static final String TOPIC = "topic";
    public static final String APPLICATION = "application";
    public static final String PARTITION = "partition";
    public static final String SPREAD = "spread";

    private RowKeyPins() {}

    /**
     * The pins of a consumer.
     *
     * @param keyFormat the name of its key format; with another format, keys have other texts
     */
    public static SortedMap<String, String> of(ConsumerSettings settings, String keyFormat) {
        return of(settings.keyScope(), keyFormat, settings.nullKeys());
    }

    /**
     * The pins of these settings. If records without a key get no row, there is no pin for them.
     */
    public static SortedMap<String, String> of(
            RowKeys.Scope scope, String keyFormat, NullKeys nullKeys) {
        SortedMap<String, String> values = new TreeMap<>();
        values.put(KEY_SCOPE, scope.name().toLowerCase(Locale.ROOT));
        values.put(KEY_FORMAT, keyFormat);
        values.putAll(
                nullKeys.<Map<String, String>>match(
                        Map::of,
                        () -> Map.of(ON_NULL_KEY, PARTITION),
                        rows ->
                                Map.of(
                                        ON_NULL_KEY,
                                        SPREAD,
                                        NULL_KEY_SPREAD,
                                        Integer.toString(rows))));
        return values;
    }

    /** How to fix a mismatch. */
    public static String remedy(PinMismatch mismatch) {
        String name = mismatch.name();
        String stored = mismatch.stored();
        if (stored == null) {
            return "set %s to what made them; if that is %s, run envelope pin -c FILE --yes"
                    .formatted(name, mismatch.configured());
        }
        boolean isOfNullKeys = name.equals(ON_NULL_KEY) || name.equals(NULL_KEY_SPREAD);
        return ("set %s=%s%s; or take another application.id, which reads the topics anew into a schema"
                        + " of its own; or, to begin other rows beside these, stop every process and"
                        + " run envelope pin -c FILE --yes")
                .formatted(
                        name,
                        stored,
                        isOfNullKeys ? ", or on.null.key=reject to give them no rows" : "");
    }
}
