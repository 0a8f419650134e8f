package dev.envelope.idempotency.dedupe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.idempotency.fold.SampleMessages;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HeaderIdsTest {

    private final HeaderIds ids = new HeaderIds("event-id");

    @Test
    void findsTheIdInItsHeader() {
        assertThat(ids.find(SampleMessages.of("{}", "other", "x", "event-id", "e-1")))
                .isEqualTo(IdHash.of("e-1".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void takesTheLastOfSeveral() {
        assertThat(ids.find(SampleMessages.of("{}", "event-id", "e-1", "event-id", "e-2")))
                .isEqualTo(IdHash.of("e-2".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void countsAMissingOrEmptyHeaderAsNoId() {
        assertThat(ids.find(SampleMessages.of("{}"))).isNull();
        assertThat(ids.find(SampleMessages.of("{}", "event-id", ""))).isNull();
    }

    @Test
    void refusesToBeWithoutAName() {
        assertThatThrownBy(() -> new HeaderIds("")).hasMessageContaining("name of the header");
    }
}
