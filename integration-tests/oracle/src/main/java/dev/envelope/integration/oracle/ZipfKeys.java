package dev.envelope.integration.oracle;

import java.util.Arrays;
import java.util.Random;

/**
 * Keys of which the n-th comes up in proportion to 1 / n to the power of the skew.
 *
 * <p>Threads: immutable.
 */
public final class ZipfKeys {

    private final double[] cumulated;

    public ZipfKeys(int keys, double skew) {
        cumulated = new double[keys];
        double sum = 0;
        for (int i = 0; i < keys; i++) {
            sum += 1 / Math.pow(i + 1, skew);
            cumulated[i] = sum;
        }
    }

    /** A key, drawn with the caller's randomness. */
    public String next(Random random) {
        double point = random.nextDouble() * cumulated[cumulated.length - 1];
        int found = Arrays.binarySearch(cumulated, point);
        return "key-" + (found < 0 ? -found - 1 : found);
    }
}
