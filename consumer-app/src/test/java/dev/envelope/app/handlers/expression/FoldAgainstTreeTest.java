package dev.envelope.app.handlers.expression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.handlers.FoldRunner;
import dev.envelope.idempotency.fold.MalformedException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds {@code fold} against the same written plainly over trees, for many made-up topics. */
class FoldAgainstTreeTest {

    private static final int SEEDS = 400;
    private static final int DISTINCT_BOUND = 12;

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

    private static final List<String> VALUES =
            List.of(
                    "0",
                    "1",
                    "-1",
                    "7",
                    "2.5",
                    "0.1",
                    "0.10",
                    "-3.75",
                    "1e3",
                    "1E-3",
                    "100",
                    "9223372036854775807",
                    "-9223372036854775808",
                    "9223372036854775808",
                    "null",
                    "123456789012345678901234567890.5",
                    "\"t\"",
                    "true");

    @Test
    void doesTheSameAsATreeWalk() {
        int failed = 0;
        int folded = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed * 0x9E3779B97F4A7C15L); // near seeds begin alike
            boolean numbersOnly = random.nextInt(4) > 0;
            FoldRunner<?, ?> runner =
                    FoldRunner.ofExpressions(
                            "sum", "sum(/v/a)",
                            "n", "count()",
                            "some", "count(/v/1)",
                            "min", "min(/v/a)",
                            "max", "max(/v/a)",
                            "avg", "avg(/v/a)",
                            "first", "first(/v/a)",
                            "last", "last(/b) where /c exists",
                            "kinds", "distinct(/b, " + DISTINCT_BOUND + ")",
                            "part", "sum(/v/a) where /c >= 3");
            Tree tree = new Tree();
            for (int i = 0; i < 60; i++) {
                String document = document(random, numbersOnly);
                boolean ours = fails(() -> runner.fold(document));
                boolean plain = fails(() -> tree.add(MAPPER.readTree(document)));
                assertThat(ours).as("seed %s: %s", seed, document).isEqualTo(plain);
                if (ours) {
                    failed++;
                    break; // the state object may be half changed now: the engine drops it
                }
                folded++;
                if (random.nextInt(5) == 0) {
                    runner.reload();
                }
                assertSame(seed, runner.saved(), tree);
            }
        }
        assertThat(failed).isGreaterThan(20);
        assertThat(folded).isGreaterThan(5_000);
    }

    private static void assertSame(int seed, String saved, Tree tree) {
        JsonNode state = MAPPER.readTree(saved);
        tree.expected()
                .forEach(
                        (name, expected) -> {
                            JsonNode found = state.get(name);
                            if (expected instanceof BigDecimal number) {
                                assertThat(found.decimalValue())
                                        .as("seed %s, %s of %s", seed, name, saved)
                                        .isEqualByComparingTo(number);
                            } else {
                                assertThat(found.isNull() ? null : found.asString())
                                        .as("seed %s, %s of %s", seed, name, saved)
                                        .isEqualTo(expected == null ? null : expected.toString());
                            }
                        });
    }

    private static String document(Random random, boolean numbersOnly) {
        List<String> members = new ArrayList<>();
        int last = VALUES.size() - (numbersOnly ? 2 : 0);
        String a = VALUES.get(random.nextInt(last));
        if (random.nextInt(5) > 0) {
            members.add(
                    random.nextBoolean()
                            ? "\"v\":{\"z\":[{\"a\":5}],\"a\":" + a + ",\"1\":0}"
                            : "\"v\":{\"a\":" + a + ",\"y\":\"\\u0061\"}");
        } else {
            members.add("\"v\":[1,{\"a\":2}]");
        }
        if (random.nextBoolean()) {
            members.add("\"b\":" + VALUES.get(random.nextInt(VALUES.size())));
        }
        if (random.nextBoolean()) {
            members.add("\"c\":" + random.nextInt(6) + (random.nextBoolean() ? "" : ".50"));
        }
        if (random.nextBoolean()) {
            members.add(0, "\"w\":{\"v\":{\"a\":99},\"c\":[[]],\"é\\n\":\"}\"}");
        }
        return "{ " + String.join(" ,\n", members) + "}";
    }

    private static boolean fails(Runnable step) {
        try {
            step.run();
            return false;
        } catch (MalformedException e) {
            return true;
        }
    }

    /** The expressions of the test, as one would write them by hand. */
    private static final class Tree {

        private BigDecimal sum = BigDecimal.ZERO;
        private BigDecimal part = BigDecimal.ZERO;
        private long count;
        private long some;
        private long averaged;
        private @Nullable BigDecimal min;
        private @Nullable BigDecimal max;
        private @Nullable Object first;
        private @Nullable Object last;
        private final Set<Object> kinds = new LinkedHashSet<>();

        void add(JsonNode document) {
            JsonNode a = document.at("/v/a");
            count++;
            some += isThere(document.at("/v/1")) ? 1 : 0;
            if (isThere(a)) {
                BigDecimal number = number(a);
                sum = sum.add(number);
                averaged++;
                min = min == null ? number : min.min(number);
                max = max == null ? number : max.max(number);
                first = first == null ? number : first;
            }
            JsonNode b = document.at("/b");
            if (isThere(b) && isThere(document.at("/c"))) {
                last = scalar(b);
            }
            if (isThere(b) && kinds.size() < DISTINCT_BOUND) {
                kinds.add(b.isNumber() ? b.decimalValue().stripTrailingZeros() : scalar(b));
            }
            JsonNode c = document.at("/c");
            if (isThere(a)
                    && isThere(c)
                    && c.decimalValue().compareTo(BigDecimal.valueOf(3)) >= 0) {
                part = part.add(number(a));
            }
        }

        Map<String, @Nullable Object> expected() {
            Map<String, @Nullable Object> expected = new LinkedHashMap<>();
            expected.put("sum", sum);
            expected.put("part", part);
            expected.put("n", BigDecimal.valueOf(count));
            expected.put("some", BigDecimal.valueOf(some));
            expected.put("min", min);
            expected.put("max", max);
            expected.put(
                    "avg",
                    averaged == 0
                            ? null
                            : sum.divide(BigDecimal.valueOf(averaged), MathContext.DECIMAL128));
            expected.put("first", first);
            expected.put("last", last);
            expected.put("kinds", BigDecimal.valueOf(kinds.size()));
            return expected;
        }

        private static boolean isThere(JsonNode node) {
            return !node.isMissingNode() && !node.isNull();
        }

        private static BigDecimal number(JsonNode node) {
            if (!node.isNumber()) {
                throw new MalformedException("no number");
            }
            return node.decimalValue();
        }

        private static Object scalar(JsonNode node) {
            return node.isNumber()
                    ? node.decimalValue()
                    : node.isBoolean() ? node.booleanValue() : node.asString();
        }
    }
}
