package dev.envelope.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class LoopsTest {

    /** What its relays have measured must not stop keys of other slots. */
    @Test
    void workOfASlotThatIsNotWhereItWasIsNotDoneAndToldSo() {
        Loops.AtPlace place =
                new Loops.AtPlace(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(work -> false, BooleanSupplier::getAsBoolean));
        List<String> done = new ArrayList<>();
        List<String> away = new ArrayList<>();

        boolean goesOn = place.any(List.of("a", "b"), done::add, away::add);

        assertThat(goesOn).isTrue();
        assertThat(done).containsExactly("b");
        assertThat(away).containsExactly("a");
    }
}
