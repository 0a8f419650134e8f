package dev.envelope.idempotency.store.postgres.sql;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A record's headers as the JSON in {@code parked} and {@code outbox}: an array, in order, of
 * objects with {@code name} and {@code value}, the value in base64 or null.
 */
public final class HeadersJson {

    private static final Pattern UNSTORABLE = Pattern.compile("[\\x{D800}-\\x{DFFF}\\x{0}]");

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private HeadersJson() {}

    public static byte[] write(Headers headers) {
        ArrayNode array = MAPPER.createArrayNode();
        for (Header header : headers) {
            ObjectNode each = array.addObject();
            each.put("name", legible(header.key()));
            if (header.value() == null) {
                each.putNull("value");
            } else {
                each.put("value", Base64.getEncoder().encodeToString(header.value()));
            }
        }
        return array.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Reads what {@link #write} wrote. */
    public static Headers read(byte[] json) {
        RecordHeaders headers = new RecordHeaders();
        for (JsonNode each : MAPPER.readTree(json)) {
            JsonNode value = each.get("value");
            headers.add(
                    each.get("name").stringValue(),
                    value.isNull() ? null : Base64.getDecoder().decode(value.stringValue()));
        }
        return headers;
    }

    /** The text with the replacement character for characters that Postgres can't store. */
    public static String legible(String text) {
        return UNSTORABLE.matcher(text).replaceAll("\uFFFD");
    }
}
