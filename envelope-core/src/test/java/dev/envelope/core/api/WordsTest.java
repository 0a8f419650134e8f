package dev.envelope.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class WordsTest {

    @Test
    void leavesPlainTextAsItIs() {
        assertThat(Words.quote("Grüße, 世界")).isEqualTo("\"Grüße, 世界\"");
    }

    @Test
    void escapesWhatWouldForgeOrBreakALine() {
        assertThat(Words.line("a\nb\r\u001b[31m\u202e\u2028"))
                .isEqualTo("a\\u000ab\\u000d\\u001b[31m\\u202e\\u2028");
    }

    @Test
    void cutsWhatIsTooLong() {
        assertThat(Words.line("x".repeat(1_000_000))).hasSize(201).endsWith("…");
        assertThat(Words.line("x".repeat(199))).hasSize(199);
    }

    @Test
    void describesAnExceptionInOneLine() {
        assertThat(Words.describe(new IllegalStateException("bad\nthing")))
                .isEqualTo("IllegalStateException: bad\\u000athing");
        assertThat(Words.describe(new IllegalStateException())).isEqualTo("IllegalStateException");
    }
}
