package dev.envelope.idempotency.json;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Documents that no reader may take, by what is wrong with them. */
final class BadDocuments {

    private BadDocuments() {}

    static Map<String, byte[]> all() {
        Map<String, byte[]> bad = new LinkedHashMap<>();
        text(bad, "empty", "");
        text(bad, "blank", "  \n");
        text(bad, "cut short", "{\"a\":1");
        text(bad, "cut in a string", "{\"a\":\"x");
        text(bad, "two documents", "{} {}");
        text(bad, "text behind", "{\"a\":1}x");
        text(bad, "single quotes", "{'a':1}");
        text(bad, "comment", "{\"a\":1/*x*/}");
        text(bad, "trailing comma", "{\"a\":1,}");
        text(bad, "leading zero", "{\"a\":01}");
        text(bad, "leading plus", "{\"a\":+1}");
        text(bad, "NaN", "{\"a\":NaN}");
        text(bad, "bare point", "{\"a\":1.}");
        text(bad, "bad escape", "{\"a\":\"\\x\"}");
        text(bad, "line end in a string", "{\"a\":\"x\ny\"}");
        text(bad, "control characters", "{\"a\":\u001b[31m\u0007}");
        text(bad, "depth 100000", "{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}");
        text(bad, "depth 100000, skipped", "{\"z\":" + "{\"a\":".repeat(100_000));
        text(bad, "10 MB string", "{\"a\":\"" + "x".repeat(10_000_000) + "\"}");
        text(bad, "2 MB string", "{\"a\":\"" + "x".repeat(2_000_000) + "\"}");
        text(bad, "10^6-digit number", "{\"a\":" + "9".repeat(1_000_000) + "}");
        text(bad, "10^6-digit fraction", "{\"a\":0." + "9".repeat(1_000_000) + "}");
        text(bad, "endless exponent", "{\"a\":1e9999999999}");
        text(bad, "endless exponent of a negative", "{\"a\":-1.5E+9999999999}");
        text(bad, "endless negative exponent", "{\"a\":1e-9999999999}");
        text(bad, "endless exponent of zero", "{\"a\":0e9999999999}");
        text(bad, "exponent of 900 digits", "{\"a\":1e" + "9".repeat(900) + "}");
        text(bad, "10^6 fields", fields(1_000_000));
        text(bad, "300000 fields", fields(150_000));
        text(bad, "long name", "{\"" + "n".repeat(2_000) + "\":1,\"a\":1}");
        bad.put("invalid UTF-8", new byte[] {'{', '"', 'a', '"', ':', '"', (byte) 0xFF, '"', '}'});
        bad.put("overlong NUL", bytes(0xC0, 0x80));
        bad.put("encoded surrogates", bytes(0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80));
        bad.put("beyond Unicode", bytes(0xF5, 0x80, 0x80, 0x80));
        bad.put("cut character", bytes(0xE2, 0x82));
        bad.put("UTF-16", "{\"a\":1}".getBytes(StandardCharsets.UTF_16BE));
        bad.put("UTF-16 LE", "{\"a\":1}".getBytes(StandardCharsets.UTF_16LE));
        bad.put("UTF-16 with mark", "{\"a\":1}".getBytes(StandardCharsets.UTF_16));
        return bad;
    }

    /** A document with a string of these bytes. */
    private static byte[] bytes(int... inString) {
        byte[] document = new byte[inString.length + 8];
        byte[] start = "{\"a\":\"".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(start, 0, document, 0, start.length);
        for (int i = 0; i < inString.length; i++) {
            document[start.length + i] = (byte) inString[i];
        }
        document[document.length - 2] = '"';
        document[document.length - 1] = '}';
        return document;
    }

    private static String fields(int count) {
        StringBuilder document = new StringBuilder("{\"a\":1");
        for (int i = 0; i < count; i++) {
            document.append(",\"").append(Integer.toString(i, 36)).append("_\":1");
        }
        return document.append('}').toString();
    }

    private static void text(Map<String, byte[]> bad, String what, String document) {
        bad.put(what, document.getBytes(StandardCharsets.UTF_8));
    }
}
