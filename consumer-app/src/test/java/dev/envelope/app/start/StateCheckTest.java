package dev.envelope.app.start;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.app.handlers.HandlerRequest;
import dev.envelope.app.handlers.HandlerSpec;
import dev.envelope.app.handlers.Handlers;
import dev.envelope.app.handlers.expression.GivenUpFields;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StateCheckTest {

    private static Verdict look(String... states) {
        try (HandlerSpec<?, ?> handler =
                Handlers.resolve(
                        new HandlerRequest(
                                "fold",
                                Map.of("n", "count()", "sum", "sum(/amount)"),
                                Map.of(),
                                List.of(),
                                "json",
                                Map.of(),
                                new GivenUpFields()))) {
            List<byte[]> stored =
                    List.of(states).stream()
                            .map(state -> state.getBytes(StandardCharsets.UTF_8))
                            .toList();
            return new StateCheck(() -> stored, handler.stateCodec()).look();
        }
    }

    @Test
    void aFieldThatNoExpressionHasIsRefusedWithWhatMendsIt() {
        assertThat(look("{\"n\":1,\"sum\":2}", "{\"n\":1,\"total\":2}"))
                .isInstanceOfSatisfying(
                        Verdict.Refused.class,
                        it ->
                                assertThat(it.sentences())
                                        .singleElement()
                                        .asString()
                                        .contains("it has the field \"total\"")
                                        .contains("handler.drop=total"));
    }

    @Test
    void aFieldThatIsOnlyAddedIsNoTrouble() {
        assertThat(look("{\"n\":1}")).isEqualTo(new Verdict.Ready());
        assertThat(look()).isEqualTo(new Verdict.Ready());
    }
}
