package dev.envelope.app.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.config.key.ReadKeys.KeyFormat;
import dev.envelope.app.gateway.EntityKeys.EntityKey;
import dev.envelope.app.http.Refused;
import dev.envelope.core.key.KeyFormats;
import dev.envelope.core.key.RowKeys;
import org.apache.kafka.common.serialization.UUIDSerializer;
import org.junit.jupiter.api.Test;

/** The keys of requests as they are in the topic. */
class EntityKeysTest {

    private static EntityKeys keys(KeyFormat format, dev.envelope.core.key.KeyFormat decoder) {
        return new EntityKeys("t", format, new RowKeys(decoder, RowKeys.Scope.APPLICATION));
    }

    /** Another case would be another key of the topic, maybe of another partition. */
    @Test
    void aUuidIsPutAsKafkasSerializerWritesIt() {
        EntityKeys keys = keys(KeyFormat.UUID, KeyFormats.uuid());
        String text = "0F0E0D0C-0B0A-0908-0706-050403020100";

        EntityKey key = keys.of(text);

        try (UUIDSerializer serializer = new UUIDSerializer()) {
            byte[] written = serializer.serialize("t", java.util.UUID.fromString(text));
            assertThat(key.record()).isEqualTo(written);
        }
        assertThat(key.row()).isEqualTo(keys.of("0f0e0d0c-0b0a-0908-0706-050403020100").row());
        assertThatThrownBy(() -> keys.of("0F0E0D0C")).isInstanceOf(Refused.class);
    }

    @Test
    void textKeepsItsCase() {
        assertThat(keys(KeyFormat.STRING, KeyFormats.string()).of("Ab").record())
                .isEqualTo("Ab".getBytes(UTF_8));
    }

    @Test
    void numbersArePutAsKafkasSerializersWriteThem() {
        assertThat(keys(KeyFormat.LONG, KeyFormats.int64()).of("-2").record())
                .containsExactly(-1, -1, -1, -1, -1, -1, -1, -2);
        assertThat(keys(KeyFormat.INT, KeyFormats.int32()).of("258").record())
                .containsExactly(0, 0, 1, 2);
    }
}
