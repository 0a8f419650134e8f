package dev.envelope.idempotency.store.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NewKeyGuessTest {

    private final NewKeyGuess guess = new NewKeyGuess();

    @Test
    void guessingBeginsWhenNearlyNoKeyHadARow() {
        assertThat(guess.isOn()).isFalse();

        guess.observed(500, 3);
        assertThat(guess.isOn()).as("too few to know").isFalse();
        guess.observed(100, 2);

        assertThat(guess.isOn()).isTrue();
    }

    @Test
    void guessingDoesNotBeginWhereKeysAreKnown() {
        guess.observed(600, 100);
        assertThat(guess.isOn()).isFalse();

        guess.observed(600, 0);
        assertThat(guess.isOn()).as("what was before is forgotten").isTrue();
    }

    @Test
    void aFewWrongGuessesEndIt() {
        guess.observed(600, 0);

        guess.observed(20, 20);
        assertThat(guess.isOn()).isTrue();
        guess.observed(10, 10);

        assertThat(guess.isOn()).isFalse();
    }
}
