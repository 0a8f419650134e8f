package dev.envelope.integration.app;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Gives each command of a key the next number, and replies it. The value is the command's name;
 * what comes twice is counted.
 */
public final class TicketFold implements EffectFold<TicketFold.Tickets, String> {

    /**
     * The numbers of a key.
     *
     * @param numbers by command
     * @param twice how many commands came more than once
     */
    public record Tickets(Map<String, Long> numbers, long twice) {}

    @Override
    public Tickets apply(@Nullable Tickets state, @Nullable String value, Effects effects) {
        Map<String, Long> numbers = new TreeMap<>(state == null ? Map.of() : state.numbers());
        long twice = state == null ? 0 : state.twice();
        String name = value == null ? "none" : value;
        long number = numbers.size() + twice + 1L;
        twice += numbers.put(name, number) == null ? 0 : 1;
        effects.reply("{\"number\": " + number + "}");
        return new Tickets(numbers, twice);
    }
}
