package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.HandlerTest;
import dev.envelope.integration.example.Overdrafts.Balance;
import dev.envelope.integration.example.Overdrafts.Payment;
import org.junit.jupiter.api.Test;

// region test
class OverdraftsTest {

    @Test
    void anOverdraftIsToldOnceWhateverHappens() {
        HandlerTest.Result result =
                HandlerTest.ofJsonWithEffects(new Overdrafts(), Balance.class, Payment.class)
                        .send("account-1", "{\"cents\": 500}")
                        .send("account-1", "{\"cents\": -700}")
                        .send("account-1", "{\"cents\": -100}")
                        .send("account-2", "{\"cents\": 70}")
                        .run();

        assertThat(result.states()).containsEntry("account-1", "{\"cents\":-300}");
        assertThat(result.emittedBy("account-1"))
                .extracting(it -> it.topic() + " " + it.key() + " " + it.value())
                .containsExactly("overdrafts account-1 {\"cents\": -200}");
        assertThat(result.emittedBy("account-2")).isEmpty();
    }
}
// end region
