package dev.envelope.integration.soak;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;

/**
 * The faults in the order in which they strike: dealt like cards, so that each kind comes up before
 * one comes up too often. The order depends on the seed alone.
 *
 * <p>Threads: one at a time.
 */
final class Deck {

    private final Random random;
    private final Set<FaultKind> kinds;
    private final Deque<FaultKind> cards = new ArrayDeque<>();

    Deck(long seed, Set<FaultKind> kinds) {
        this.random = new Random(seed);
        this.kinds = new TreeSet<>(kinds);
    }

    /**
     * A fault that is to strike.
     *
     * @param seed for all chance within it, so that how long one took does not change the next
     */
    record Card(FaultKind kind, long seed) {}

    Card draw() {
        if (cards.isEmpty()) {
            shuffle();
        }
        return new Card(cards.removeFirst(), random.nextLong());
    }

    /** One of each kind first, then the others: a short run meets as many kinds as it can. */
    private void shuffle() {
        List<FaultKind> once = new ArrayList<>(kinds);
        List<FaultKind> again = new ArrayList<>();
        kinds.forEach(kind -> again.addAll(Collections.nCopies(kind.cards() - 1, kind)));
        Collections.shuffle(once, random);
        Collections.shuffle(again, random);
        cards.addAll(once);
        cards.addAll(again);
    }
}
