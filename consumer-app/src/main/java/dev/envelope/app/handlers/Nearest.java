package dev.envelope.app.handlers;

import java.util.Collection;
import java.util.Optional;

/** Finds the word that somebody probably meant. */
final class Nearest {

    private Nearest() {}

    /** The candidate with the fewest edits to the word, if there are few enough to mean it. */
    static Optional<String> of(String word, Collection<String> candidates) {
        String best = null;
        int fewest = Math.max(word.length() < 4 ? 1 : 2, word.length() / 3) + 1;
        for (String candidate : candidates) {
            int edits = edits(word, candidate);
            if (edits < fewest) {
                fewest = edits;
                best = candidate;
            }
        }
        return Optional.ofNullable(best);
    }

    private static int edits(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
