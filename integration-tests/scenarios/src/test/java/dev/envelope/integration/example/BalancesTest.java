package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.HandlerTest;
import dev.envelope.integration.example.Balances.Balance;
import dev.envelope.integration.example.Balances.Payment;
import org.junit.jupiter.api.Test;

// region test
class BalancesTest {

    @Test
    void balancesAreWhatThePaymentsAddUpToWhateverHappens() {
        HandlerTest.Result result =
                HandlerTest.ofJson(new Balances(), Balance.class, Payment.class)
                        .send("account-1", "{\"cents\": 500}")
                        .send("account-2", "{\"cents\": 70}")
                        .send("account-1", "{\"cents\": -200}")
                        .delete("account-2")
                        .send("account-3", "{\"cents\": \"many\"}")
                        .run();

        assertThat(result.states())
                .hasSize(1)
                .containsEntry("account-1", "{\"cents\":300,\"payments\":2}");
        assertThat(result.parked()).containsOnlyKeys(4L); // the last one is no payment
    }
}
// end region
