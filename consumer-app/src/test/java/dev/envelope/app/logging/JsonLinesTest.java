package dev.envelope.app.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JsonLinesTest {

    private final JsonLines lines = new JsonLines();

    private static JsonNode read(byte[] line) {
        String text = new String(line, StandardCharsets.UTF_8);
        assertThat(text).endsWith("\n");
        assertThat(text.strip()).doesNotContain("\n");
        return JsonMapper.builder().build().readTree(text);
    }

    private static LoggingEvent event(String message, @Nullable Throwable thrown) {
        LoggingEvent event =
                new LoggingEvent(
                        "f",
                        new LoggerContext().getLogger("dev.envelope.test"),
                        Level.WARN,
                        message,
                        thrown,
                        new Object[0]);
        event.setThreadName("worker-1");
        return event;
    }

    @Test
    void anEventIsOneObjectOnOneLineWhateverStandsInIt() {
        JsonNode line = read(lines.encode(event("two\nlines and \"quotes\"", null)));

        assertThat(line.at("/message").asString()).isEqualTo("two\nlines and \"quotes\"");
        assertThat(line.at("/level").asString()).isEqualTo("WARN");
        assertThat(line.at("/logger").asString()).isEqualTo("dev.envelope.test");
        assertThat(line.at("/thread").asString()).isEqualTo("worker-1");
        assertThat(line.at("/time").asString()).endsWith("Z");
        assertThat(line.has("stack")).isFalse();
    }

    @Test
    void anExceptionComesWithItsStack() {
        JsonNode line = read(lines.encode(event("failed", new IllegalStateException("why"))));

        assertThat(line.at("/stack").asString())
                .contains("IllegalStateException: why")
                .contains("JsonLinesTest");
    }

    @Test
    void whatTheLogSaysOfItselfIsAnObjectToo() {
        assertThat(read(lines.note("3 lines were dropped")).at("/message").asString())
                .isEqualTo("3 lines were dropped");
    }
}
