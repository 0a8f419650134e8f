package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BriefTest {

    @Test
    void escapesWhatATerminalWouldObey() {
        assertThat(Brief.text("a\nb\u001b[31m\u202e\u0000\ud800 é 😀"))
                .isEqualTo("a\\u000ab\\u001b[31m\\u202e\\u0000\\ud800 é 😀");
    }

    @Test
    void cutsWhatIsLong() {
        assertThat(Brief.text("x".repeat(1_000_000))).hasSize(Brief.MAX_CHARS).endsWith("…");
        assertThat(Brief.text("\u0001".repeat(1_000))).hasSizeLessThanOrEqualTo(Brief.MAX_CHARS);
        assertThat(Brief.text("😀".repeat(1_000))).hasSizeLessThanOrEqualTo(Brief.MAX_CHARS);
    }

    @Test
    void saysWhereAnExceptionCameFrom() {
        assertThat(Brief.of(new IllegalStateException("no\nline")))
                .startsWith("IllegalStateException: no\\u000aline (at BriefTest.java:");
        assertThat(Brief.of(new NullPointerException()))
                .startsWith("NullPointerException (at BriefTest.java:");
    }
}
