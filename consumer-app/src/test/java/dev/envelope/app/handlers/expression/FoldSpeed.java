package dev.envelope.app.handlers.expression;

import dev.envelope.app.handlers.FoldRunner;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.core.api.Message;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures what a message costs between its bytes and the state: {@code fold} with a sum and a
 * count, beside a tree that is read and asked. Run it as a main class.
 */
public final class FoldSpeed {

    private static final int MESSAGES = 1_000_000;
    private static final int ROUNDS = 7;

    private static final byte[] DOCUMENT =
            ("{\"id\":\"7f1c2f6e-3f0b-4d38\",\"account\":\"acc-000017\",\"type\":\"deposit\","
                            + "\"amount\":12345,\"currency\":\"EUR\",\"at\":\"2026-01-01T00:00:00Z\","
                            + "\"note\":\"abcd\"}")
                    .getBytes(StandardCharsets.UTF_8);

    private static final JsonMapper MAPPER =
            JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

    private FoldSpeed() {}

    /** Prints the medians. */
    public static void main(String[] args) throws Exception {
        Message message = FoldRunner.message(DOCUMENT);
        HandlerSpec<?, ?> spec =
                Handlers.resolve(FoldRunner.expressions("balance", "sum(/amount)", "n", "count()"));
        double[] fold = new double[ROUNDS];
        double[] tree = new double[ROUNDS];
        double[] codec = new double[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            fold[round] = fold(spec, message);
            tree[round] = tree();
            codec[round] = codec(spec, message);
        }
        System.out.printf(
                "%d bytes: fold %.0f ns, tree %.0f ns, state written and read %.0f ns%n",
                DOCUMENT.length, median(fold), median(tree), median(codec));
    }

    private static <S, M> double fold(HandlerSpec<S, M> spec, Message message) throws Exception {
        S state = null;
        long start = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            M value = spec.valueFormat().decode(DOCUMENT, message);
            state = spec.fold().call().apply(state, value, message, null);
        }
        return perMessage(start, state);
    }

    private static double tree() {
        BigDecimal sum = BigDecimal.ZERO;
        long count = 0;
        long start = System.nanoTime();
        for (int i = 0; i < MESSAGES; i++) {
            JsonNode document = MAPPER.readTree(DOCUMENT);
            sum = sum.add(document.get("amount").decimalValue());
            count++;
        }
        return perMessage(start, sum.add(BigDecimal.valueOf(count)));
    }

    private static <S, M> double codec(HandlerSpec<S, M> spec, Message message) throws Exception {
        M value = spec.valueFormat().decode(DOCUMENT, message);
        S state = spec.fold().call().apply(null, value, message, null);
        long start = System.nanoTime();
        for (int i = 0; i < MESSAGES && state != null; i++) {
            state = spec.stateCodec().decode(spec.stateCodec().encode(state));
        }
        return perMessage(start, state);
    }

    private static double perMessage(long start, @Nullable Object result) {
        double nanos = (System.nanoTime() - start) / (double) MESSAGES;
        if (Objects.hashCode(result) == 42) {
            System.out.print(""); // so that the result is needed
        }
        return nanos;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
