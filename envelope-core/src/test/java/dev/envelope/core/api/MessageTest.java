package dev.envelope.core.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.core.testkit.Records;
import org.junit.jupiter.api.Test;

final class MessageTest {

    private final Message plain = Records.message(Records.epoch(1), 7, 3, "key", "value");

    @Test
    void headersAreCountedForTheyAreHeldAsWell() {
        Message withHeader = Records.withHeader(plain, "trace", new byte[1_000]);

        assertThat(withHeader.heldBytes()).isBetween(plain.heldBytes() + 1_005, 1_500);
    }

    @Test
    void itSaysWhatItsRecordSaid() {
        assertThat(plain.next()).isEqualTo(new NextOffset(8, 3));
        assertThat(plain.keyBytes()).asString().isEqualTo("key");
        assertThat(plain.value()).asString().isEqualTo("value");
        assertThat(plain.timestampMillis()).isEqualTo(1_700_000_000_007L);
    }

    @Test
    void thoseWithoutHeadersShareNoneThatAnybodyCouldChange() {
        assertThat(plain.headers()).isEmpty();
        assertThatThrownBy(() -> plain.headers().add("x", new byte[0]))
                .isInstanceOf(IllegalStateException.class);
        assertThat(Records.withHeader(plain, "x", new byte[] {5}).header("x")).containsExactly(5);
    }
}
