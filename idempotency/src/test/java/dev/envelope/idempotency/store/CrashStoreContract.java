package dev.envelope.idempotency.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.Message;
import dev.envelope.idempotency.store.CrashStore.Suspect;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every store owes those who count what processes have died of. */
public abstract class CrashStoreContract {

    protected CrashStore store;

    /** One that has counted nothing. */
    protected abstract CrashStore open();

    /** A message of the one source. */
    protected abstract Message message(long offset);

    @BeforeEach
    void openStore() {
        store = open();
    }

    private Suspect suspect(long offset, int times) {
        return new Suspect(message(offset).epoch().source(), offset, times);
    }

    @Test
    void messagesAreCountedAgainAndAgainAndForgotten() {
        assertThat(store.suspects()).isEmpty();

        store.count(List.of(message(5), message(6)));
        store.count(List.of(message(5)));

        assertThat(store.suspects()).containsExactlyInAnyOrder(suspect(5, 2), suspect(6, 1));

        store.forget(message(5));
        assertThat(store.suspects()).containsExactly(suspect(6, 1));
    }

    @Test
    void whatIsCountedUpToAgainChangesNothing() {
        store.count(List.of(message(5)));

        store.countUpTo(message(5), 2);
        store.countUpTo(message(5), 2);
        store.countUpTo(message(6), 1);

        assertThat(store.suspects()).containsExactlyInAnyOrder(suspect(5, 2), suspect(6, 1));
    }
}
