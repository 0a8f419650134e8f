package dev.envelope.integration.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.envelope.idempotency.testkit.HandlerTest;
import dev.envelope.integration.example.Stock.Item;
import dev.envelope.integration.example.Stock.Request;
import org.junit.jupiter.api.Test;

class StockTest {

    @Test
    void noMoreIsReservedThanThereIs() {
        HandlerTest.Result result =
                HandlerTest.ofJsonWithEffects(new Stock(), Item.class, Request.class)
                        .send("tea", "{\"action\": \"deliver\", \"quantity\": 5}")
                        .send("tea", reserve("a", 3))
                        .send("tea", reserve("b", 3))
                        .send("tea", "{\"action\": \"release\", \"order\": \"a\"}")
                        .send("tea", reserve("c", 4))
                        .send("tea", "{\"action\": \"confirm\", \"order\": \"c\"}")
                        .send("tea", reserve("d", 1))
                        .send("tea", "{\"action\": \"confirm\", \"order\": \"b\"}")
                        .run();

        assertThat(result.states())
                .containsEntry("tea", "{\"available\":0,\"reserved\":{\"d\":1},\"sold\":4}");
        assertThat(result.emittedBy("tea"))
                .extracting(it -> String.valueOf(it.value()))
                .containsExactly(
                        event("delivered", "null", 5, 5),
                        event("reserved", "\"a\"", 3, 2),
                        event("released", "\"a\"", 3, 5),
                        event("reserved", "\"c\"", 4, 1),
                        event("confirmed", "\"c\"", 4, 1),
                        event("reserved", "\"d\"", 1, 0));
        assertThat(result.timersOf("tea")).containsOnlyKeys("d");
    }

    @Test
    void whatIsNotConfirmedInTimeIsThereForOthers() {
        HandlerTest.Result result =
                HandlerTest.ofJsonWithEffects(new Stock(), Item.class, Request.class)
                        .send("tea", "{\"action\": \"deliver\", \"quantity\": 5}")
                        .send("tea", reserve("a", 3))
                        .fire("tea", "a")
                        .send("tea", "{\"action\": \"confirm\", \"order\": \"a\"}")
                        .send("tea", reserve("b", 5))
                        .run();

        assertThat(result.states())
                .containsEntry("tea", "{\"available\":0,\"reserved\":{\"b\":5},\"sold\":0}");
        assertThat(result.emittedBy("tea"))
                .extracting(it -> String.valueOf(it.value()))
                .contains(event("expired", "\"a\"", 3, 5));
        assertThat(result.timersOf("tea")).containsOnlyKeys("b");
    }

    private static String reserve(String order, int quantity) {
        return "{\"action\": \"reserve\", \"order\": \"%s\", \"quantity\": %d, \"holdMillis\": 60000}"
                .formatted(order, quantity);
    }

    private static String event(String what, String order, long quantity, long available) {
        return "{\"what\":\"%s\",\"order\":%s,\"quantity\":%d,\"available\":%d}"
                .formatted(what, order, quantity, available);
    }
}
