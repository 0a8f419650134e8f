package dev.envelope.core.key;

import dev.envelope.core.api.RowKey;
import dev.envelope.core.decode.DecoderOutException;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Decides which row a record belongs to, and whether it can have one at all, before the store would
 * have to refuse it.
 *
 * <p>Threads: poll thread only, but for {@link #decode}.
 */
public final class RowKeys {

    /** Whether equal keys of different topics are one row. */
    public enum Scope {
        /** Each topic has rows of its own: {@code topic/key}. */
        TOPIC,
        /** One row per key over all topics. */
        APPLICATION
    }

    /** The prefix of the row keys of records without a key. */
    public static final String NO_KEY = ReservedKeys.NO_KEY;

    /** A third of an index page, with room for its overhead: what Postgres can index. */
    static final int MAX_UTF8_BYTES = 2500;

    /** The same for a key and a name beside it. */
    private static final int MAX_WITH_NAME = MAX_UTF8_BYTES + 100;

    private final KeyFormat format;
    private final Scope scope;
    private final ReservedKeys reserved;
    private final Ordering ordering;
    private final @Nullable KnownKeys known;

    /** Refuses records without a key. */
    public RowKeys(KeyFormat format, Scope scope) {
        this(format, scope, new NullKeys.Reject());
    }

    public RowKeys(KeyFormat format, Scope scope, NullKeys nullKeys) {
        this(format, scope, nullKeys, Ordering.KEY, 0);
    }

    /**
     * @param ordering decides instead of the key, where it is not {@link Ordering#KEY}
     * @param remembered how many keys are kept, so that those that come again are the same objects;
     *     no effect on a format that looks at more than the key
     */
    public RowKeys(
            KeyFormat format, Scope scope, NullKeys nullKeys, Ordering ordering, int remembered) {
        this.ordering = ordering;
        this.format = format;
        this.scope = scope;
        this.reserved = new ReservedKeys(nullKeys, scope);
        boolean areKept = remembered > 0 && ordering.isByKey() && format.readsOnlyTheKey();
        this.known = areKept ? new KnownKeys(remembered) : null;
    }

    /**
     * The record's row key, with its bytes; see {@link #of}.
     *
     * @throws KeyRefused as there
     */
    public RowKey rowOf(ConsumerRecord<byte @Nullable [], byte @Nullable []> record)
            throws KeyRefused {
        byte @Nullable [] bytes = record.key();
        if (known == null || bytes == null) {
            return new RowKey(of(record), bytes);
        }
        @Nullable RowKey found = known.find(record.topic(), bytes);
        if (found == null) {
            found = new RowKey(of(record), bytes);
            known.keep(record.topic(), bytes, found);
        }
        return found;
    }

    /**
     * The record's row key.
     *
     * @throws KeyRefused if the record can't have a row; its message begins with one word for
     *     grouping
     */
    public String of(ConsumerRecord<byte @Nullable [], byte @Nullable []> record)
            throws KeyRefused {
        @Nullable String place = ordering.placeOf(record);
        if (place != null) {
            return place;
        }
        byte @Nullable [] bytes = record.key();
        return bytes == null
                ? reserved.of(record)
                : rowKey(record.topic(), format.decode(record.topic(), record.headers(), bytes));
    }

    /** The same with its bytes, of a key that was decoded before. */
    public RowKey rowOf(
            ConsumerRecord<byte @Nullable [], byte @Nullable []> record, DecodedKey decoded)
            throws KeyRefused {
        if (decoded.refusal() != null) {
            throw decoded.refusal();
        }
        String text =
                decoded.text() == null
                        ? reserved.of(record)
                        : rowKey(record.topic(), decoded.text());
        return new RowKey(text, record.key());
    }

    /** Whether keys are to be decoded in the background, since that may take long. */
    public boolean mayBlock() {
        return ordering.isByKey() && format.mayBlock();
    }

    /**
     * Background: decodes a record's key.
     *
     * @throws DecoderOutException if that can't be done now
     */
    public DecodedKey decode(ConsumerRecord<byte @Nullable [], byte @Nullable []> record) {
        byte @Nullable [] bytes = record.key();
        if (bytes == null) {
            return DecodedKey.NONE;
        }
        try {
            return new DecodedKey(format.decode(record.topic(), record.headers(), bytes), null);
        } catch (KeyRefused e) {
            return new DecodedKey(null, e);
        }
    }

    /**
     * The result of decoding a key: a text, or why it was refused; neither if the record has no
     * key.
     */
    public record DecodedKey(@Nullable String text, @Nullable KeyRefused refusal) {
        static final DecodedKey NONE = new DecodedKey(null, null);
    }

    private String rowKey(String topic, String decoded) throws KeyRefused {
        String key = decoded;
        if (scope == Scope.TOPIC) {
            key = topic + '/' + key; // a topic's name has no slash
        }
        if (key.indexOf('\0') >= 0) {
            throw new KeyRefused("key-nul: the key contains a NUL character");
        }
        if (!key.isEmpty() && key.charAt(0) == ReservedKeys.MARK) {
            throw new KeyRefused(
                    "key-reserved: the key begins with U+FFFF, as those of records without a key");
        }
        if (key.length() > MAX_UTF8_BYTES / 3 && utf8Length(key) > MAX_UTF8_BYTES) {
            throw new KeyRefused(
                    "key-too-long: the key has more than " + MAX_UTF8_BYTES + " bytes");
        }
        return key;
    }

    /** Whether Postgres can index a row key together with a name, as of a command or a timer. */
    public static boolean canBeIndexed(String key, String name) {
        return (key.length() + name.length()) * 3 <= MAX_WITH_NAME
                || utf8Length(key) + utf8Length(name) <= MAX_WITH_NAME;
    }

    private static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
