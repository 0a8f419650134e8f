package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.HandlerTest;
import dev.envelope.integration.example.Holds.Hold;
import dev.envelope.integration.example.Holds.Request;
import org.junit.jupiter.api.Test;

// region test
class HoldsTest {

    @Test
    void whatIsNotBoughtExpires() {
        HandlerTest.Result result =
                HandlerTest.ofJsonWithEffects(new Holds(), Hold.class, Request.class)
                        .send("chair", "{\"action\": \"hold\", \"customer\": \"ann\"}")
                        .send("table", "{\"action\": \"hold\", \"customer\": \"bob\"}")
                        .send("table", "{\"action\": \"buy\", \"customer\": \"bob\"}")
                        .send("lamp", "{\"action\": \"hold\", \"customer\": \"eve\"}")
                        .fire("lamp", "expires")
                        .run();

        assertThat(result.timersOf("chair")).containsOnlyKeys("expires");
        assertThat(result.timersOf("table")).isEmpty();
        assertThat(result.states()).containsOnlyKeys("chair", "table");
    }
}
// end region
