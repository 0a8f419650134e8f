package dev.envelope.integration.app;

import dev.envelope.idempotency.fold.EffectFold;
import dev.envelope.idempotency.fold.Effects;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Sets timers, and compares each firing with what it has set: the value is "set NAME MILLIS" from
 * the record's timestamp on, or "cancel NAME".
 */
public final class ReminderFold implements EffectFold<ReminderFold.Seen, String> {

    /**
     * What has happened.
     *
     * @param pending when each timer is due that is set
     * @param late how late each timer came, in milliseconds; the least of all times
     * @param wrong how often a timer came that was not set, or not to that time
     */
    public record Seen(Map<String, Long> pending, Map<String, Long> late, long wrong) {

        static final Seen NOTHING = new Seen(Map.of(), Map.of(), 0);
    }

    @Override
    public Seen apply(@Nullable Seen state, @Nullable String value, Effects effects) {
        Seen before = state == null ? Seen.NOTHING : state;
        Map<String, Long> pending = new TreeMap<>(before.pending());
        Map<String, Long> late = new TreeMap<>(before.late());
        long wrong = before.wrong();
        Effects.Fired fired = effects.fired();
        if (fired != null) {
            long due = Long.parseLong(new String(fired.payload(), StandardCharsets.UTF_8));
            Long wanted = pending.remove(fired.name());
            wrong += wanted != null && wanted == due ? 0 : 1;
            late.merge(fired.name(), System.currentTimeMillis() - due, Math::min);
        } else if (value != null && value.startsWith("set ")) {
            String name = value.substring(4, value.lastIndexOf(' '));
            long wait = Long.parseLong(value.substring(value.lastIndexOf(' ') + 1));
            long due = effects.message().timestampMillis() + wait;
            byte[] payload = Long.toString(due).getBytes(StandardCharsets.UTF_8);
            effects.timer(name, Instant.ofEpochMilli(due), payload);
            pending.put(name, due);
        } else if (value != null && value.startsWith("cancel ")) {
            effects.cancel(value.substring(7));
            pending.remove(value.substring(7));
        }
        return new Seen(pending, late, wrong);
    }
}
