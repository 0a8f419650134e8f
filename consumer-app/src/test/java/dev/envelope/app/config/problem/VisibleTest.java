package dev.envelope.app.config.problem;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class VisibleTest {

    @Test
    void blanksAtTheEndsBecomeDots() {
        assertThat(Visible.text("  5 s ")).isEqualTo("··5 s·");
        assertThat(Visible.text("   ")).isEqualTo("···");
    }

    @Test
    void controlCharactersCannotReachATerminal() {
        assertThat(Visible.text("a\u001b[31mb\nc\u202e")).isEqualTo("a\\u001b[31mb\\u000ac\\u202e");
    }

    @Test
    void longValuesAreCut() {
        assertThat(Visible.text("x".repeat(1_000))).hasSize(80).endsWith("x...");
    }
}
