package dev.envelope.app.handlers.http;

import dev.envelope.core.api.Message;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The headers of a record that a server gets, too. */
final class Passed {

    static final String CONTENT_TYPE = "content-type";

    private static final Set<String> AS_THEY_ARE =
            Set.of("traceparent", "tracestate", CONTENT_TYPE);
    private static final String CLOUD_EVENT = "ce_";

    private Passed() {}

    /** By name; the attributes of a CloudEvent have the names that they have in HTTP. */
    static Map<String, String> of(Message message) {
        Map<String, String> passed = new LinkedHashMap<>();
        for (Header header : message.headers()) {
            String name = header.key();
            byte @Nullable [] value = header.value();
            if (value == null) {
                continue;
            }
            if (name.matches(CLOUD_EVENT + "[a-z0-9]+")) {
                passed.put("ce-" + name.substring(CLOUD_EVENT.length()), text(value));
            } else if (AS_THEY_ARE.contains(name) && isPlain(value)) {
                passed.put(name, new String(value, StandardCharsets.US_ASCII));
            }
        }
        return passed;
    }

    private static boolean isPlain(byte[] value) {
        for (byte one : value) {
            if (one < ' ' || one >= 0x7f) {
                return false;
            }
        }
        return true;
    }

    /** Bytes as CloudEvents have them in headers: what is not printable becomes percent and hex. */
    static String text(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte one : bytes) {
            if (one > ' ' && one < 0x7f && one != '%' && one != '"') {
                text.append((char) one);
            } else {
                text.append(String.format("%%%02X", one));
            }
        }
        return text.toString();
    }
}
