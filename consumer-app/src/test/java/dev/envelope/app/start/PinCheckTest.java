package dev.envelope.app.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.core.api.UnavailableException;
import dev.envelope.idempotency.store.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class PinCheckTest {

    private static final Map<String, Integer> EVEN = Map.of("a", 3, "b", 3);
    private static final Map<String, Integer> UNEVEN = Map.of("a", 3, "b", 4);

    private static Verdict look(
            Supplier<List<String>> mismatches, boolean isUnused, Map<String, Integer> sharing) {
        return new PinCheck(mismatches, () -> isUnused, () -> sharing).look();
    }

    @Test
    void settingsThatFitAreReady() {
        assertThat(look(List::of, true, EVEN)).isEqualTo(new Verdict.Ready());
        assertThat(look(List::of, false, Map.of())).isEqualTo(new Verdict.Ready());
    }

    @Test
    void allThatDoesNotFitIsSaidAtOnce() {
        assertThat(look(() -> List.of("one", "two"), false, EVEN))
                .isEqualTo(new Verdict.Refused(List.of("one", "two")));
    }

    @Test
    void unequalNumbersOfPartitionsRefuseOnlyWhatIsNewAndPinNothingThen() {
        Verdict refused =
                look(
                        () -> {
                            throw new AssertionError("it would be written down");
                        },
                        true,
                        UNEVEN);

        assertThat(refused)
                .asInstanceOf(InstanceOfAssertFactories.type(Verdict.Refused.class))
                .extracting(Verdict.Refused::sentences, InstanceOfAssertFactories.LIST)
                .singleElement()
                .asString()
                .contains("(a 3, b 4)", "key.scope=topic");
        assertThat(look(List::of, false, UNEVEN)).isEqualTo(new Verdict.Ready());
    }

    @Test
    void aDatabaseThatDoesNotServeIsWaitedForAndARefusalIsNot() {
        Supplier<List<String>> down =
                () -> {
                    throw new UnavailableException("down");
                };
        Supplier<List<String>> refusing =
                () -> {
                    throw new RefusedException("no tables");
                };

        assertThat(look(down, false, EVEN)).isEqualTo(new Verdict.Waiting("down"));
        assertThat(look(refusing, false, EVEN))
                .isEqualTo(new Verdict.Refused(List.of("no tables")));
    }
}
