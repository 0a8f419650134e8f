package dev.envelope.app.config;

import dev.envelope.app.config.kafka.KafkaName;
import dev.envelope.app.config.key.Family;
import dev.envelope.app.config.key.Registry;
import dev.envelope.app.config.layer.Entry;
import dev.envelope.app.config.layer.References;
import dev.envelope.app.config.value.Types;
import dev.envelope.app.config.value.ValueType;
import java.util.regex.Pattern;

/** Decides which values may be shown. */
final class Secrecy {

    /** Words in the names of a user's own settings that suggest a secret. */
    private static final Pattern SOUNDS_SECRET =
            Pattern.compile(
                    "(?i).*(passw|secret|token|credential|passphrase|user\\.?info|jaas"
                            + "|(api|access|private)[._-]?key).*");

    private Secrecy() {}

    /** Whether a key's value is a secret: by its type or, for a user's own setting, by its name. */
    static boolean isSecret(String key) {
        if (key.startsWith(Registry.KAFKA)) {
            return KafkaName.of(key).isSecret();
        }
        if (Family.HTTP_HEADER.has(key)) {
            return true; // by no name it can be told
        }
        return Registry.find(key)
                .map(known -> known.type().secret())
                .orElseGet(() -> SOUNDS_SECRET.matcher(key).matches());
    }

    /** The text of an entry, as far as it may be shown; references are not resolved. */
    static String shown(Entry entry) {
        if (isSecret(entry.key())) {
            return References.isOnlyReference(entry.text()) ? entry.text() : ValueType.MASK;
        }
        if (Family.PLACE.has(entry.key())) {
            return Types.jdbcUrl().shown(entry.text());
        }
        return Registry.find(entry.key())
                .map(key -> key.type().shown(entry.text()))
                .orElse(entry.text());
    }
}
