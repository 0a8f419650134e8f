package dev.envelope.app.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.envelope.app.handlers.expression.GivenUpFields;
import dev.envelope.idempotency.fold.MalformedException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LatestHandlerTest {

    private final FoldRunner<?, ?> runner =
            new FoldRunner<>(
                    Handlers.resolve(
                            new HandlerRequest(
                                    "latest",
                                    Map.of(),
                                    Map.of(),
                                    List.of(),
                                    "json",
                                    Map.of(),
                                    new GivenUpFields())));

    @Test
    void keepsTheLastDocumentAsItIs() {
        runner.fold("{\"a\":1}", " { \"b\" : 1.50, \"c\":\"\\u00e9\" }\n");
        assertThat(runner.saved()).isEqualTo(" { \"b\" : 1.50, \"c\":\"\\u00e9\" }\n");
        assertThat(runner.reload().saved()).contains("1.50");
    }

    @Test
    void deletesOnATombstone() {
        assertThat(runner.fold("1").tombstone().saved()).isEqualTo("deleted");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "{\"a\":\"\\u0000\"}",
                "{\"\\ud800\":1}",
                "1e200000",
                "1e9999999999",
                "{\"a\":-1e9999999999}",
                "1e-9999999999",
                "{} x",
                "{\"a\":1,\"a\":2}",
                "\ufeff{}",
                "NaN"
            })
    void refusesWhatTheRowWouldNotTake(String document) {
        assertThatThrownBy(() -> runner.fold(document)).isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> runner.loadStrictly(document)) // what a person has written
                .isInstanceOf(MalformedException.class);
    }
}
