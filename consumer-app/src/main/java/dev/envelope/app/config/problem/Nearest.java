package dev.envelope.app.config.problem;

import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the names that a wrong one may have meant: few letters away, or with most words in common.
 */
public final class Nearest {

    private static final int MOST_SUGGESTIONS = 2;
    private static final int MOST_EDITS = 4;
    private static final double LEAST_SHARED_WORDS = 0.6;

    private Nearest() {}

    /** The nearest of {@code candidates}, best first; empty when none is near. */
    public static List<String> to(String wrong, Collection<String> candidates) {
        String name = wrong.toLowerCase(Locale.ROOT);
        int limit = Math.max(1, Math.min(MOST_EDITS, name.length() / 4));
        List<Candidate> near =
                candidates.stream()
                        .map(right -> Candidate.of(name, right))
                        .filter(it -> it.edits <= limit || it.shared >= LEAST_SHARED_WORDS)
                        .sorted(Candidate.BEST_FIRST)
                        .toList();
        if (near.isEmpty()) {
            return List.of();
        }
        Candidate best = near.get(0);
        return near.stream()
                .filter(it -> it.isAsNearAs(best, limit))
                .limit(MOST_SUGGESTIONS)
                .map(Candidate::name)
                .toList();
    }

    /** The hint of a message, if there is one: {@code did you mean a.b?}. */
    public static Optional<String> hint(String wrong, Collection<String> candidates) {
        return Optional.of(String.join(" or ", to(wrong, candidates)))
                .filter(near -> !near.isEmpty())
                .map(near -> "did you mean " + near + "?");
    }

    private record Candidate(String name, int edits, double shared) {

        static final Comparator<Candidate> BEST_FIRST =
                Comparator.comparingInt(Candidate::edits)
                        .thenComparing(Candidate::shared, Comparator.reverseOrder())
                        .thenComparing(Candidate::name);

        static Candidate of(String wrong, String right) {
            String name = right.toLowerCase(Locale.ROOT);
            return new Candidate(right, editsBetween(wrong, name), sharedWords(wrong, name));
        }

        boolean isAsNearAs(Candidate best, int limit) {
            return best.edits > limit || edits <= Math.min(limit, best.edits + 1);
        }
    }

    private static double sharedWords(String left, String right) {
        Set<String> ours = words(left);
        Set<String> theirs = words(right);
        Set<String> shared = new HashSet<>(ours);
        shared.retainAll(theirs);
        return 2.0 * shared.size() / (ours.size() + theirs.size());
    }

    private static Set<String> words(String name) {
        return new HashSet<>(Arrays.asList(name.split("[._-]", -1)));
    }

    /** Insertions, deletions, replacements and swaps of neighbours that turn one into the other. */
    private static int editsBetween(String left, String right) {
        int[] beforeLast = new int[right.length() + 1];
        int[] last = new int[right.length() + 1];
        int[] row = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced = last[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(last[j], row[j - 1]) + 1);
                if (swapped(left, i, right, j)) {
                    row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
                }
            }
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
        }
        return last[right.length()];
    }

    private static boolean swapped(String left, int i, String right, int j) {
        return i > 1
                && j > 1
                && left.charAt(i - 1) == right.charAt(j - 2)
                && left.charAt(i - 2) == right.charAt(j - 1);
    }
}
