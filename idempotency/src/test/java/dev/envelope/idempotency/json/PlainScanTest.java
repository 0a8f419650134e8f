package dev.envelope.idempotency.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.fold.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What it takes it reads as Jackson does; what it does not understand, it leaves alone. */
class PlainScanTest {

    private static final List<String> POINTERS = List.of("/a", "/b", "/o/a", "/o", "/\u00e9");
    private static final PointerTree TREE = PointerTree.of(POINTERS);

    private final JsonMapper jackson =
            JsonMapper.builder()
                    .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"a\":1}",
                " {\t\"a\" :\r -12.50 ,\n\"x\" : [ ] } ",
                "{\"a\":0,\"b\":-0.0}",
                "{\"a\":123456789012345678}",
                "{\"a\":\"\u00e9\ud83d\ude00\",\"\u00e9\":true}",
                "{\"o\":{\"a\":null,\"b\":[1,{\"a\":2},\"]\"]},\"b\":false}",
                "{\"x\":{\"a\":1,\"a\":2}}"
            })
    void readsWhatIsPlain(String json) {
        assertThat(scan(bytes(json))).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "1",
                "{",
                "{}}",
                "{} {}",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{a:1}",
                "{\"a\":01}",
                "{\"a\":-}",
                "{\"a\":.5}",
                "{\"a\":1.}",
                "{\"a\":+1}",
                "{\"a\":1e5}",
                "{\"a\":1.2.3}",
                "{\"a\":1-2}",
                "{\"a\":1 2}",
                "{\"a\":1234567890123456789}",
                "{\"a\":0x1}",
                "{\"a\":tru}",
                "{\"a\":truex}",
                "{\"a\":nul",
                "{\"a\":NaN}",
                "{\"a\":\"x}",
                "{\"a\":\"\\n\"}",
                "{\"a\":\"\t\"}",
                "{\"a\":1,\"a\":2}",
                "{\"x\":[1,]}",
                "{\"x\":[1 2]}",
                "{\"x\":[}",
                "{\"x\":{]}",
                "{'a':1}",
                "/**/{}",
                "{\"a\":1\u00a0}",
                "{\"o\":[{\"a\":1}]}"
            })
    void leavesTheRestAlone(String json) {
        assertThat(scan(bytes(json))).isNull();
    }

    @Test
    void leavesAloneWhatIsDeepOrLarge() {
        assertThat(scan(bytes("{\"x\":" + "[".repeat(60) + "]".repeat(60) + "}"))).isNull();
        assertThat(scan(bytes("{\"x\":\"" + "y".repeat(1 << 16) + "\"}"))).isNull();
        assertThat(scan(bytes("{\"" + "n".repeat(2000) + "\":1}"))).isNull();
    }

    /** Documents, whole and damaged: it never takes one that Jackson refuses or reads otherwise. */
    @Test
    void neverDisagreesWithJackson() {
        Random random = new Random(7);
        PointerReader reader = new PointerReader(Json.standard(), POINTERS);
        int plain = 0;
        int damagedAndPlain = 0;
        for (int i = 0; i < 60_000; i++) {
            byte[] document = bytes(object(random, 3));
            boolean damages = random.nextBoolean();
            if (damages) {
                damage(document, random);
            }
            Scalars found = scan(document);
            if (found == null || !isUtf8(document)) {
                continue;
            }
            plain++;
            damagedAndPlain += damages ? 1 : 0;
            String text = new String(document, StandardCharsets.UTF_8);
            JsonNode tree = tree(document);
            assertThat(tree).as(text).isNotNull();
            for (int place = 0; place < POINTERS.size(); place++) {
                assertThat(describe(found, place))
                        .as("%s in %s", POINTERS.get(place), text)
                        .isEqualTo(describe(tree.at(POINTERS.get(place))));
            }
            assertThat(reader.read(document).size()).isEqualTo(POINTERS.size());
        }
        assertThat(plain).isGreaterThan(10_000);
        assertThat(damagedAndPlain).isGreaterThan(1_000);
    }

    private static @Nullable Scalars scan(byte[] document) {
        Scalars found = new Scalars(POINTERS.size());
        return PlainScan.read(document, TREE, found) ? found : null;
    }

    private @Nullable JsonNode tree(byte[] document) {
        try {
            return jackson.readTree(document);
        } catch (JacksonException e) {
            return null;
        }
    }

    private static boolean isUtf8(byte[] document) {
        try {
            Utf8.check(document);
            return true;
        } catch (MalformedException e) {
            return false;
        }
    }

    private static String describe(Scalars found, int place) {
        return switch (found.kind(place)) {
            case MISSING -> "nothing";
            case TEXT -> "text " + found.asText(place);
            case BOOLEAN -> "truth " + found.asBoolean(place);
            case LONG, DECIMAL -> "number " + found.asDecimal(place).stripTrailingZeros();
            case STRUCTURE -> "structure";
        };
    }

    private static String describe(JsonNode node) {
        if (node.isMissingNode() || node.isNull()) {
            return "nothing";
        } else if (node.isString()) {
            return "text " + node.stringValue();
        } else if (node.isBoolean()) {
            return "truth " + node.booleanValue();
        }
        return node.isNumber() ? "number " + node.decimalValue().stripTrailingZeros() : "structure";
    }

    private static String object(Random random, int depth) {
        List<String> members = new ArrayList<>();
        List<String> names = new ArrayList<>(List.of("a", "b", "o", "x", "\u00e9", "\\u0061"));
        for (int i = random.nextInt(4); i > 0; i--) {
            String name = names.remove(random.nextInt(names.size()));
            members.add('"' + name + "\":" + value(random, depth));
        }
        return "{" + String.join(random.nextInt(5) == 0 ? " ,\n" : ",", members) + "}";
    }

    private static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 12 : 9)) {
            case 0 -> "true";
            case 1 -> "false";
            case 2 -> "null";
            case 3 -> Integer.toString(random.nextInt());
            case 4 -> Double.toString(random.nextInt(1000) / 8.0);
            case 5 -> Long.toString(random.nextLong());
            case 6 -> Double.toString(random.nextGaussian() * 1e-9);
            case 7 -> "\"t\u00e9xt\ud83d\ude00\"";
            case 8 -> "\"" + (random.nextInt(8) == 0 ? "\\n" : "plain") + "\"";
            case 9 -> "[" + value(random, depth - 1) + "," + value(random, depth - 1) + "]";
            default -> object(random, depth - 1);
        };
    }

    private static void damage(byte[] document, Random random) {
        byte[] bytes = bytes("{}[]\",:0123456789-+.eE tfn\\x\u00e9");
        document[random.nextInt(document.length)] = bytes[random.nextInt(bytes.length)];
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
