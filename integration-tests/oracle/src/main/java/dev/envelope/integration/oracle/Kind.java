package dev.envelope.integration.oracle;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** What the producer meant a record to be; it says so in a header that the product ignores. */
public enum Kind {
    EVENT,
    /** An event once more, with its id. */
    DUPLICATE,
    TOMBSTONE,
    /** Bytes that are no event. */
    MALFORMED,
    /** A record whose key can't be a row key. */
    WITHOUT_ROW;

    private static final String HEADER = "kind";

    void writeTo(Headers headers) {
        headers.add(HEADER, name().getBytes(StandardCharsets.US_ASCII));
    }

    static Kind readFrom(Headers headers) {
        Header header = headers.lastHeader(HEADER);
        return header == null
                ? EVENT
                : valueOf(new String(header.value(), StandardCharsets.US_ASCII));
    }
}
