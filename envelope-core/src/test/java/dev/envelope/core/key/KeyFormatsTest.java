package dev.envelope.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.decode.Deserializers;
import dev.envelope.core.key.KeyFormat.KeyRefused;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.IntegerSerializer;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.UUIDSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class KeyFormatsTest {

    private static String decode(KeyFormat format, byte... key) throws KeyRefused {
        return format.decode("orders", new RecordHeaders(), key);
    }

    private static KeyFormat of(Deserializer<?> deserializer) {
        return new DeserializedKeys(new Deserializers<Object>(() -> deserializer, () -> 0));
    }

    private static void isRefused(KeyFormat format, byte... key) {
        assertThatThrownBy(() -> decode(format, key))
                .isInstanceOf(KeyRefused.class)
                .hasMessageStartingWith("key-format:");
    }

    @Test
    void readsTextAndRefusesWhatIsNotUtf8() throws KeyRefused {
        assertThat(decode(KeyFormats.string(), "Zürich".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("Zürich");
        assertThat(decode(KeyFormats.string(), "a\uFFFDb".getBytes(StandardCharsets.UTF_8)))
                .as("a replacement character that stands there itself")
                .isEqualTo("a\uFFFDb");
        isRefused(KeyFormats.string(), (byte) 0xff);
        isRefused(KeyFormats.string(), (byte) 'a', (byte) 0xc3);
        isRefused(KeyFormats.string(), (byte) 0xed, (byte) 0xa0, (byte) 0x80); // a lone surrogate
    }

    @Test
    void readsNumbersAsKafkaWritesThem() throws KeyRefused {
        assertThat(decode(KeyFormats.int64(), new LongSerializer().serialize("t", -7L)))
                .isEqualTo("-7");
        assertThat(decode(KeyFormats.int32(), new IntegerSerializer().serialize("t", 42)))
                .isEqualTo("42");
        isRefused(KeyFormats.int64(), (byte) 1);
        isRefused(KeyFormats.int32(), new byte[8]);
        isRefused(KeyFormats.int32());
    }

    @Test
    void readsUuidsOfEitherCaseAsOneKey() throws KeyRefused {
        UUID uuid = new UUID(0xABCDEF, 42);
        byte[] lower = new UUIDSerializer().serialize("t", uuid);
        byte[] upper =
                new String(lower, StandardCharsets.UTF_8)
                        .toUpperCase(Locale.ROOT)
                        .getBytes(StandardCharsets.UTF_8);

        assertThat(decode(KeyFormats.uuid(), lower)).isEqualTo(uuid.toString());
        assertThat(decode(KeyFormats.uuid(), upper)).isEqualTo(uuid.toString());
        isRefused(KeyFormats.uuid(), "1-2-3-4-5".getBytes(StandardCharsets.UTF_8));
        isRefused(KeyFormats.uuid(), "no uuid".getBytes(StandardCharsets.UTF_8));
        isRefused(KeyFormats.uuid());
    }

    @Test
    void writesAnyBytesInBase64() throws KeyRefused {
        assertThat(decode(KeyFormats.base64(), (byte) 0, (byte) 0xff)).isEqualTo("AP8=");
    }

    @Test
    void takesWhatADeserializerMakesOfIt() throws KeyRefused {
        assertThat(decode(of(new LongDeserializer()), new LongSerializer().serialize("t", 5L)))
                .isEqualTo("5");
        isRefused(of(new LongDeserializer()), (byte) 1);
        Deserializer<Object> toNothing = (topic, key) -> null;
        isRefused(of(toNothing), (byte) 1);
    }

    @Test
    void refusesADeserializerThatMakesSomethingWithoutATextOfItsOwn() {
        isRefused(of(new ByteArrayDeserializer()), (byte) 1);
        isRefused(of(new ByteBufferDeserializer()), (byte) 1);
    }

    @Test
    void refusesAKeyThatBreaksOffWhenItIsMadeAText() {
        Deserializer<Object> toWhatThrows = (topic, key) -> new Broken(new RuntimeException());
        isRefused(of(toWhatThrows), (byte) 1);
        Deserializer<Object> toWhatIsTooDeep = (topic, key) -> new Broken(new StackOverflowError());
        isRefused(of(toWhatIsTooDeep), (byte) 1);
        Deserializer<Object> toWhatHasNone = (topic, key) -> new Broken(null);
        isRefused(of(toWhatHasNone), (byte) 1);
    }

    private record Broken(@Nullable Throwable thrown) {

        @Override
        @SuppressWarnings({"NullAway", "ToStringReturnsNull"}) // as code of others may
        public String toString() {
            if (thrown instanceof Error error) {
                throw error;
            } else if (thrown instanceof RuntimeException exception) {
                throw exception;
            }
            return null;
        }
    }

    @Test
    void refusesATextThatHasNoUtf8() {
        byte[] loneSurrogate = {(byte) 0xd8, 0};

        isRefused(
                of(
                        new StringDeserializer() {
                            @Override
                            public String deserialize(String topic, byte[] data) {
                                return new String(data, StandardCharsets.UTF_16BE)
                                        .replace('\uFFFD', '\uD800');
                            }
                        }),
                loneSurrogate);
    }
}
