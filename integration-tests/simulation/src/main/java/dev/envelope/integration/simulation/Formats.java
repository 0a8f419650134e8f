package dev.envelope.integration.simulation;

import dev.envelope.core.decode.Deserializers;
import dev.envelope.core.key.DeserializedKeys;
import dev.envelope.core.key.KeyFormat;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.idempotency.fold.ValueFormat;
import dev.envelope.idempotency.json.DeserializerValueFormat;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * The formats of a seed's keys and values. Of both some need the registry: their bytes begin with
 * the id of a schema, and the schema has to be asked for once.
 *
 * <p>Threads: immutable.
 */
record Formats(Keys keys, boolean valuesNeedRegistry) {

    private static final int PREFIX = 1 + Integer.BYTES;

    /** What keys are made of. */
    enum Keys {
        STRING {
            @Override
            byte[] bytes(int key, int schema) {
                return utf8(text(key));
            }

            @Override
            byte[] bad() {
                return new byte[] {'k', (byte) 0xFF};
            }

            @Override
            KeyFormat format(SimInstance process, World world) {
                return KeyFormats.string();
            }
        },
        INT64 {
            @Override
            String text(int key) {
                return Long.toString(key - 3L);
            }

            @Override
            byte[] bytes(int key, int schema) {
                return ByteBuffer.allocate(Long.BYTES).putLong(key - 3L).array();
            }

            @Override
            byte[] bad() {
                return new byte[Long.BYTES - 1];
            }

            @Override
            KeyFormat format(SimInstance process, World world) {
                return KeyFormats.int64();
            }
        },
        UUIDS {
            @Override
            String text(int key) {
                return new UUID(key, key).toString();
            }

            /** Upper case now and then, which means the same. */
            @Override
            byte[] bytes(int key, int schema) {
                String text = text(key);
                return utf8(schema % 2 == 0 ? text : text.toUpperCase(Locale.ROOT));
            }

            @Override
            byte[] bad() {
                return utf8("no-uuid");
            }

            @Override
            KeyFormat format(SimInstance process, World world) {
                return KeyFormats.uuid();
            }
        },
        BASE64 {
            @Override
            String text(int key) {
                return Base64.getEncoder().encodeToString(bytes(key, 0));
            }

            @Override
            byte[] bytes(int key, int schema) {
                return new byte[] {(byte) key, (byte) 0xFF, 0};
            }

            /** All bytes have a text in base64. */
            @Override
            byte @Nullable [] bad() {
                return null;
            }

            @Override
            KeyFormat format(SimInstance process, World world) {
                return KeyFormats.base64();
            }
        },
        REGISTRY {
            @Override
            byte[] bytes(int key, int schema) {
                return ofSchema(schema, utf8(text(key)));
            }

            @Override
            byte[] bad() {
                return ofSchema(1, utf8("no key"));
            }

            @Override
            KeyFormat format(SimInstance process, World world) {
                return new DeserializedKeys(deserializers(process, world, 'k'));
            }
        };

        private static final Keys[] ALL = values();

        /** As its row is named. */
        String text(int key) {
            return "k" + key;
        }

        /** As a record has it that was written with this schema. */
        abstract byte[] bytes(int key, int schema);

        /** What no row can have for a key. */
        abstract byte @Nullable [] bad();

        abstract KeyFormat format(SimInstance process, World world);
    }

    static Formats draw(RandomGenerator random, boolean needsRegistry) {
        Keys keys =
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> Keys.REGISTRY;
                    case 3, 4 -> Keys.ALL[random.nextInt(Keys.ALL.length)];
                    default -> Keys.STRING;
                };
        boolean isLeftAlone = keys == Keys.REGISTRY && !needsRegistry;
        return new Formats(isLeftAlone ? Keys.STRING : keys, needsRegistry && random.nextBoolean());
    }

    /** What is in hand while its keys are decoded is in no budget: another poll is let through. */
    int pollsAhead() {
        return keys == Keys.REGISTRY ? 2 : 1;
    }

    /** What a producer makes of a value. */
    byte[] value(String text, int schema) {
        return valuesNeedRegistry ? ofSchema(schema, utf8(text)) : utf8(text);
    }

    ValueFormat<String> values(SimInstance process, World world) {
        return valuesNeedRegistry
                ? new DeserializerValueFormat<>(deserializers(process, world, 'v'))
                : Trace.FORMAT;
    }

    /** What stands behind the id of a schema, if there is one. */
    static byte[] content(byte[] bytes) {
        return hasSchema(bytes) ? Arrays.copyOfRange(bytes, PREFIX, bytes.length) : bytes;
    }

    private static boolean hasSchema(byte[] bytes) {
        return bytes.length >= PREFIX && bytes[0] == 0;
    }

    private static byte[] ofSchema(int schema, byte[] content) {
        return ByteBuffer.allocate(PREFIX + content.length)
                .put((byte) 0)
                .putInt(schema)
                .put(content)
                .array();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Deserializers<String> deserializers(
            SimInstance process, World world, char first) {
        return new Deserializers<>(
                () -> new OfRegistry(process, world, first), world.scheduler()::now);
    }

    /** Knows the schemas that it has asked for. */
    private static final class OfRegistry implements Deserializer<String> {

        private final SimInstance process;
        private final World world;
        private final char first;
        private final Set<Integer> known = new HashSet<>();

        OfRegistry(SimInstance process, World world, char first) {
            this.process = process;
            this.world = world;
            this.first = first;
        }

        @Override
        public @Nullable String deserialize(String topic, byte[] bytes) {
            if (process.isOnPollThread()) {
                world.checks().fail("poll-blocked", process.name() + " decodes while it polls");
            }
            if (!hasSchema(bytes)) {
                throw new SerializationException("no schema");
            }
            int schema = ByteBuffer.wrap(bytes, 1, Integer.BYTES).getInt();
            if (!known.contains(schema)) {
                world.registry().ask(process, schema);
                known.add(schema);
            }
            String text = new String(content(bytes), StandardCharsets.UTF_8);
            if (text.isEmpty() || text.charAt(0) != first) {
                throw new SerializationException("no " + first + " at the beginning");
            }
            return text;
        }
    }
}
