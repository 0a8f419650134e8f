package dev.envelope.integration.app;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sets timers and remembers when they came: the value is "set NAME MILLIS" from the record's
 * timestamp on, or "cancel NAME".
 */
public final class ReminderFold implements EffectFold<ReminderFold.Seen, String> {

    /** How late each timer came, in milliseconds; a second time counts a day. */
    public record Seen(Map<String, Long> late) {}

    private static final long DAY = 86_400_000;

    @Override
    public Seen apply(@Nullable Seen state, @Nullable String value, Effects effects) {
        Map<String, Long> late = new TreeMap<>(state == null ? Map.of() : state.late());
        Effects.Fired fired = effects.fired();
        if (fired != null) {
            long due = Long.parseLong(new String(fired.payload(), StandardCharsets.UTF_8));
            long arrived = System.currentTimeMillis();
            late.merge(fired.name(), arrived - due, (first, second) -> first + DAY);
        } else if (value != null && value.startsWith("set ")) {
            String name = value.substring(4, value.lastIndexOf(' '));
            long wait = Long.parseLong(value.substring(value.lastIndexOf(' ') + 1));
            long due = effects.message().timestampMillis() + wait;
            effects.timer(
                    name,
                    Instant.ofEpochMilli(due),
                    Long.toString(due).getBytes(StandardCharsets.UTF_8));
        } else if (value != null && value.startsWith("cancel ")) {
            effects.cancel(value.substring(7));
        }
        return new Seen(late);
    }
}
