package dev.envelope.idempotency.dedupe;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class IdHashTest {

    @Test
    void isTheFirstHalfOfSha256() {
        assertThat(IdHash.of(bytes("abc")))
                .isEqualTo(new IdHash(0xba7816bf8f01cfeaL, 0x414140de5dae2223L));
    }

    @Test
    void tellsWhereTheScopeEnds() {
        assertThat(IdHash.of(bytes("a"), bytes("bc")))
                .isEqualTo(IdHash.of(bytes("a"), bytes("bc")))
                .isNotEqualTo(IdHash.of(bytes("ab"), bytes("c")))
                .isNotEqualTo(IdHash.of(bytes("abc")));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
