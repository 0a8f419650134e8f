package dev.envelope.app.config.problem;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestTest {

    private static final List<String> NAMES =
            List.of(
                    "commit.interval",
                    "pool.size",
                    "pool.shards",
                    "store.url",
                    "store.lock.timeout");

    @Test
    void aSwappedPairIsOneEditAway() {
        assertThat(Nearest.to("comimt.interval", NAMES)).containsExactly("commit.interval");
    }

    @Test
    void capitalsDoNotMatter() {
        assertThat(Nearest.to("Store.URL", NAMES)).containsExactly("store.url");
    }

    @Test
    void sharedWordsCountWhereLettersDoNot() {
        assertThat(Nearest.to("timeout.lock.store", NAMES)).containsExactly("store.lock.timeout");
        assertThat(Nearest.to("store.lock.wait.timeout", NAMES))
                .containsExactly("store.lock.timeout");
    }

    @Test
    void fewLettersAwayIsNearerThanSharedWords() {
        assertThat(Nearest.to("pool.sise", List.of("pool.size.max", "pool.size")))
                .containsExactly("pool.size");
    }

    @Test
    void nothingIsSuggestedWhenNothingIsNear() {
        assertThat(Nearest.to("completely.different", NAMES)).isEmpty();
        assertThat(Nearest.to("x", NAMES)).isEmpty();
    }

    @Test
    void atMostTwoAreSuggested() {
        assertThat(Nearest.to("name0", List.of("name1", "name2", "name3"))).hasSize(2);
    }
}
