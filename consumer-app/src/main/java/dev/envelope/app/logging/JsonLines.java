package dev.envelope.app.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Encodes a log line as one JSON object, for log collectors.
 *
 * <p>Threads: thread-safe (the mapper is).
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {

    private static final byte[] NOTHING = {};

    private final JsonMapper mapper = JsonMapper.builder().build();

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        ObjectNode line = mapper.createObjectNode();
        line.put("time", Instant.ofEpochMilli(event.getTimeStamp()).toString());
        line.put("level", event.getLevel().toString());
        line.put("logger", event.getLoggerName());
        line.put("thread", event.getThreadName());
        line.put("message", event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            line.put("stack", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return bytes(line);
    }

    /** A line of the log about the log itself. */
    byte[] note(String text) {
        return bytes(mapper.createObjectNode().put("logger", "log").put("message", text));
    }

    private static byte[] bytes(ObjectNode line) {
        return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
