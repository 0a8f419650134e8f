package dev.envelope.integration.example;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

// region handler
/**
 * The stock of an item. An order reserves some of it, and confirms or releases that; what is
 * neither confirmed nor released in time expires. Each change is told to the topic {@code
 * inventory-events}, and each message is answered.
 */
public final class Stock implements EffectFold<Stock.Item, Stock.Request> {

    /** Where events go. */
    public static final String EVENTS = "inventory-events";

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final Duration HOLD = Duration.ofMinutes(10);
    private static final Item NOTHING = new Item(0, Map.of(), 0);

    /**
     * What somebody wants.
     *
     * @param action deliver, reserve, confirm, or release
     * @param order whose reservation; null for a delivery
     * @param quantity null to confirm and to release, which is all of it
     * @param holdMillis how long a reservation holds; null for ten minutes
     */
    public record Request(
            String action,
            @Nullable String order,
            @Nullable Long quantity,
            @Nullable Long holdMillis) {

        private long positiveQuantity() {
            if (quantity == null || quantity <= 0) {
                throw new IllegalArgumentException("no quantity: " + this);
            }
            return quantity;
        }

        private Duration hold() {
            return holdMillis == null ? HOLD : Duration.ofMillis(holdMillis);
        }
    }

    /**
     * What is there.
     *
     * @param reserved by order
     */
    public record Item(long available, Map<String, Long> reserved, long sold) {

        private Item with(String order, long quantity) {
            Map<String, Long> more = new TreeMap<>(reserved);
            more.put(order, quantity);
            return new Item(available - quantity, more, sold);
        }

        private Item without(String order, long quantity, boolean isSold) {
            Map<String, Long> less = new TreeMap<>(reserved);
            less.remove(order);
            return isSold
                    ? new Item(available, less, sold + quantity)
                    : new Item(available + quantity, less, sold);
        }
    }

    /** What has happened, for others; or that it was refused, for the caller alone. */
    public record Event(String what, @Nullable String order, long quantity, long available) {}

    @Override
    public @Nullable Item apply(@Nullable Item state, @Nullable Request request, Effects effects) {
        Item item = state == null ? NOTHING : state;
        Effects.Fired expired = effects.fired();
        if (expired != null) {
            return ended(item, "expired", expired.name(), effects);
        }
        if (request == null) {
            return state; // a tombstone has no meaning here
        }
        String order = request.order();
        return switch (request.action()) {
            case "deliver" -> delivered(item, request.positiveQuantity(), effects);
            case "reserve" -> reserved(item, request, effects);
            case "confirm" -> ended(item, "confirmed", String.valueOf(order), effects);
            case "release" -> ended(item, "released", String.valueOf(order), effects);
            default -> throw new IllegalArgumentException("no action: " + request.action());
        };
    }

    private static Item delivered(Item item, long quantity, Effects effects) {
        long available = Math.addExact(item.available(), quantity);
        Item after = new Item(available, item.reserved(), item.sold());
        tell(effects, new Event("delivered", null, quantity, after.available()));
        return after;
    }

    private static Item reserved(Item item, Request request, Effects effects) {
        String order = request.order();
        long quantity = request.positiveQuantity();
        if (order == null || item.reserved().containsKey(order)) {
            throw new IllegalArgumentException("no new order: " + request);
        }
        if (quantity > item.available()) {
            effects.reply(json(new Event("rejected", order, quantity, item.available())));
            return item;
        }
        Instant from = Instant.ofEpochMilli(effects.message().timestampMillis());
        effects.timer(order, from.plus(request.hold()));
        Item after = item.with(order, quantity);
        tell(effects, new Event("reserved", order, quantity, after.available()));
        return after;
    }

    private static Item ended(Item item, String how, String order, Effects effects) {
        Long quantity = item.reserved().get(order);
        if (quantity == null) {
            effects.reply(json(new Event("not reserved", order, 0, item.available())));
            return item;
        }
        effects.cancel(order);
        Item after = item.without(order, quantity, how.equals("confirmed"));
        tell(effects, new Event(how, order, quantity, after.available()));
        return after;
    }

    private static void tell(Effects effects, Event event) {
        effects.emit(EVENTS, effects.message().key(), json(event));
        effects.reply(json(event));
    }

    private static String json(Event event) {
        return new String(JSON.writeValueAsBytes(event), StandardCharsets.UTF_8);
    }
}
// end region
