package dev.envelope.integration.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DeckTest {

    private static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

    @Test
    void eachKindStrikesOnceBeforeOneStrikesTwice() {
        assertThat(draw(1, ALL, ALL.size())).extracting(Deck.Card::kind).containsAll(ALL);
    }

    @Test
    void aSeedAlwaysDealsTheSameCards() {
        assertThat(draw(7, ALL, 100)).isEqualTo(draw(7, ALL, 100));
        assertThat(draw(7, ALL, 100)).isNotEqualTo(draw(8, ALL, 100));
    }

    @Test
    void onlyWhatMayStrikeStrikes() {
        Set<FaultKind> some = EnumSet.of(FaultKind.KILL, FaultKind.ZOMBIE);

        assertThat(draw(1, some, 20)).extracting(Deck.Card::kind).isSubsetOf(some);
    }

    private static List<Deck.Card> draw(long seed, Set<FaultKind> kinds, int cards) {
        Deck deck = new Deck(seed, kinds);
        return Stream.generate(deck::draw).limit(cards).toList();
    }
}
