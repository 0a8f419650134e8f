package dev.envelope.integration.bench.client;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the two fields that are needed with a streaming parser, which is faster than binding.
 *
 * <p>Threads: one at a time; what was read stays until the next.
 */
public final class BookingReader {

    private final JsonFactory factory = new JsonFactory();
    private long sequence;
    private long amount;

    /** Reads a value; the fields that it lacks are 0. */
    public void read(byte[] value) {
        sequence = 0;
        amount = 0;
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), value)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("not an object");
            }
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                parser.nextToken();
                switch (name) {
                    case "sequence" -> sequence = parser.getLongValue();
                    case "amount" -> amount = parser.getLongValue();
                    default -> parser.skipChildren();
                }
            }
        }
    }

    public long sequence() {
        return sequence;
    }

    public long amount() {
        return amount;
    }
}
