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

    @Test
    void whatMendsAProblemIsNotCutOffWithItsEnd() {
        String problem = "x".repeat(300) + " (handler.drop=balance would give it up)";
        assertThat(Words.describeInFull(new IllegalStateException(problem)))
                .isEqualTo("IllegalStateException: " + problem);
        assertThat(Words.describeInFull(new IllegalStateException("x".repeat(1_000_000))))
                .hasSizeLessThan(700);
    }

    @Test
    void countsInTheWordsOfOneOrOfMore() {
        assertThat(Words.counted(1, "key waits", "keys wait")).isEqualTo("1 key waits");
        assertThat(Words.counted(0, "key waits", "keys wait")).isEqualTo("0 keys wait");
        assertThat(Words.counted(1_000, "key waits", "keys wait")).isEqualTo("1,000 keys wait");
    }

    @Test
    void oneIsCountedInTheSingular() {
        assertThat(Words.count(1, "message")).isEqualTo("1 message");
        assertThat(Words.count(0, "message")).isEqualTo("0 messages");
        assertThat(Words.count(2_000, "message")).isEqualTo("2,000 messages");
    }
}
